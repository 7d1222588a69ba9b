import { type Duration, Schedule } from "effect"

/**
 * The self-monitor's rounds: first after the initial wait, then each interval (360 s, 180 s; spec:
 * behaviour#self-monitor).
 */
export const selfCheck = (wait: Duration.Duration, interval: Duration.Duration) =>
  Schedule.duration(wait).pipe(Schedule.concat(Schedule.spaced(interval)))
