import { type Duration, Schedule } from "effect"

/**
 * Makes the schedule of the watcher's polls (spec: behaviour#polls). The first comes after the initial wait, then one
 * each interval (240 s, 60 s).
 *
 * @example
 * ```ts
 * import { patrol } from "@souffleur/watcher"
 * import { Console, Duration, Effect } from "effect"
 *
 * // Runs after 240 s, then each 60 s.
 * const rounds = Effect.schedule(Console.log("a round"), patrol(Duration.seconds(240), Duration.seconds(60)))
 * ```
 */
export const patrol = (wait: Duration.Duration, interval: Duration.Duration) =>
  Schedule.duration(wait).pipe(Schedule.concat(Schedule.spaced(interval)))

/**
 * The interval of probes between polls, which notice the end of the process. A probe decides nothing, it only brings a
 * poll forward.
 */
export const probeInterval = "1 second"

/**
 * The schedule of questions for a session that an agent chooses. Most agents tell it within seconds, others after a
 * prompt.
 */
export const naming = Schedule.min([Schedule.exponential(probeInterval), Schedule.spaced("10 seconds")])

/** Milliseconds within which an agent begins its session, unless it asks something first. It takes a second. */
export const beginMillis = 60_000

/** The time after which an agent that still runs has outlived its launcher: both may be ending. */
export const outlivesAfter: Duration.Input = "3 seconds"
