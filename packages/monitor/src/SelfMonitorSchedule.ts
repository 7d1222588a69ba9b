import { type Duration, Schedule } from "effect"

/**
 * Makes the schedule of the self-monitor's rounds (spec: behaviour#self-monitor). The first comes after the initial
 * wait, then one each interval (360 s, 180 s).
 */
export const selfCheck = (wait: Duration.Duration, interval: Duration.Duration) =>
  Schedule.duration(wait).pipe(Schedule.concat(Schedule.spaced(interval)))
