import { AlreadyWatched, Claims, isSeen, Launcher } from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { Effect, Option } from "effect"
import { isLeft } from "../agent/AgentEnd.ts"
import { invocation } from "../Invocation.ts"
import type { NamedRun } from "./RunLog.ts"
import { launchIdOf } from "./Run.ts"

/**
 * Fails with `AlreadyWatched` if a live souffleur conducts another run, because two conductors of one work tree would
 * mix their commits. `runs`: the runs of the work tree; `mine`: the id of the run that does not count.
 */
export const refuseOtherConductor = Effect.fnUntraced(function* (runs: ReadonlyArray<NamedRun>, mine?: string) {
  const claims = yield* Claims
  for (const { id, run } of runs) {
    if (id === mine || run.owner === null || (yield* claims.isDead(run.owner))) continue
    return yield* new AlreadyWatched({
      owner: run.owner,
      ...(isSeen(run.owner, claims.self) ? {} : { unseen: true as const }),
      problem: `souffleur with pid ${run.owner.process.pid} conducts run ${id} in this work tree, in ${run.project}`
    })
  }
})

/**
 * Fails with `Refused` where an agent of another run, or anything that it started, is still at work. It would write
 * beside the agents of this plan. An unknown launch is settled, now and for ever (spec: behaviour#launch-at-most-once).
 */
export const refuseLeftAgent = Effect.fnUntraced(function* (runs: ReadonlyArray<NamedRun>, mine?: string) {
  const launcher = yield* Launcher
  for (const { assignment, id, run } of runs.flatMap(({ id, run }) =>
    run.assignments.map((assignment) => ({ assignment, id, run }))
  )) {
    if (id === mine) continue
    const launchId = launchIdOf(id, assignment.token)
    const launched =
      assignment.launch ??
      Option.getOrNull(
        Option.map(yield* launcher.settle(launchId), (process) => ({ launchId, process, at: assignment.askedAt }))
      )
    if (launched === null || !(yield* isLeft(assignment, launched))) continue
    const message = `an agent of run ${id}, pid ${launched.process.pid}, or what it started still works in this project: go on with its plan first: ${invocation(run)}`
    return yield* new Refused({ reason: "not now", message })
  }
})
