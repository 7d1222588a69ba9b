import { Clock, Effect } from "effect"

/** A moment on both clocks: wall (epoch ms) and monotonic (ms of an arbitrary origin). */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** Reads both clocks, in ms. */
export const momentNow: Effect.Effect<Moment> = /* @__PURE__ */ Effect.gen(function* () {
  return { wall: yield* Clock.currentTimeMillis, monotonic: Number((yield* Clock.monotonicTimeNanos) / 1_000_000n) }
})

/**
 * Returns whether earlier observations no longer count, because a poll came later than twice `dueMillis` or the two
 * clocks moved apart: after sleep, a clock jump, or on a starved machine (spec: behaviour#heartbeat-age).
 */
export const brokenOff = (before: Moment, now: Moment, dueMillis: number): boolean => {
  const [wall, monotonic] = [now.wall - before.wall, now.monotonic - before.monotonic]
  return monotonic > 2 * dueMillis || Math.abs(wall - monotonic) > Math.min(dueMillis, 2_000)
}
