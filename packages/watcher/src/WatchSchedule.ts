import { type Duration, Schedule } from "effect"

/** The watcher's polls: first after the initial wait, then each interval (240 s, 60 s; spec: behaviour#polls). */
export const patrol = (wait: Duration.Duration, interval: Duration.Duration) =>
  Schedule.duration(wait).pipe(Schedule.concat(Schedule.spaced(interval)))

/** Between polls: how soon an end of the process is seen. It decides nothing, only brings a poll forward. */
export const probeEvery = "1 second"
