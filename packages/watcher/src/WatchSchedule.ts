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

/** Milliseconds after which an agent at its prompt waits for a person. A person at work makes shorter pauses. */
export const promptMillis = 600_000
