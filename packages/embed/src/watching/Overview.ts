import { Processes } from "@souffleur/domain"
import { shellWord } from "@souffleur/plan"
import { Effect } from "effect"
import { watchJob } from "../jobs/Job.ts"
import { jobsOf, livingLogged } from "../jobs/JobList.ts"
import { conductedBy } from "../jobs/UnwatchedAgent.ts"
import { endedNews } from "./FindWatch.ts"
import { liveSessions } from "./LiveSessions.ts"

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
  const unwatched = yield* Effect.filter(others, (one) => Effect.map(isConducted(one.pid), (is) => !is))
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
