import type { Event, Watch, WatchRef } from "@souffleur/domain"
import { type LogError, Refused } from "@souffleur/eventlog"
import { Context, Effect, Option, Schema } from "effect"

/** Gives a step its recovery cycle. */
export class Cycle extends Context.Service<
  Cycle,
  {
    readonly number: number
    readonly watch: WatchRef
  }
>()("@souffleur/recovery/Cycle") {}

/**
 * Describes a step. Outcome and failure are schemas, so that a resumed cycle takes the same branch. A `catchTag` fires
 * again from the log.
 */
export interface Step<A, E, R, X = never> {
  /** `launch` starts the successor. A cycle grants one such step, whatever its name. The default is `act`. */
  readonly kind?: Event.StepKind
  readonly outcome: Schema.Codec<A, Schema.Json>
  readonly failure: Schema.Codec<E, Schema.Json>
  /**
   * Runs after its intent is in the log. `token` is its idempotency key, new for each attempt. It can be interrupted.
   * An error besides `failure` ends the cycle and is no outcome of the step.
   */
  readonly act: (token: string) => Effect.Effect<A, E | X | Refused | LogError, R>
  /**
   * Finds after a crash between intent and outcome what happened. `Some`: it has happened. `None`: it has not, and
   * never will under that token.
   */
  readonly reconcile: (token: string) => Effect.Effect<Option.Option<A>, E | Refused | LogError, R>
}

/**
 * Fails with `Refused` unless the cycle still runs, under the fence it began with (spec: behaviour#one-owner). It is
 * called right before an act that cannot be taken back. An operator's word in another process is in the log before this
 * souffleur hears of it.
 */
export const stillGranted = Effect.fnUntraced(function* ({ fence }: Watch) {
  const { number: cycle, watch } = yield* Cycle
  const now = yield* watch.state
  if (now.recovery?.cycle !== cycle || now.fence !== fence)
    return yield* new Refused({ reason: "not now", message: "this recovery is over" })
})

/** The `reconcile` of a step that only reads, or writes its own file: the step may be done again. */
export const again = () => Effect.succeedNone

/**
 * Runs a step: intent, act, outcome (spec: behaviour#steps). Returns the outcome, or fails with the failure, that the
 * log already has for this cycle. Otherwise it records the intent, acts, and records the result. A recorded failure is
 * final.
 *
 * The append of the intent also checks the fence. It is refused for a souffleur that was overtaken, or a watch that was
 * released. The step then does not act.
 */
export const step = Effect.fn("Recovery.step")(function* <A, E, R, X = never>(
  name: string,
  self: Step<A, E, R, X>
): Effect.fn.Return<A, E | X | Refused | LogError, R | Cycle> {
  const { number: cycle, watch } = yield* Cycle
  const key = { cycle, step: name }
  const last = (yield* watch.state).recovery?.steps[name]
  if (last?._tag === "Succeeded") return yield* Effect.orDie(Schema.decodeUnknownEffect(self.outcome)(last.outcome))
  if (last?._tag === "Failed")
    return yield* Effect.flatMap(Effect.orDie(Schema.decodeUnknownEffect(self.failure)(last.failure)), Effect.fail)

  const isFailure = Schema.is(self.failure)
  const recordFailure = (error: E | X | Refused | LogError) =>
    isFailure(error)
      ? Effect.flatMap(Effect.orDie(Schema.encodeEffect(self.failure)(error)), (failure) =>
          watch.dispatch({ _tag: "FailStep", ...key, failure })
        )
      : Effect.void
  const recordOutcome = (value: A) =>
    Effect.flatMap(Effect.orDie(Schema.encodeEffect(self.outcome)(value)), (outcome) =>
      watch.dispatch({ _tag: "SucceedStep", ...key, outcome })
    )
  // The result is recorded also when an operator interrupts; only a crash can separate the two.
  const recorded = (happening: Effect.Effect<A, E | X | Refused | LogError, R>) =>
    Effect.uninterruptibleMask((restore) =>
      restore(happening).pipe(Effect.tapError(recordFailure), Effect.tap(recordOutcome))
    )

  if (last !== undefined) {
    const happened = yield* Effect.tapError(self.reconcile(last.token), recordFailure)
    if (Option.isSome(happened)) return yield* recorded(Effect.succeed(happened.value))
  }
  const intent = (yield* watch.dispatch({ _tag: "StartStep", ...key, kind: self.kind ?? "act" })).recovery?.steps[name]
  if (intent?._tag !== "Started") return yield* Effect.die(`step ${name} was granted without an intent`)
  return yield* recorded(self.act(intent.token))
})
