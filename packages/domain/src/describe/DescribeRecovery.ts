import type { WatchEvent } from "../event/WatchEvent.ts"
import { clampInWords } from "../settings/Permission.ts"
import { described, type Describers, type WatchNoticeKind } from "./Description.ts"
import { exportAt, inSession } from "./DescribeWatch.ts"
import { doubtsOf, gateInWords, sessionInWords } from "./StepOutcome.ts"
import { capital, threeEnds } from "./Words.ts"
import { isSessionKnown } from "../watch/Target.ts"

/** Tells of the work where the agent has only answered. A person reads the answer and decides. */
const likelyDone =
  "Three ends without progress, and the agent only answered at last. The work is likely done, so read its last words"

/** Describes a recovery, its steps and its launch. */
export const describeRecovery = {
  RecoveryStarted: ({ purpose }) =>
    described("info", purpose === "export" ? "souffleur gives up, and saves what can be saved" : "A recovery starts"),
  RecoveryWithheld: ({ message }) => described("info", `The recovery is withheld: ${message}`),
  RecoveryEscalated: ({ alreadyKilled, from, message, stage, to }) =>
    described(
      "info",
      `${from} hands on to ${to} at ${stage}: ${message}${alreadyKilled ? ". The Conductor is stopped already" : ""}`,
      {
        message: "warning"
      }
    ),
  RecoveryRetried: () => described("info", "An operator ends the standby"),
  AgentChosen: ({ agent, from }) =>
    described(
      "info",
      agent === from
        ? `A person has ${agent} go on with its own conversation`
        : `A person hands the conversation over from ${from} to ${agent}`,
      { message: "system" }
    ),
  StepStarted: ({ attempt, step }) =>
    described("detail", `Step "${step}" starts${attempt === 1 ? "" : ` (attempt ${attempt})`}`),
  StepSucceeded: (event) => {
    const gate = gateInWords(event)
    if (gate !== undefined) return described("detail", gate, { message: "system" })
    const session = sessionInWords(event)
    if (session !== undefined) return described("detail", session)
    const doubts = doubtsOf(event)
    if (doubts === undefined) return described("detail", `Step "${event.step}" is done`)
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
  StepFailed: ({ step }) => described("warning", `Step "${step}" failed`),
  LaunchPrepared: (event) => {
    const clamped = clampInWords(event)
    const text = `Launch ${event.launchId} is prepared${event.pty ? ", with a terminal of its own" : ""}`
    if (clamped !== undefined)
      return described("warning", `${text}: ${clamped}`, { message: "warning", notice: "warning" })
    return described("detail", isSessionKnown(event.sessionId) ? `${text} with permission ${event.effective}` : text)
  },
  ConductorRelaunched: ({ conductor, generation, provider, sessionId }) =>
    described(
      "success",
      `souffleur launched a successor (S${generation}, pid ${conductor.pid}${inSession(sessionId)}) by ${provider}`,
      {
        message: "system",
        notice: "recovered"
      }
    ),
  RecoveryFailedClosed: ({ message, stage }) =>
    described("error", `Recovery failed closed at ${stage}: ${message}`, {
      message: "error",
      notice: "failed_closed"
    }),
  RetriesExhausted: ({ exportPath, trigger }) =>
    described(
      "error",
      `${trigger === "only-answered" ? likelyDone : capital(threeEnds)}: nothing is launched any more. ${exportAt(exportPath)}`,
      { message: "error", notice: "exhausted" }
    )
} satisfies Partial<Describers<WatchEvent, WatchNoticeKind>>
