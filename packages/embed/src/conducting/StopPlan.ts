import { AlreadyWatched, Claims, isSeen, untraced } from "@souffleur/domain"
import { dispatchRun, loadRun, type Run } from "@souffleur/plan"
import { Clock, Duration, Effect, Schedule } from "effect"
import type { StopPlanOptions } from "../SouffleurOptions.ts"
import { Parts } from "../world/Parts.ts"
import { conductPlan } from "./ConductPlan.ts"
import { findPlan, type PlanName } from "./FindPlan.ts"

/** How often the conductor that carries out a stop is looked at: no event tells its death. */
const lookInterval = Schedule.spaced("500 millis")

/**
 * Waits until no conductor carries out the stop of a run: it has left, is dead, or the run is paused. One that cannot
 * be seen has the time of two endings, of the agent and of what it started. Then it fails with `AlreadyWatched`.
 */
const settled = Effect.fnUntraced(function* (id: string, { project }: Run) {
  const { isDead, self } = yield* Claims
  const { stopGrace } = yield* (yield* Parts).settings(project)
  const patience = (yield* Clock.currentTimeMillis) + 2 * Duration.toMillis(stopGrace)
  const look = Effect.gen(function* () {
    const run = yield* loadRun(id)
    const { owner, paused } = run
    if (owner === null || paused !== null || (yield* isDead(owner))) return { over: true, run }
    if (isSeen(owner, self) || (yield* Clock.currentTimeMillis) < patience) return { over: false, run }
    const problem = `souffleur with pid ${owner.process.pid} on ${owner.host} conducts run ${id}`
    return yield* new AlreadyWatched({ owner, unseen: true, problem })
  })
  return (yield* Effect.repeat(untraced(look), { schedule: lookInterval, until: ({ over }) => over })).run
})

/** Ends what a run has at work, its agent or the programs of its gate: by its conductor, else here. */
const carriedOut = Effect.fnUntraced(
  function* (id: string, stopped: Run) {
    const { isDead } = yield* Claims
    const run = yield* settled(id, stopped)
    if (run.owner === null ? run.assignments.length === 0 : !(yield* isDead(run.owner))) return run
    const { awaitEnd } = yield* conductPlan({ project: run.project, plan: run.plan, restored: true })
    yield* awaitEnd
    return yield* loadRun(id)
  },
  Effect.scoped,
  // Another conductor may have taken the run meanwhile.
  Effect.retry({ times: 1, while: (error) => error._tag === "AlreadyWatched" && error.unseen !== true })
)

/**
 * Stops a run after its agent at work, or with it (spec: behaviour#a-persons-word-to-a-run). With `now` it returns once
 * that agent has ended. Fails with `Refused` if the run is over, and with `AlreadyWatched` where a conductor that
 * cannot be seen does not end it.
 */
export const stopPlan = Effect.fn("stopPlan")(function* (
  name: PlanName,
  { now = false, reason }: StopPlanOptions = {}
) {
  const { id } = yield* findPlan(name)
  const stopped = yield* dispatchRun(id, { _tag: "Stop", atOnce: now, reason }, { _tag: "Operator" })
  return now ? yield* carriedOut(id, stopped) : stopped
})
