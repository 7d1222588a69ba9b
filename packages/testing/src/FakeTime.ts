import { Clock, Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"

/** The start of a fake world, in epoch ms. */
export const begun = Date.UTC(2026, 0, 5, 12, 0, 0)

/** Returns the seconds since the start of a fake world, by the monotonic clock. */
export const secondsOf = (clock: Clock.Clock): number =>
  (Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n) - begun) / 1000
/** Reads them. */
export const secondsNow = Effect.map(Clock.Clock, secondsOf)

/** Lets every fiber run until it waits: `adjust` right after a fork would jump past it. */
export const settle = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })

/** Moves the clock to a second of the world. */
export const until = (second: number) => Effect.andThen(TestClock.setTime(begun + second * 1000), settle)

/** Lets time pass, with everything that is due in it, each at its own time. */
export const passes = (duration: Duration.Input) =>
  settle.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settle))

/** Moves time on until an effect is done. `None`: it was not within that time. */
export const passesUntil = <A, E, R>(effect: Effect.Effect<A, E, R>, within: Duration.Input) =>
  Effect.raceFirst(
    Effect.asSome(effect),
    settle.pipe(Effect.andThen(TestClock.adjust(within)), Effect.andThen(settle), Effect.as(Option.none()))
  )

/**
 * Moves time on, with everything that is due in it, until an effect is done, such as the `ended` of a watch. Without
 * it, a test waits for time that nobody moves. After `within` (an hour by default) the test dies.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { type FakeWorld, untilDone } from "@souffleur/testing"
 * import { Effect } from "effect"
 *
 * const finished = Effect.fn("finished")(function* ({ conductor }: FakeWorld) {
 *   const { run } = yield* Souffleur
 *   const { ended } = yield* run({ project: "/p", command: ["agent", "do it"] })
 *   yield* conductor.completes
 *   return yield* untilDone(ended)
 * })
 * ```
 */
export const untilDone = Effect.fn("untilDone")(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { within = "1 hour" }: { readonly within?: Duration.Input } = {}
) {
  const done = yield* passesUntil(effect, within)
  return Option.isSome(done)
    ? done.value
    : yield* Effect.die(new Error(`it is not done within ${Duration.toSeconds(within)} s`))
})
