import { type RunError, type RunningWatch, type RunOptions, Souffleur } from "@souffleur/embed"
import { Context, Effect, Exit, Layer, Scope } from "effect"

/** The jobs of this server. Each is watched to its end, by the next server where this one ends first. */
export class Jobs extends Context.Service<
  Jobs,
  {
    /** Starts a job and returns its id. */
    readonly start: (job: RunOptions) => Effect.Effect<string, RunError>
  }
>()("example/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const server = yield* Effect.scope

      /** Keeps a watch in a scope of its own, so that nothing is left of a job that has ended. */
      const keep = Effect.fnUntraced(function* <E>(begins: Effect.Effect<RunningWatch, E, Scope.Scope>) {
        const scope = yield* Scope.fork(server)
        const { awaitEnd, id } = yield* Scope.provide(begins, scope).pipe(
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        yield* awaitEnd.pipe(
          Effect.ignore({ log: "Error" }),
          Effect.onExit((exit) => Scope.close(scope, exit)),
          Effect.forkIn(server)
        )
        return id
      })

      // The log has the jobs that the last server left.
      for (const { id } of yield* souffleur.living) yield* Effect.ignore(keep(souffleur.resume(id)), { log: "Error" })
      return Jobs.of({ start: (job) => keep(souffleur.run(job)) })
    })
  )
}
