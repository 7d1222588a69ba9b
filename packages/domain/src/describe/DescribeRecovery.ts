import type * as Event from "../event/WatchEvent.ts"
import { clampInWords } from "../settings/Permission.ts"
import { described, type Describers, type WatchNoticeKind } from "./Description.ts"
import { exportAt, inSession } from "./DescribeWatch.ts"
import { nameOf, type Reader } from "./Reader.ts"
import { doubtsOf, gateInWords, sessionInWords } from "./StepOutcome.ts"
import { capital, duration, threeEnds } from "./Words.ts"
import { mendedBy } from "../evidence/Unmendable.ts"
import { stepNames } from "../watch/StepName.ts"
import { isSessionKnown } from "../watch/Target.ts"

/** Tells of the work where the agent has only answered. A person reads the answer and decides. */
const likelyDone = `${threeEnds}, and the agent only answered at last. The work is likely done: "souffleur why" shows its last words, and how it goes on if they say otherwise`

/** Says how each provider brings a Conductor back. Another provider is named. */
export const ways: Readonly<Record<string, string>> = {
  begin_again: "it begins again with its first prompt",
  continue_turn: "its session goes on",
  claude_export: "a new session reads an export of its conversation",
  handover: "it reads an export of the conversation before",
  resume: "its session is resumed",
  standard_compact: "its session goes on, compacted",
  small_handoff: "a new session reads the end of its conversation",
  restart: "started again",
  start_over: "its conversation is lost, and a new session has its first prompt",
  recovery_command: "your recovery program launched it"
}

const startInWords = ({ purpose }: typeof Event.RecoveryStarted.Type, who: Reader["who"]): string => {
  const isCommand = who.kind === "command"
  if (purpose === "export") return isCommand ? "souffleur gives up" : "souffleur gives up, and saves what can be saved"
  if (purpose === "stop") return `souffleur stops ${nameOf(who)}`
  if (who.comms !== null) return "a recovery starts"
  if (who.handedFrom !== undefined) return `souffleur stops ${nameOf(who)}, and exports its conversation`
  return isCommand ? "souffleur starts the command again" : `souffleur brings ${nameOf(who)} back`
}

const relaunchInWords = (
  { conductor, generation, provider, sessionId }: typeof Event.ConductorRelaunched.Type,
  who: Reader["who"]
): string => {
  const which = `S${generation}${conductor === null ? "" : `, pid ${conductor.pid}`}${inSession(sessionId)}`
  if (who.comms !== null && provider === stepNames.recoveryCommand)
    return `the recovery program launched a successor (${which})`
  if (who.comms !== null) return `souffleur launched a successor (${which}) by ${provider}`
  if (provider === "handover") return `${who.agent ?? "another agent"} goes on (${which}): ${ways[provider]}`
  return who.kind === "command"
    ? `the command runs again (${which})`
    : `${nameOf(who)} is back (${which}): ${ways[provider] ?? `by ${provider}`}`
}

const windows = { headless: "", tmux: "of tmux", kitty: "of kitty", window: "by TERMINAL_COMMAND" } as const

/** Says what a person does, so that the next launch has a window again. */
const windowAgain = {
  headless: "",
  tmux: "Start tmux again before its next launch",
  kitty: 'For a window at its next launch end souffleur, and type "souffleur resume" in kitty',
  window: 'Type "souffleur doctor" to see what TERMINAL_COMMAND lacks'
} as const

const refusalInWords = ({ instead, message, terminal }: typeof Event.WindowRefused.Type, who: Reader["who"]) => {
  const refused = `no window ${windows[terminal]} was opened for ${nameOf(who)} (${message})`
  if (instead !== "headless") return `${refused}: one ${windows[instead]} is tried`
  const without =
    who.kind === "command"
      ? "gets a terminal without a person at it"
      : "is launched in print mode, where nobody can answer it or type to it"
  return `${refused}: it ${without}. ${windowAgain[terminal]}`
}

