import { Clock, Effect, FiberSet, Latch } from "effect"
import { isDeadlineOver } from "./decide/RunAllowance.ts"
import { type Next, parallelOf, steps } from "./decide/RunStep.ts"
import { PlanContext } from "./PlanContext.ts"
import type { Run } from "./run/Run.ts"
import { changed } from "./Waiting.ts"

/** Steps after which nothing comes before a person's word, or at all. */
const last: ReadonlySet<Next["_tag"]> = new Set(["Done", "Escalated", "Paused", "Stopped"])

/** Returns what a step has for itself while it is taken: its task, and `""`, which is the project. */
const takenBy = (step: Next): ReadonlyArray<string> => {
  if (step._tag === "Await") return [step.assignment.taskId ?? ""]
  if (step._tag === "Start" || step._tag === "Land") return [step.task.id, ""]
  return [step._tag === "Ask" || step._tag === "Gate" ? step.task.id : ""]
}

/**
 * Takes the steps of a run at once, each in a fiber of this scope: one of a task at a time, and one in the project. The
 * failure of one is that of all.
 */
export const takenSteps = Effect.fn("takenSteps")(function* <E, R>(
  take: (run: Run, step: Next) => Effect.Effect<unknown, E, R>
) {
  const { ref } = yield* PlanContext
  const fibers = yield* FiberSet.make<unknown, E>()
  const ended = yield* Latch.make()
  const taken = new Map<string, Next>()
  const room = (run: Run, busy: ReadonlyMap<string, Next>) => parallelOf(run) - new Set(busy.values()).size
  /** The agents that were followed; `undefined`: nothing was begun yet. What pauses a run is not done over again. */
  let followed: Set<string> | undefined
  /**
   * Returns the steps that may be taken now, beside those that were under way before the run was read. An agent at work
   * is always followed, once where the run is paused.
   */
  const open = Effect.fnUntraced(function* (run: Run, busy: ReadonlyMap<string, Next>) {
    const all = steps(run)
    // The tasks in hand are finished first.
    const isLate = all.length > 1 && isDeadlineOver(run, yield* Clock.currentTimeMillis)
    const [names, found] = [new Set(busy.keys()), new Array<Next>()]
    for (const step of all) {
      const isOpen =
        step._tag === "Await"
          ? run.paused === null || followed?.has(step.assignment.token) === false
          : !last.has(step._tag) && found.length < room(run, busy) && !(isLate && step._tag === "Start")
      if (!isOpen || takenBy(step).some((name) => names.has(name))) continue
      takenBy(step).forEach((name) => names.add(name))
      found.push(step)
    }
    return found
  })
  const free = (step: Next) =>
    Effect.suspend(() => {
      takenBy(step).forEach((name) => taken.delete(name))
      return Latch.open(ended)
    })
  return {
    /** Begins the steps that may be taken now. Returns the run as it was then, and whether any is under way. */
    begin: Effect.gen(function* () {
      yield* Latch.close(ended)
      const busy = new Map(taken)
      const run = yield* ref.state
      const found = yield* open(run, busy)
      const tokens = (all: ReadonlyArray<Next>) =>
        all.flatMap((step) => (step._tag === "Await" ? [step.assignment.token] : []))
      followed = new Set([...(followed ?? tokens(steps(run))), ...tokens(found)])
      for (const step of found) takenBy(step).forEach((name) => taken.set(name, step))
      const isUnderWay = busy.size + taken.size > 0
      for (const step of found) yield* FiberSet.run(fibers, Effect.andThen(take(run, step), free(step)))
      return { isUnderWay, run }
    }),
    /** Waits until a step has ended, or another one may be taken. */
    moved: Effect.raceAllFirst([
      Latch.await(ended),
      FiberSet.join(fibers),
      Effect.gen(function* () {
        for (;;) {
          const busy = new Map(taken)
          const run = yield* ref.state
          if (room(run, busy) <= 0) return yield* Effect.never
          if ((yield* open(run, busy)).length > 0) return
          yield* changed(run)
        }
      })
    ])
  }
})
