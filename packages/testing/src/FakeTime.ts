import { Clock, type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

/** The start of a fake world, in epoch ms. */
export const begun = Date.UTC(2026, 0, 5, 12, 0, 0)

/** Reads the seconds since the start of a fake world, by the monotonic clock. */
export const secondsNow = Effect.map(Clock.monotonicTimeNanos, (nanos) => (Number(nanos / 1_000_000n) - begun) / 1000)

/** Lets every fiber run until it waits: `adjust` right after a fork would jump past it. */
export const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 30 }))

/** Moves the clock to a second of the world. */
export const until = (second: number) => Effect.andThen(TestClock.setTime(begun + second * 1000), settle)

/** Lets time pass, with everything that is due in it, each at its own time. */
export const passes = (duration: Duration.Input) =>
  settle.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settle))
