import { Clock, Effect } from "effect"

/** Returns a clock whose wall time is apart from its timers by `ahead()` ms, which a TestClock cannot be. */
export const jumpingClock = Effect.fnUntraced(function* (ahead: () => number) {
  const timers = yield* Clock.clockWith(Effect.succeed)
  const apart: Partial<Clock.Clock> = {
    currentTimeMillisUnsafe: () => timers.currentTimeMillisUnsafe() + ahead(),
    currentTimeMillis: Effect.map(timers.currentTimeMillis, (now) => now + ahead()),
    currentTimeNanosUnsafe: () => timers.currentTimeNanosUnsafe() + BigInt(ahead()) * 1_000_000n,
    currentTimeNanos: Effect.map(timers.currentTimeNanos, (nanos) => nanos + BigInt(ahead()) * 1_000_000n)
  }
  const clock: Clock.Clock = Object.assign(Object.create(timers), apart)
  return clock
})
