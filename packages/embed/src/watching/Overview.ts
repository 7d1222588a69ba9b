import { isSameProcess, Processes } from "@souffleur/domain"
import { shellWord } from "@souffleur/plan"
import { Effect, Option } from "effect"
import { watchJob } from "../jobs/Job.ts"
import { jobsOf, type Logged, livingLogged } from "../jobs/JobList.ts"
import { endedNews } from "./FindWatch.ts"
import { type LiveSession, liveSessions } from "./LiveSessions.ts"

/**
 * Makes the question whether a process is an agent of these watches and runs, or was started by one. A launch that is
 * not confirmed yet is known by its mark: a window is started by its terminal.
 */
const conductedBy = Effect.fnUntraced(function* ({ runs, watches }: Logged) {
  const processes = yield* Processes
  const launched = (yield* processes.carriers("SOUFFLEUR_LAUNCH_ID")).filter(({ value }) =>
    watches.some(({ id }) => value.startsWith(`${id}-g`))
  )
  const conductors = [
    ...watches.flatMap(({ watch }) => watch.conductor ?? []),
    ...runs.flatMap(({ run }) => run.assignment?.launch?.process ?? []),
    ...launched.map(({ identity }) => identity)
  ]
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
 * Returns the agents of this user that no watch or run follows, with the command to type next. The living watches and
 * runs come too, a person's need first, and the watches that ended since a person looked. `project`: the folder of the
 * person.
 */
export const overview = Effect.fn("overview")(function* (project: string) {
  const processes = yield* Processes
  const ancestors = yield* processes.ancestors
  const logged = yield* livingLogged
  const { watches } = logged
  const followed = new Set(watches.flatMap(({ watch }) => watch.sessions))
  const others = (yield* liveSessions())
    .filter(({ sessionId }) => !followed.has(sessionId))
    // A server keeps the sessions of all folders, also of work that is long over.
    .filter(({ project: folder, unwatchable }) => unwatchable === undefined || folder === project)
  // The session of a Conductor is not known yet where the agent chooses its id.
  const isConducted = yield* conductedBy(logged)
  const unwatched = yield* Effect.filter(others, (one) => Effect.map(isConducted(one), (is) => !is))
  const agents = unwatched.map(({ pid, project: folder, sessionId, status, unwatchable }) => ({
    pid,
    session_id: sessionId,
    project: folder,
    status,
    why: unwatchable?.why ?? `watch the agent with pid ${pid}`,
    next:
      unwatchable?.next ??
      [
        "souffleur watch",
        // Its own agent would take a watching souffleur along when it ends.
        ...(ancestors.includes(pid) ? ["--detach"] : []),
        `--pid ${pid} --session-id ${shellWord(sessionId)}`,
        ...(folder === project || folder === "" ? [] : [`--project-dir ${shellWord(folder)}`])
      ].join(" ")
  }))
  const ended = (yield* endedNews).ended.map((one) => watchJob(one, false))
  return { agents, ended, jobs: yield* jobsOf(logged) }
})

/** All that is here, for a person who types `souffleur` alone. */
export type Overview = Effect.Success<ReturnType<typeof overview>>
