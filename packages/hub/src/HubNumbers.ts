import { type Family, prometheusText, StateWord } from "@souffleur/domain"
import { saidGoodbye, silentMillis } from "@souffleur/fleet"
import type { LogStanding } from "./HubRows.ts"

/** How many jobs of a log are in a state. */
export interface JobCount {
  readonly log: string
  readonly state: StateWord
  readonly count: number
}

/**
 * Returns the numbers of a fleet for Prometheus, summed by host. Of several logs of a host the newest says when it
 * spoke. Revoked hosts are left out.
 */
export const fleetNumbers = (logs: ReadonlyArray<LogStanding>, jobs: ReadonlyArray<JobCount>): string => {
  const enrolled = logs.filter(({ revoked }) => !revoked)
  const hosts = [...Map.groupBy(enrolled, ({ enrolledHost }) => enrolledHost)].map(([host, all]) => ({
    host,
    all,
    newest: all.reduce((newest, one) => (one.lastSeenAgo < newest.lastSeenAgo ? one : newest)),
    own: jobs.filter(({ log }) => all.some((one) => one.log === log))
  }))
  type Host = (typeof hosts)[number]
  const byHost = (name: string, help: string, type: Family["type"], valueOf: (host: Host) => number): Family => ({
    name: `souffleur_fleet_${name}`,
    help,
    type,
    samples: hosts.map((one) => ({ labels: { host: one.host }, value: valueOf(one) }))
  })
  return prometheusText([
    {
      name: "souffleur_fleet_jobs",
      help: "Watches and runs that live, or ended within a day, as last known",
      type: "gauge",
      samples: hosts.flatMap(({ host, own }) =>
        StateWord.literals.map((state) => ({
          labels: { host, state },
          value: own.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0)
        }))
      )
    },
    byHost("host_silent", "1 if the host has not spoken for 30 s", "gauge", ({ newest }) =>
      newest.lastSeenAgo > silentMillis ? 1 : 0
    ),
    byHost("host_away", "1 if the host has not spoken for 30 s, after a goodbye", "gauge", ({ newest }) =>
      saidGoodbye(newest) ? 1 : 0
    ),
    byHost("host_last_word_seconds", "Time since the host spoke", "gauge", ({ newest }) => newest.lastSeenAgo / 1000),
    byHost(
      "host_skew_seconds",
      "The clock of the host against that of the hub",
      "gauge",
      ({ newest }) => newest.skew / 1000
    ),
    byHost("forked_logs", "Logs that were forked", "gauge", ({ all }) => all.filter(({ forked }) => forked).length),
    byHost("events_total", "Events that the hub has of the host", "counter", ({ all }) =>
      all.reduce((sum, { mark }) => sum + mark.position, 0)
    )
  ])
}
