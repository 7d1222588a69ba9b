import type * as Event from "../event/WatchEvent.ts"
import { type Cap, type CeilingKind, loggedAmount } from "../evidence/Cap.ts"
import type { LimitAhead } from "../evidence/LimitAhead.ts"
import { unknownError } from "../evidence/Unmendable.ts"
import { describeLost } from "./DescribeLost.ts"
import { described, type Describers, type WatchNoticeKind } from "./Description.ts"
import { nameOf, type Reader } from "./Reader.ts"
import { type JobLimits, Limited } from "../settings/JobLimits.ts"
import { count, dollars, deadline, duration, withoutProgress } from "./Words.ts"

/** Names each kind of wait for a person. */
export const waitInWords = {
  "usage-limit": "a usage limit",
  outage: "an outage of the service",
  "unknown-error": unknownError,
  "quiet-hours": "the quiet hours",
  pause: "a pause before the next try"
} as const

const waiting = ({ at, kind, resetsAt, until }: typeof Event.WaitStarted.Type, { who, zone }: Reader): string => {
  const end = deadline(until, at, zone)
  if (kind === "quiet-hours") return `the quiet hours hold a recovery back until ${end}`
  if (kind === "pause" && who.kind === "agent")
    return `${nameOf(who)} keeps ending soon after its launch: it is brought back at ${end}, after a pause of ${duration(until - at)}`
  if (kind === "pause") return `the command is run again at ${end}, after a pause of ${duration(until - at)}`
  if (resetsAt !== null && resetsAt > until)
    return `${waitInWords[kind]} holds ${nameOf(who)} up until ${deadline(resetsAt, at, zone)}: it is tried once a day, next at ${end}, and "souffleur go" tries it at once`
  return `${waitInWords[kind]} holds ${nameOf(who)} up until ${end}${resetsAt === null ? ", a guess: the session does not say" : ""}`
}

/** The notice of each kind of wait. A wait of the user's own making has none. */
const noticeOfWait = {
  "usage-limit": { notice: "usage_limit" },
  outage: { notice: "outage" },
  "unknown-error": { notice: "outage" },
  "quiet-hours": {},
  pause: {}
} as const

const waitEnds = {
  over: () => "the wait is over",
  "went on": (name: string) => `${name} went on by itself: the wait is over`,
  asked: (name: string) => `${name} asked for a fresh context: the wait is over`,
  go: () => "an operator ended the wait"
} as const

/** Writes an amount of the log for a person. */
const amountInWords = (kind: CeilingKind, amount: number): string =>
  kind === "dollars" ? dollars(amount) : kind === "time" ? duration(amount) : count(amount)

/** Says a cap to a person. */
export const formatCap = ({ flag, kind, limit }: Cap): string =>
  `${amountInWords(kind, loggedAmount(kind, limit))}${kind === "dollars" || kind === "time" ? "" : ` ${kind}`} (${flag})`

/** Says that a cap is used up, which the user gave the agent by its own flag. */
export const capInWords = ({
  ceiling,
  flag,
  limit,
  used
}: Pick<typeof Event.CeilingReached.Type, "ceiling" | "flag" | "limit" | "used">): string =>
  `the cap of ${ceiling} that you gave it is used up (${flag}): ${amountInWords(ceiling, used)} of ${amountInWords(ceiling, limit)}`

/** Says what a job may use, and what follows then. */
export const formatLimits = ({ then, ...limits }: JobLimits): string => {
  const all = Limited.literals.flatMap((kind) => {
    const limit = limits[kind]
    return limit === null ? [] : [`${amountInWords(kind, limit)}${kind === "tokens" ? " tokens" : ""}`]
  })
  return `${all.join(", ")}: ${then === "stop" ? "then it is ended, and its watch too" : "then it is not brought back any more"}`
}

/** Says how long a limit lasts at this rate. `at`: epoch ms of the look. */
export const limitLasts = ({ reachedAt, resetsAt }: LimitAhead, at: number): string =>
  reachedAt === null
    ? `lasts until it begins anew in ${duration(resetsAt === null ? null : resetsAt - at)}`
    : `lasts ${duration(reachedAt - at)}`

/** Says how long a limit lasts if its use goes on as it did until a moment, epoch ms. */
export const limitInWords = (one: LimitAhead, at: number): string => {
  const { basis, flag, limit, of, span, used } = one
  const what =
    limit === "usage"
      ? `usage limit of ${duration(span)}: ${used} %`
      : `${flag === null ? `limit of ${limit}` : `cap of ${limit} (${flag})`}: ${amountInWords(limit, used)} of ${amountInWords(limit, of)}`
  return `${what} used, ${limitLasts(one, at)} (${basis})`
}

