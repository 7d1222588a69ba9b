import { dispatchRun, loadRun, type Run, RunLog, streamOf } from "@souffleur/plan"
import { Effect, Stream } from "effect"
import type { StopPlanOptions } from "../SouffleurOptions.ts"
import { conductPlan } from "./ConductPlan.ts"
import { findPlan, type PlanName } from "./FindPlan.ts"

/** Waits until the agent of a run has ended and its conductor has left, or needs a person for that. */
const settled = Effect.fnUntraced(function* (id: string) {
  const log = yield* RunLog
  for (;;) {
    const run = yield* loadRun(id)
    if (run.owner === null || run.paused !== null) return run
    yield* Stream.runDrain(Stream.take(log.changes(streamOf(id), run.revision), 1))
  }
})

/** Ends the agent of a run: by its conductor, else here. */
const carriedOut = (id: string, { assignment, plan, project }: Run) =>
  conductPlan({ project, plan, restored: true }).pipe(
    Effect.flatMap(({ awaitEnd }) => awaitEnd),
    Effect.scoped,
    Effect.when(Effect.succeed(assignment !== null)),
    Effect.andThen(loadRun(id)),
    Effect.catchTag("AlreadyWatched", () => settled(id))
  )

/**
 * Stops a run after its agent at work, or with it (spec: behaviour#a-persons-word-to-a-run). With `now` it returns once
 * that agent has ended. Fails with `Refused` if the run is over.
 */
export const stopPlan = Effect.fn("stopPlan")(function* (
  name: PlanName,
  { now = false, reason }: StopPlanOptions = {}
) {
  const { id } = yield* findPlan(name)
  const stopped = yield* dispatchRun(id, { _tag: "Stop", atOnce: now, reason }, { _tag: "Operator" })
  return now ? yield* carriedOut(id, stopped) : stopped
})
