import { plain } from "@souffleur/domain"
import type { Alarm } from "@souffleur/hub"
import { NoticeChannels, type NoticeMessage, sendToAll, warnOfLost } from "@souffleur/process"
import { Clock, Effect, FiberMap } from "effect"

/** The most alarms that a notice names. An outage of a service may need a person at every watch. */
const maxNamed = 5

const named = ({ host, job, why }: Alarm): string => (job === null ? host : `${job} on ${host} (${why})`)

/** Says how many there are, and names the first of them. */
const listOf = (alarms: ReadonlyArray<Alarm>, one: string, many: string): ReadonlyArray<string> => {
  if (alarms.length === 0) return []
  const more = alarms.length > maxNamed ? `, and ${alarms.length - maxNamed} more` : ""
  const names = alarms.slice(0, maxNamed).map((alarm) => plain(named(alarm), 200))
  return [`${alarms.length} ${alarms.length === 1 ? one : many}: ${names.join(", ")}${more}`]
}

/** Returns one notice of some alarms of a fleet. `at`: epoch milliseconds. */
export const fleetNotice = (alarms: ReadonlyArray<Alarm>, at: number): NoticeMessage => {
  const needs = alarms.filter(({ kind }) => kind === "needs you")
  const silent = alarms.filter(({ kind }) => kind === "silent")
  return {
    subject: { fleet: String(alarms.length), project: "fleet" },
    revision: 0,
    at,
    notice: {
      kind: needs.length > 0 ? "waiting_for_a_person" : "silent_host",
      state: "needs you",
      text: [
        ...listOf(needs, "job needs you", "jobs need you"),
        ...listOf(silent, "host is silent", "hosts are silent")
      ].join(". "),
      words: null,
      next: "souffleur hub status"
    }
  }
}

/**
 * Tells some alarms to the channels of notices. `true` once one has taken them. The others are then tried again in
 * `again`, one notice a channel, and hold up no later alarm. `false`: none took them.
 */
export const tellAlarms = Effect.fn("tellAlarms")(function* (
  alarms: ReadonlyArray<Alarm>,
  again: FiberMap.FiberMap<string>
) {
  const message = fleetNotice(alarms, yield* Clock.currentTimeMillis)
  const channels = yield* NoticeChannels
  const missed = yield* sendToAll(message)
  if (missed.length === channels.length) return false
  yield* Effect.forEach(missed, (channel) =>
    channel.send(message).pipe(
      Effect.catchTag("NoticeLost", (why) => warnOfLost({ channel: channel.name, message, why })),
      FiberMap.run(again, channel.name, { onlyIfMissing: true })
    )
  )
  return true
})
