import { isSameProcess, Processes } from "@souffleur/domain"
import { shellWord } from "@souffleur/plan"
import { Effect, Option } from "effect"
import { watchJob } from "../jobs/Job.ts"
import { livingJobs } from "../jobs/JobList.ts"
import { endedNews, livingWatches, type NamedWatch } from "./FindWatch.ts"
import { type LiveSession, liveSessions } from "./LiveSessions.ts"

/** Makes the question whether a process is a Conductor of these watches, or was started by one. */
const conductedBy = Effect.fnUntraced(function* (watches: ReadonlyArray<NamedWatch>) {
  const processes = yield* Processes
  const conductors = watches.flatMap(({ watch }) => watch.conductor ?? [])
  return Effect.fnUntraced(function* ({ pid }: LiveSession) {
    for (let found = yield* processes.find(pid); Option.isSome(found);) {
      const { identity, parent } = found.value
      if (conductors.some((one) => isSameProcess(identity, one))) return true
      found = yield* processes.find(parent)
    }
    return false
  })
})

/**
 * Returns the agents of this user that no watch follows, and the living watches and runs, a person's need first. The
 * watches that ended since a person looked come too. Each agent has the command to type next. `project`: the folder of
 * the person.
 */
export const overview = Effect.fn("overview")(function* (project: string) {
  const processes = yield* Processes
  const ancestors = yield* processes.ancestors
  const watches = yield* livingWatches
  const followed = new Set(watches.flatMap(({ watch }) => watch.sessions))
  const others = (yield* liveSessions()).filter(({ sessionId }) => !followed.has(sessionId))
  // The session of a Conductor is not known yet where the agent chooses its id.
  const isConducted = yield* conductedBy(watches)
  const unwatched = yield* Effect.filter(others, (one) => Effect.map(isConducted(one), (is) => !is))
  const agents = unwatched.map(({ pid, project: folder, sessionId, status }) => ({
    pid,
    session_id: sessionId,
    project: folder,
    status,
    next: [
      "souffleur watch",
      // Its own agent would take a watching souffleur along when it ends.
      ...(ancestors.includes(pid) ? ["--detach"] : []),
      `--pid ${pid} --session-id ${shellWord(sessionId)}`,
      ...(folder === project || folder === "" ? [] : [`--project-dir ${shellWord(folder)}`])
    ].join(" ")
  }))
  const ended = (yield* endedNews).ended.map((one) => watchJob(one, false))
  return { agents, ended, jobs: yield* livingJobs }
})

/** All that is here, for a person who types `souffleur` alone. */
export type Overview = Effect.Success<ReturnType<typeof overview>>
