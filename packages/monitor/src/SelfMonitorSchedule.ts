import { type Duration, Schedule } from "effect"

/**
 * Makes the schedule of the self-monitor's rounds: the first after the initial wait, then one each interval (360 s, 180
 * s; spec: behaviour#self-monitor).
 */
export const selfCheck = (wait: Duration.Duration, interval: Duration.Duration) =>
  Schedule.duration(wait).pipe(Schedule.concat(Schedule.spaced(interval)))
