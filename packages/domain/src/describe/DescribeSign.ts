import type * as Event from "../event/WatchEvent.ts"
import type { Zone } from "../Time.ts"
import { describeLost } from "./DescribeLost.ts"
import { described, type Describers, type WatchNoticeKind } from "./Description.ts"
import { capital, count, dollars, deadline, duration, withoutProgress } from "./Words.ts"

/** Names each kind of wait for a person. */
export const waitInWords = {
  "usage-limit": "a usage limit",
  outage: "an outage of the service",
  "quiet-hours": "the quiet hours",
  pause: "a pause before the next try"
} as const

const waiting = ({ at, kind, resetsAt, until }: typeof Event.WaitStarted.Type, zone: Zone): string => {
  const end = deadline(until, at, zone)
  if (kind === "quiet-hours") return `The quiet hours hold a recovery back until ${end}`
  if (kind === "pause") return `The command is run again at ${end}, after a pause of ${duration(until - at)}`
  return `${capital(waitInWords[kind])} holds the Conductor up until ${end}${resetsAt === null ? ", a guess: the session does not say" : ""}`
}

/** The notice of each kind of wait. A wait of the user's own making has none. */
const noticeOfWait = {
  "usage-limit": { notice: "usage_limit" },
  outage: { notice: "outage" },
  "quiet-hours": {},
  pause: {}
} as const

const waitEnds = {
  over: "The wait is over",
  "went on": "The Conductor went on by itself: the wait is over",
  asked: "The Conductor asked for a fresh context: the wait is over",
  go: "An operator ended the wait"
} as const

const ceiling = ({ ceiling, limit, used }: typeof Event.CeilingReached.Type): string =>
  ceiling === "tokens"
    ? `The ceiling of tokens is reached: ${count(used)} of ${count(limit)} are used`
    : ceiling === "dollars"
      ? `The ceiling of dollars is reached: ${dollars(used)} of ${dollars(limit)} are spent`
      : `The ceiling of time is reached: the watch has gone on for ${duration(used)} of ${duration(limit)}`

/** Describes the signs of a Conductor, its waits and its claims. */
export const describeSign = {
  ConductorUnresolved: ({ sessionId }) =>
    described(
      "warning",
      `No live process says that it holds session ${sessionId}. Until one does, souffleur watches the heartbeat alone, and a recovery could not stop the Conductor. "souffleur adopt" names its process`,
      { message: "warning", notice: "warning" }
    ),
  ConductorResolved: ({ conductor }) =>
    described("info", `The Conductor is pid ${conductor.pid}: it holds the session`, {
      message: "system",
      notice: "cleared"
    }),
  KillDeferred: ({ at, message, until }, zone) =>
    described(
      "warning",
      `The Conductor has no heartbeat, and is left alone until ${deadline(until, at, zone)}: ${message}`
    ),
  PersonAwaited: (event) =>
    described("warning", "The Conductor waits for a person", { notice: "waiting_for_a_person", words: event.for }),
  PersonCame: () => described("info", "The Conductor no longer waits for a person", { notice: "cleared" }),
  WordRefused: ({ what, message }) =>
    described("warning", `souffleur refused a ${what}: ${message}`, { message: "warning" }),
  ...describeLost,
  ConductorUnclaimed: ({ message }) =>
    described(
      "warning",
      `souffleur could not claim the Conductor: ${message}. A souffleur of another state folder could watch it too`,
      {
        message: "warning",
        notice: "warning"
      }
    ),
  ConductorClaimed: () =>
    described("info", "The Conductor is claimed: no souffleur of another state folder watches it too", {
      message: "system",
      notice: "cleared"
    }),
  WaitStarted: (event, zone) =>
    described(event.kind === "pause" ? "info" : "warning", waiting(event, zone), noticeOfWait[event.kind]),
  WaitEnded: ({ how }) => described("info", waitEnds[how], { notice: "cleared" }),
  HoldStarted: () =>
    described("warning", 'An operator holds the watch: nothing is stopped or launched until "souffleur go"', {
      message: "system"
    }),
  HoldEnded: () => described("info", "An operator lets souffleur go on", { message: "system" }),
  CeilingReached: (event) =>
    described("warning", `${ceiling(event)}. Work in hand goes on, nothing is launched any more`, {
      notice: "ceiling"
    }),
  AllowanceRenewed: () => described("info", "An operator allows as much again from now on"),
  ContextExhausted: ({ retries }) =>
    described("warning", `The conversation no longer fits the model${withoutProgress(retries)}`),
  HandoffTaken: ({ contextTokens, generation }) =>
    described(
      "success",
      `The Conductor (S${generation}) took the hand-off${contextTokens === null ? "" : `, ${count(contextTokens)} tokens of context in use`}`,
      { notice: "recovered" }
    )
} satisfies Partial<Describers<Event.WatchEvent, WatchNoticeKind>>
