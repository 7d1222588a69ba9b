import {
  clampInWords,
  type Event,
  iso,
  overreachInWords,
  plain,
  type Recorded,
  trustInWords,
  type WatchEvent,
  withdrawnInWords,
  claimedInWords,
  unclaimedInWords
} from "@souffleur/domain"
import { doubtful } from "@souffleur/recovery"
import { Match } from "effect"
import { mostOfLine, type Paint } from "../Printing.ts"
import { withoutRole } from "@souffleur/supervisor"
import { deadline, when } from "./Standing.ts"

/** `4 m 10 s`; ages and waits as a person says them. `millis` may be unknown. */
export const inWords = (millis: number | null | undefined): string => {
  if (millis === null || millis === undefined) return "unknown"
  const seconds = Math.floor(millis / 1000)
  if (seconds < 1) return `${Math.max(0, Math.round(millis))} ms`
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600), Math.floor((seconds % 3600) / 60)]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} m`
  return minutes > 0 ? `${minutes} m ${seconds % 60} s` : `${seconds} s`
}

/** Silent where there was progress: then a death is only a death. */
const counted = (retries: number) => (retries === 0 ? "" : ` (death ${retries} of 3 without progress)`)

const deadBy = ({ cause, evidence }: typeof Event.ConductorDied.Type): string => {
  switch (cause) {
    case "pid":
      return `its process is ${evidence.process}`
    case "heartbeat":
      return `no heartbeat for ${inWords(evidence.heartbeatAge)}, more than ${inWords(evidence.staleAfter)}`
    case "hang":
      return "every sign says that it does nothing any more"
    case "untaken":
      return "it did not take its hand-off in time"
  }
}

const died = (event: typeof Event.ConductorDied.Type) => `the Conductor is dead: ${deadBy(event)}${counted(event.retries)}`

/** A service that does not serve, as a person says it. */
export const waitInWords = { "usage-limit": "a usage limit", outage: "an outage of the service", "quiet-hours": "the quiet hours" } as const

/** `2,000,400` */
export const count = (number: number): string => number.toLocaleString("en-US")

const tokens = (used: number | null) => (used === null ? "" : `, ${count(used)} tokens of context in use`)

/** A command has no session. */
const inSession = (sessionId: string) => (sessionId === "" ? "" : `, session ${sessionId}`)

/** What happened, in plain words, on one line. */
export const sentence = (event: WatchEvent): string => plain(words(event), mostOfLine)

const words = (event: WatchEvent): string =>
  Match.valueTags(event, {
    WatchOpened: ({ comms, forced, kind, observe, pid, sessionId }) =>
      kind === "command"
        ? "asked to run a command, and to watch it"
        : pid === 0
          ? `asked to run an agent, session ${sessionId}, and to watch it`
          : `asked to ${observe ? "observe" : "watch"} pid ${pid}, session ${sessionId}, ${comms === null ? "without comms" : `comms ${comms}`}${forced ? ", whatever evidence says" : ""}`,
    OwnerTook: ({ fence, owner }) => `souffleur pid ${owner.process.pid} owns the watch (fence ${fence})`,
    OwnerLeft: () => "souffleur left; the watch can be resumed",
    SouffleurRestored: ({ cause, restorations }) =>
      `souffleur ${cause === "died" ? "died" : "fell silent"}: its guardian brings it back${restorations === 1 ? "" : ` (${restorations} of 3 without progress)`}`,
    GuardianGaveUp: ({ restorations }) =>
      `souffleur died or fell silent again after ${restorations} restorations without progress: nobody watches; resume it with "souffleur watch"`,
    RoleFailed: ({ defect, failures, role }) => `the ${role} of souffleur died of a defect of its own (${defect}), ${failures} in a row`,
    RoleGaveUp: ({ failures, role }) =>
      `the ${role} of souffleur died ${failures} times in a row and is not started again: ${withoutRole[role]}`,
    ProcessEnding: ({ process, reason, what }) => `the ${what}, pid ${process.pid}, is ended: ${reason}`,
    ValidationFailed: ({ attempt, check, reason }) => `validation ${attempt} of 3 failed at "${check}": ${reason}`,
    ArgumentsCorrected: ({ pid, sessionId }) => `a reply corrected it: pid ${pid}, session ${sessionId}`,
    ValidationExhausted: () => "validation failed three times: nothing is watched",
    ConductorConfirmed: ({ conductor, sessionId }) => `the Conductor is pid ${conductor.pid}${inSession(sessionId)}`,
    WatcherStarted: ({ awaiting, mode, watcher }) =>
      `watcher ${watcher} starts${mode === "normal" ? "" : ` (${mode})`}${awaiting ? ", awaiting the session id" : ""}`,
    WatcherLost: ({ beatAge, watcher }) =>
      `watcher ${watcher} is dead: its last beat was ${beatAge === null ? "never" : `${inWords(beatAge)} ago`}`,
    SelfMonitorStarted: ({ monitor }) => `self-monitor ${monitor} starts`,
    SelfMonitorStopped: ({ monitor, why }) => `self-monitor ${monitor} is ${why}`,
    WatchSettled: () => "watching",
    ConductorDied: died,
    ContextRecoveryRequested: () => "the Conductor asks for a context recovery",
    HandoffRequested: () => "the agent asks for a context recovery",
    TurnEnded: () => "the Conductor's turn ended, its work is not complete: the session goes on",
    ConductorCompleted: ({ by }) => (by === "agent" || by === "operator" ? `complete, as the ${by} says` : "the Conductor completed"),
    SessionIdFound: ({ sessionId }) => `the session id is ${sessionId}`,
    ConductorUnresolved: ({ sessionId }) =>
      `no live process says that it holds session ${sessionId}: until one does, the heartbeat alone is watched`,
    ConductorResolved: ({ conductor }) => `the Conductor is pid ${conductor.pid}: it holds the session`,
    RecoveryStarted: ({ cycle, purpose }) =>
      purpose === "salvage" ? `recovery ${cycle}: retries are exhausted, saving what can be saved` : `recovery ${cycle} starts`,
    RecoveryWithheld: ({ reason }) => reason,
    RecoveryEscalated: ({ alreadyKilled, from, reason, stage, to }) =>
      `${from} hands on to ${to} at ${stage}: ${reason}${alreadyKilled ? "; the Conductor is stopped already" : ""}`,
    StepStarted: ({ attempt, step }) => `step ${step}${attempt === 1 ? "" : ` (attempt ${attempt})`} …`,
    StepSucceeded: (event) => {
      const doubts = doubtful(event)?.warnings ?? []
      return `step ${event.step} done${doubts.length === 0 ? "" : `; not understood: ${doubts.join("; ")}`}`
    },
    StepFailed: ({ step }) => `step ${step} failed`,
    LaunchPrepared: ({ effective, launchId, requested, sessionId }) =>
      `launch ${launchId} is prepared${sessionId === "" ? "" : `, permission ${effective}${requested === effective ? "" : ` (${clampInWords({ requested, effective })})`}`}`,
    ConductorRelaunched: ({ conductor, generation, provider, sessionId }) =>
      `Conductor (S${generation}) runs: pid ${conductor.pid}${inSession(sessionId)}, by ${provider}`,
    RecoveryFailedClosed: ({ reason, stage }) => `recovery failed closed at ${stage}: ${reason}`,
    RetriesExhausted: ({ exportPath }) => `three deaths without progress; ${exportPath === null ? "no export" : `export: ${exportPath}`}`,
    ConductorAdopted: ({ by, conductor, forced, generation, sessionId }) =>
      `Conductor (S${generation}) is pid ${conductor.pid}, session ${sessionId}: ${by === "operator" ? `adopted by an operator${forced ? ", against the evidence" : ""}` : "it came back by itself"}`,
    RecoveryRetried: ({ cycle }) => `an operator wants recovery ${cycle} tried again`,
    KillDeferred: ({ at, because, until }) => `no heartbeat, yet left alone until ${deadline(until, at)}: ${because}`,
    PersonAwaited: (event) => `the Conductor waits for a person: ${event.for}`,
    PersonCame: () => "the Conductor waits for nobody any more",
    WordRefused: ({ why }) => why,
    ConductorUnclaimed: unclaimedInWords,
    ConductorClaimed: () => claimedInWords,
    WaitStarted: ({ at, kind, resetsAt, until }) =>
      `${waitInWords[kind]}: ${kind === "quiet-hours" ? "nothing is launched" : "waiting"} until ${deadline(until, at)}${resetsAt === null ? ", a guess: the session does not say" : ""}`,
    WaitEnded: ({ how }) => (how === "over" ? "the wait is over" : "the Conductor went on by itself: the wait is over"),
    CeilingReached: ({ ceiling, limit, used }) =>
      ceiling === "tokens"
        ? `the ceiling is reached: ${count(used)} tokens of ${count(limit)} are used`
        : `the ceiling is reached: it has gone on for ${inWords(used)} of ${inWords(limit)}`,
    AllowanceRenewed: () => "an operator allows as much again from now on",
    ConfigOverreached: overreachInWords,
    ConfigWithdrawn: () => withdrawnInWords,
    TrustGiven: trustInWords,
    ContextExhausted: ({ retries }) =>
      `the conversation no longer fits the model${retries === 0 ? "" : ` (${retries} of 3 without progress)`}`,
    HandoffTaken: ({ contextTokens, generation }) => `Conductor (S${generation}) has taken the hand-off${tokens(contextTokens)}`,
    WatchReleased: () => "released by an operator; the Conductor is left as it is"
  })

const colourOf = (event: WatchEvent): "red" | "green" | "yellow" | "dim" | undefined => {
  switch (event._tag) {
    case "ConductorDied":
    case "RecoveryFailedClosed":
    case "RetriesExhausted":
    case "ValidationExhausted":
    case "GuardianGaveUp":
    case "RoleGaveUp":
      return "red"
    case "ConductorRelaunched":
    case "ConductorAdopted":
    case "ConductorCompleted":
    case "HandoffTaken":
    case "WatchSettled":
      return "green"
    case "CeilingReached":
    case "ConfigOverreached":
    case "TrustGiven":
    case "ContextExhausted":
    case "KillDeferred":
    case "PersonAwaited":
    case "WaitStarted":
    case "WordRefused":
    case "ConductorUnclaimed":
    case "ConductorUnresolved":
    case "ValidationFailed":
    case "WatcherLost":
    case "RoleFailed":
    case "SouffleurRestored":
    case "ProcessEnding":
    case "StepFailed":
      return "yellow"
    case "StepSucceeded":
      return doubtful(event) === undefined ? "dim" : "yellow"
    case "LaunchPrepared":
      return clampInWords(event) === undefined ? "dim" : "yellow"
    case "StepStarted":
    case "WatcherStarted":
    case "SelfMonitorStarted":
    case "SelfMonitorStopped":
    case "OwnerTook":
      return "dim"
    default:
      return undefined
  }
}

/** What a person wants to hear of; the rest is how souffleur goes about it. */
export const isNews = (event: WatchEvent): boolean => colourOf(event) !== "dim"

/** One line of `watch` and `log` for a person: UTC time, generation, what happened. */
export const line = (recorded: Recorded, generation: number, paint: Paint): string => {
  const colour = colourOf(recorded.event)
  const text = sentence(recorded.event)
  return `${paint("dim", when(recorded.event.at))}  ${`S${Math.max(1, generation)}`.padEnd(3)} ${colour === undefined ? text : paint(colour, text)}`
}

/** One line of `log --json` and `watch --json` (spec: command-line#looking). */
export const jsonLine = ({ event: { at, ...event }, revision, stream }: Recorded): string =>
  JSON.stringify({ watch: stream, revision, at: iso(at), ...event })
