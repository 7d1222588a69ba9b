import { type ProcessIdentity, Processes, SessionNotFound } from "@souffleur/domain"
import { Effect, Option, Path, Result } from "effect"
import { newestWrite } from "../kit/lines/NewestWrite.ts"
import { folderVariable } from "./command/ClaudeEnvironment.ts"
import { heldSession, runningSessions } from "./session/RunningSessions.ts"
import { findSessionFile } from "./session/SessionFile.ts"
import { leftNoPidFile } from "./session/SessionSigns.ts"

/**
 * Makes the look into the folders of Claude Code: the one that the settings name, and those that watched processes were
 * started with. A wrapper of the user's may give each account a folder of its own.
 */
export const makeFolders = (agentDir: string) => {
  const folders = new Set([agentDir])
  const inEach = <A, E, R>(look: (folder: string) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => Effect.forEach([...folders], look))
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
      for (const folder of found) folders.add(folder)
      return [...new Set(found)].filter((folder) => folder !== agentDir)
    }),
    lookIn: (found: ReadonlyArray<string>) =>
      Effect.sync(() => {
        for (const folder of found) folders.add(folder)
      }),
    sessionFile: Effect.fnUntraced(function* (sessionId: string) {
      const found = yield* inEach((folder) => Effect.result(findSessionFile(folder, sessionId)))
      const first = found.find(Result.isSuccess)
      if (first !== undefined) return first.success
      const failures = found.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
      const [{ reason, sessionId: asked }] = failures as [SessionNotFound, ...ReadonlyArray<SessionNotFound>]
      const message = failures.map((one) => one.message).join("; ")
      return yield* new SessionNotFound({ sessionId: asked, reason, message })
    }),
    loginWrittenAt: Effect.suspend(() => newestWrite([...folders].map((folder) => `${folder}/.credentials.json`))),
    sessions: Effect.map(inEach(runningSessions), (lists) => lists.flat()),
    holds: (process: ProcessIdentity) =>
      Effect.map(
        inEach((folder) => heldSession(folder, process)),
        Option.firstSomeOf
      ),
    leftNoPidFile: (pid: number) =>
      Effect.map(
        inEach((folder) => leftNoPidFile(folder, pid)),
        (each) => each.every(Boolean)
      )
  }
}
