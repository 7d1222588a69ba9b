import type { NamedWatch, PlanNotFound, WatchName, WatchNotFound } from "@souffleur/embed"
import { isRunOver, type NamedRun } from "@souffleur/plan"
import { Effect, Option } from "effect"

/** Finds watches and runs by their names, as the services of souffleur do. */
interface Finds<E, R, S> {
  readonly find: (name: WatchName) => Effect.Effect<NamedWatch, E | WatchNotFound, R>
  readonly findPlan: (name: WatchName) => Effect.Effect<NamedRun, E | PlanNotFound, S>
}

/**
 * Finds what a person means by a name: a watch, or a run of a plan. Without one it is the newest watch of the folder,
 * or its newest run if that alone goes on, or if there is no watch. Fails with `WatchNotFound`.
 */
export const findJob = Effect.fn("findJob")(function* <E, R, S>(souffleur: Finds<E, R, S>, name: WatchName) {
  const run = Effect.option(souffleur.findPlan(name))
  if (typeof name === "string")
    return yield* Effect.catchTag(souffleur.find(name), "WatchNotFound", (none) =>
      Effect.flatMap(run, Option.match({ onNone: () => Effect.fail(none), onSome: Effect.succeed }))
    )
  const here = Option.filter(yield* run, ({ run }) => !isRunOver(run))
  return yield* souffleur.find(name).pipe(
    Effect.map((watch) => (watch.watch.phase === "Exited" ? Option.getOrElse(here, () => watch) : watch)),
    Effect.catchTag("WatchNotFound", (none) =>
      Effect.flatMap(run, Option.match({ onNone: () => Effect.fail(none), onSome: Effect.succeed }))
    )
  )
})