const ceiling = (event: typeof Event.CeilingReached.Type, who: Reader["who"]): string => {
  const { ceiling, limit, used } = event
  if (event.flag !== null) return capInWords(event)
  if (event.then === "stop")
    return `the limit of ${ceiling} is reached, ${amountInWords(ceiling, used)} of ${amountInWords(ceiling, limit)}: souffleur ends ${nameOf(who)}`
  return ceiling === "tokens"
    ? `the ceiling of tokens is reached: ${count(used)} of ${count(limit)} are used`
    : ceiling === "dollars"
      ? `the ceiling of dollars is reached: ${dollars(used)} of ${dollars(limit)} are spent`
      : `the ceiling of time is reached: the watch has gone on for ${duration(used)} of ${duration(limit)}`
}

const afterCeiling = ({ flag, then }: typeof Event.CeilingReached.Type): string => {
  if (then === "stop") return ""
  return flag === null
    ? ". Work in hand goes on, nothing is launched any more"
    : '. Nothing is launched: "souffleur retry" allows as much again'
}

/** Describes the signs of a Conductor, its waits and its claims. */
export const describeSign = {
  ConductorUnresolved: ({ sessionId }, { who }) =>
    described(
      "warning",
      `no live process says that it holds session ${sessionId}. Until one does, souffleur watches the heartbeat alone, and a recovery could not stop ${nameOf(who)}. "souffleur adopt" names its process`,
      { message: "warning", notice: "warning" }
    ),
  ConductorResolved: ({ conductor }, { who }) =>
    described("info", `${nameOf(who)} is pid ${conductor.pid}: it holds the session`, {
      message: "system",
      notice: "cleared"
    }),
  KillDeferred: ({ at, message, until }, { who, zone }) =>
    described(
      "warning",
      `${nameOf(who)} has no heartbeat, and is left alone until ${deadline(until, at, zone)}: ${message}`
    ),
  PersonAwaited: (event, { who }) =>
    described("warning", `${nameOf(who)} waits for a person`, { notice: "waiting_for_a_person", words: event.for }),
  PersonCame: (_, { who }) => described("info", `${nameOf(who)} no longer waits for a person`, { notice: "cleared" }),
  ConductorIdle: ({ again }, { who }) =>
    described(
      "info",
      `${nameOf(who)} is idle: its turn is over, and it waits at its prompt for your words or for "souffleur done"`,
      again ? {} : { notice: "idle" }
    ),
  ConductorBusy: (_, { who }) => described("info", `${nameOf(who)} works again`),
  WordRefused: ({ what, message }) =>
    described("warning", `souffleur refused a ${what}: ${message}`, { message: "warning" }),
  TaskSilent: ({ age, state, task }) =>
    described("warning", `a task has had no heartbeat for ${duration(age)}, and souffleur leaves it alone`, {
      notice: "silent_task",
      words: `${task}, ${state}`
    }),
  ...describeLost,
  ConductorUnclaimed: ({ message }, { who }) =>
    described(
      "warning",
      `souffleur could not claim ${nameOf(who)}: ${message}. A souffleur of another state folder could watch it too`,
      {
        message: "warning",
        notice: "warning"
      }
    ),
  ConductorClaimed: (_, { who }) =>
    described("info", `${nameOf(who)} is claimed: no souffleur of another state folder watches it too`, {
      message: "system",
      notice: "cleared"
    }),
  AgentFolderFound: ({ folder }, { who }) =>
    described("info", `${nameOf(who)} keeps its sessions in ${folder}, and souffleur looks there too`),
  CapsFound: ({ caps }, { who }) =>
    described("info", `over all its launches ${nameOf(who)} gets at most ${caps.map(formatCap).join(", ")}`),
  WaitStarted: (event, reader) =>
    described(event.kind === "pause" ? "info" : "warning", waiting(event, reader), noticeOfWait[event.kind]),
  WaitEnded: ({ how }, { who }) => described("info", waitEnds[how](nameOf(who)), { notice: "cleared" }),
  HoldStarted: ({ byAgent }) =>
    described(
      "warning",
      `${byAgent ? "an agent's session" : "an operator"} holds the watch: nothing is stopped or launched until "souffleur go"`,
      byAgent ? { message: "warning", notice: "warning" } : { message: "system" }
    ),
  HoldEnded: () => described("info", "an operator lets souffleur go on", { message: "system" }),
  CeilingReached: (event, { who }) =>
    described(
      "warning",
      `${ceiling(event, who)}${afterCeiling(event)}`,
      event.then === "stop" ? {} : { notice: "ceiling" }
    ),
  LimitForeseen: (event, { who }) =>
    described("warning", `${nameOf(who)} nears its ${limitInWords(event, event.at)}`, { notice: "limit_near" }),
  AllowanceRenewed: () => described("info", "an operator allows as much again from now on"),
  ContextExhausted: ({ retries }) =>
    described("warning", `the conversation no longer fits the model${withoutProgress(retries)}`),
  HandoffTaken: ({ contextTokens }, { who }) =>
    described(
      "success",
      `${nameOf(who)} took the hand-off${contextTokens === null ? "" : `, ${count(contextTokens)} tokens of context in use`}`,
      { notice: "recovered" }
    )
} satisfies Partial<Describers<Event.WatchEvent, WatchNoticeKind, Reader>>