/** Describes a recovery, its steps and its launch. */
export const describeRecovery = {
  RecoveryStarted: (event, { who }) => described("info", startInWords(event, who)),
  RecoveryWithheld: ({ message, stage }, { who }) => {
    switch (stage) {
      case "observe":
      case "hold":
      case "ceiling":
        return described("info", `the recovery is withheld: ${message}`)
      case "exit-requested":
        return described("warning", `the recovery waits for you: ${message}. "souffleur retry" starts it`, {
          notice: "waiting_for_a_person"
        })
      case "unknown-end":
        return described("warning", `the command is not run again by itself: ${message}`, {
          notice: "waiting_for_a_person"
        })
      case "unconfirmed":
        return described(
          "warning",
          `nothing says that the work is done: ${message}. "souffleur retry" has ${nameOf(who)} go on, and "souffleur done" says that it is complete`,
          { notice: "waiting_for_a_person" }
        )
      default:
        return described(
          "warning",
          `${nameOf(who)} ended at ${message}, and no launch mends that: ${mendedBy[stage]}, then type "souffleur retry"`,
          { message: "warning", notice: "waiting_for_a_person" }
        )
    }
  },
  CheckStarted: () => described("info", "the program of --until looks at the work"),
  WorkChecked: ({ code }) =>
    described(
      "info",
      code === 0
        ? "the program of --until ended with 0: the work is done"
        : `the program of --until ${code === null ? "was ended by a signal" : `ended with ${code}`}: the work is not done`
    ),
  EndingStarted: (_, { who }) =>
    described("info", `${nameOf(who)} has finished its turn, and its process does not end: souffleur ends it`),
  EndingOver: ({ ended }, { who }) =>
    ended
      ? described("info", `the process of ${nameOf(who)} is ended`)
      : described("info", `${nameOf(who)} is left as it is, because of the hold`),
  RecoveryEscalated: ({ alreadyKilled, from, message, stage, to }, { who }) =>
    described(
      "info",
      `the provider ${from} hands on to ${to} at ${stage}: ${message}${alreadyKilled ? `. ${capital(nameOf(who))} is stopped already` : ""}`,
      {
        message: "warning"
      }
    ),
  RecoveryRetried: ({ by }, { who }) =>
    described(
      "info",
      by === "login"
        ? `the login of ${nameOf(who)} was renewed, and its session is tried once more`
        : `${by === "agent" ? "an agent's session" : by === "phone" ? "a press on the phone" : "an operator"} ends the standby`
    ),
  AgentChosen: ({ agent, from }) =>
    described(
      "info",
      agent === from
        ? `a person has ${agent} go on with its own conversation`
        : `a person hands the conversation over from ${from} to ${agent}`,
      { message: "system" }
    ),
  StepStarted: ({ attempt, step }) =>
    described("detail", `step "${step}" starts${attempt === 1 ? "" : ` (attempt ${attempt})`}`),
  StepSucceeded: (event) => {
    const gate = gateInWords(event)
    if (gate !== undefined) return described("detail", gate, { message: "system" })
    const session = sessionInWords(event)
    if (session !== undefined) return described("detail", session)
    const doubts = doubtsOf(event)
    if (doubts === undefined) return described("detail", `step "${event.step}" is done`)
    const message = doubts.messageId === null ? "" : ` (message ${doubts.messageId})`
    // The description holds no word of the payload itself.
    return described(
      "warning",
      `souffleur did not understand all of the payload${message}: ${doubts.warnings.join("; ")}`,
      {
        message: "warning",
        notice: "warning"
      }
    )
  },
  StepFailed: ({ step }) => described("warning", `step "${step}" failed`),
  LaunchPrepared: (event, { who }) => {
    const clamped = clampInWords(event)
    const text = event.pty ? `${nameOf(who)} gets a terminal of its own` : `launch ${event.launchId} is prepared`
    if (clamped !== undefined)
      return described("warning", `${text}: ${clamped}`, { message: "warning", notice: "warning" })
    const permission = event.pty || !isSessionKnown(event.sessionId) ? "" : ` with permission ${event.effective}`
    return described("detail", text + permission)
  },
  WindowRefused: (event, { who }) =>
    described("warning", refusalInWords(event, who), { message: "warning", notice: "warning" }),
  LaunchDelayed: ({ at, message, until }, { who }) =>
    described(
      "warning",
      `${nameOf(who)} cannot be launched now, and nothing has run: ${message}. It is tried again in ${duration(until - at)}`
    ),
  ConductorRelaunched: (event, { who }) =>
    described("success", relaunchInWords(event, who), { message: "system", notice: "recovered" }),
  RecoveryFailedClosed: ({ message, stage }) =>
    described("error", `recovery failed closed at ${stage}: ${message}`, {
      message: "error",
      notice: "failed_closed"
    }),
  RetriesExhausted: ({ exportPath, trigger }, { who }) =>
    described(
      "error",
      who.kind === "command"
        ? `${threeEnds}: the command is not started again`
        : `${trigger === "only-answered" ? `${likelyDone}. Nothing` : `${threeEnds}: nothing`} is launched any more. ${exportAt(exportPath)}`,
      { message: "error", notice: "exhausted" }
    )
} satisfies Partial<Describers<Event.WatchEvent, WatchNoticeKind, Reader>>
