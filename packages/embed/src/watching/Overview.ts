import { isOver, Processes } from "@souffleur/domain"
import { shellWord, unfinishedRuns } from "@souffleur/plan"
import { Effect } from "effect"
import { runStanding } from "../explain/RunSentence.ts"
import { needOf, statusLine } from "../explain/StatusLine.ts"
import { livingWatches } from "./FindWatch.ts"
import { liveSessions } from "./LiveSessions.ts"

/**
 * Returns the agents of this user that no watch follows, and the watches and runs that are not finished. Each has the
 * command to type next. `project`: the folder of the person.
 */
export const overview = Effect.fn("overview")(function* (project: string) {
  const processes = yield* Processes
  const living = yield* livingWatches
  const ancestors = yield* processes.ancestors
  const watches = yield* Effect.forEach(living, ({ id, unreadable, watch }) =>
    Effect.gen(function* () {
      const owned = watch.owner !== undefined && !isOver(yield* processes.condition(watch.owner.process))
      return {
        watch: id,
        project: watch.project,
        standing: unreadable === undefined ? statusLine(watch) : `cannot be read: ${unreadable.problem}`,
        need:
          unreadable === undefined ? needOf(id, watch, owned) : { why: "its log is damaged", next: "souffleur doctor" }
      }
    })
  )
  const followed = new Set(living.flatMap(({ watch }) => watch.sessions))
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
  const runs = (yield* unfinishedRuns).map(({ id, run, unreadable }) => ({
    run: id,
    project: run.project,
    standing: unreadable === undefined ? runStanding(run) : "its log cannot be read",
    next: `souffleur conduct status --run ${id}`
  }))
  return { agents, watches, runs }
})

/** All that is here, for a person who types `souffleur` alone. */
export type Overview = Effect.Success<ReturnType<typeof overview>>
