import { type ProcessIdentity, Processes, SessionNotFound } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { makeSessionSearch } from "../kit/agent/FindSession.ts"
import { newestWrite } from "../kit/lines/NewestWrite.ts"
import { folderVariable } from "./command/ClaudeEnvironment.ts"
import { heldSession, runningSessions } from "./session/RunningSessions.ts"

/** The session files in a folder of Claude Code: `projects/FOLDER/ID.jsonl`. */
export const sessionFiles = {
  depth: 1,
  sessionPath: /\/([A-Za-z0-9][A-Za-z0-9_-]*)\.jsonl$/u,
  copied: true
} as const

/**
 * Makes the look into the folders of Claude Code: the one that the settings name, and those that watched processes were
 * started with. A wrapper of the user's may give each account a folder of its own.
 */
export const makeFolders = (agentDir: string) => {
  const searchIn = (folder: string) => makeSessionSearch({ ...sessionFiles, folder: `${folder}/projects` })
  const searches = new Map([[agentDir, searchIn(agentDir)]])
  const add = (folder: string) => {
    if (!searches.has(folder)) searches.set(folder, searchIn(folder))
  }
  const inEach = <A, E, R>(look: (folder: string) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => Effect.forEach([...searches.keys()], look))
  return {
    /**
     * Adds the folder of a living process, or of the agent that it has started, and returns it unless it is that of the
     * settings. A relative one stays unknown.
     */
    lookWhere: Effect.fn("Folders.lookWhere")(function* ({ pid }: ProcessIdentity) {
      const path = yield* Path.Path
      const carriers = yield* (yield* Processes).carriers(folderVariable)
      const found = carriers.flatMap(({ identity, parent, value }) =>
        (identity.pid === pid || parent === pid) && path.isAbsolute(value) ? [path.resolve(value)] : []
      )
      found.forEach(add)
      return [...new Set(found)].filter((folder) => folder !== agentDir)
    }),
    lookIn: (found: ReadonlyArray<string>) => Effect.sync(() => found.forEach(add)),
    find: Effect.fnUntraced(function* (sessionId: string) {
      const found = yield* Effect.forEach([...searches.values()], (search) => Effect.result(search(sessionId)))
      const first = found.find(Result.isSuccess)
      if (first !== undefined) return first.success
      const failures = found.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
      const [{ reason, sessionId: asked }] = failures as [SessionNotFound, ...ReadonlyArray<SessionNotFound>]
      const message = failures.map((one) => one.message).join("; ")
      return yield* new SessionNotFound({ sessionId: asked, reason, message })
    }),
    loginWrittenAt: Effect.suspend(() =>
      newestWrite([...searches.keys()].map((folder) => `${folder}/.credentials.json`))
    ),
    sessions: Effect.map(inEach(runningSessions), (lists) => lists.flat()),
    holds: (process: ProcessIdentity) =>
      Effect.map(
        inEach((folder) => heldSession(folder, process)),
        Option.firstSomeOf
      ),
    /**
     * Returns whether the agent removed its pid file, as it does when it ends by itself. A killed agent leaves the file
     * behind (spec: claude-code#pid-file).
     */
    leftNoPidFile: Effect.fn("Folders.leftNoPidFile")(function* (pid: number) {
      const fs = yield* FileSystem.FileSystem
      const there = yield* inEach((folder) =>
        Effect.orElseSucceed(fs.exists(`${folder}/sessions/${pid}.json`), () => true)
      )
      return !there.includes(true)
    })
  }
}
