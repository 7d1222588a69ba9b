import { Clock, Effect } from "effect"

/** A moment on both clocks: wall (epoch ms) and monotonic (ms of an arbitrary origin). */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

export const moment: Effect.Effect<Moment> = Effect.gen(function* () {
  return { wall: yield* Clock.currentTimeMillis, monotonic: Number((yield* Clock.monotonicTimeNanos) / 1_000_000n) }
})

/**
 * Whether what was seen before still counts: a poll came later than twice its time, or wall and monotonic clock went
 * apart (sleep, clock jump, starved machine; spec: behaviour#heartbeat-age). `due` in ms.
 */
export const brokenOff = (before: Moment, now: Moment, due: number): boolean => {
  const [wall, monotonic] = [now.wall - before.wall, now.monotonic - before.monotonic]
  return monotonic > 2 * due || Math.abs(wall - monotonic) > Math.min(due, 2_000)
}
