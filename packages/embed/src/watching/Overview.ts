import { Processes } from "@souffleur/domain"
import { shellWord } from "@souffleur/plan"
import { Effect } from "effect"
import { watchJob } from "../jobs/Job.ts"
import { livingJobs } from "../jobs/JobList.ts"
import { endedNews, livingWatches } from "./FindWatch.ts"
import { liveSessions } from "./LiveSessions.ts"

/**
 * Returns the agents of this user that no watch follows, and the living watches and runs, a person's need first. The
 * watches that ended since a person looked come too. Each agent has the command to type next. `project`: the folder of
 * the person.
 */
export const overview = Effect.fn("overview")(function* (project: string) {
  const processes = yield* Processes
  const ancestors = yield* processes.ancestors
  const followed = new Set((yield* livingWatches).flatMap(({ watch }) => watch.sessions))
  const agents = (yield* liveSessions())
    .filter(({ sessionId }) => !followed.has(sessionId))
    .map(({ pid, project: folder, sessionId, status }) => ({
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
