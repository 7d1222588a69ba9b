import type { GitUnusable, PlanInvalid, StateForeign } from "@souffleur/plan"
import {
  type AgentCommandRefused,
  type AgentNotFound,
  type AlreadyWatched,
  type BadSetting,
  type BadTarget,
  type ClaimFailed,
  type CommandRefused,
  type CommsUnavailable,
  defectOf,
  type ExportFailed,
  type LaunchFailed,
  type SessionNotFound
} from "@souffleur/domain"
import type { LogUnusable, Refused, SqliteUnusable, UnreadableEvent } from "@souffleur/eventlog"
import type { FileRefused, HookSettingsUnusable, StopFailed } from "@souffleur/process"
import type { EstimateFailed, TrimFailed } from "@souffleur/recovery"
import type { Fenced } from "@souffleur/supervisor"
import { type Cause, type PlatformError, Runtime, Schema } from "effect"
import type { ServiceFailed } from "./service/ServiceFailed.ts"

/** Bad usage or bad input, said by the command line itself (exit code 2). */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { why: Schema.String }) {}

/** EX_SOFTWARE of sysexits.h: what is wrong is souffleur itself. Whoever guards it, or the service manager, starts it again. */
export const defectCode = 70

/** A defect in one sentence, without a word of others. */
export const defective = (cause: Cause.Cause<unknown>): string =>
  `it has a defect of its own and cannot go on (${defectOf(cause)}). What was acknowledged is in its log; SOUFFLEUR_DEBUG=1 tells more`

/** How a command ends when it does not end well: already told to the user, and its exit code (spec: command-line#exit-codes). */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

export type Failure =
  | AgentCommandRefused
  | AgentNotFound
  | AlreadyWatched
  | BadSetting
  | BadTarget
  | BadUsage
  | ClaimFailed
  | CommandRefused
  | CommsUnavailable
  | EstimateFailed
  | ExportFailed
  | FileRefused
  | Fenced
  | GitUnusable
  | HookSettingsUnusable
  | LaunchFailed
  | LogUnusable
  | PlanInvalid
  | PlatformError.PlatformError
  | Refused
  | ServiceFailed
  | SessionNotFound
  | SqliteUnusable
  | StateForeign
  | StopFailed
  | TrimFailed
  | UnreadableEvent

/** What is wrong with a file; most who say so name it themselves. */
export const ofFile = (path: string, detail: string): string => (detail.includes(path) ? detail : `${path}: ${detail}`)

/** What can be done about a log that no copy replaces. */
const remedy = (reason: (LogUnusable | SqliteUnusable)["reason"]) =>
  reason === "shortened" || reason === "replaced"
    ? ". Nothing was decided on it: started again, souffleur goes on from what is there now"
    : reason === "damaged" || reason === "foreign"
      ? '. "souffleur doctor --quarantine" moves it aside and says how to go on'
      : ""

/** One sentence for a person, `more` of the same on lines of their own, and the exit code (spec: command-line#exit-codes). */
export const told = (failure: Failure): { readonly code: number; readonly text: string; readonly more?: ReadonlyArray<string> } => {
  switch (failure._tag) {
    case "AgentCommandRefused":
      return { code: 2, text: `SOUFFLEUR_AGENT_COMMAND: ${failure.why}` }
    case "AgentNotFound":
      return { code: 2, text: `agent command ${failure.program}: ${failure.why}` }
    case "AlreadyWatched":
      return { code: 3, text: `already watched: ${failure.why}` }
    case "Fenced":
      return { code: 3, text: "another souffleur has taken this watch over" }
    case "BadSetting":
      return { code: 2, text: `${failure.name}: ${failure.why}` }
    case "BadTarget":
    case "BadUsage":
    case "ClaimFailed":
    case "CommandRefused":
    case "SessionNotFound":
      return { code: 2, text: failure.why }
    case "CommsUnavailable":
      return { code: 2, text: ofFile(failure.path, failure.detail) }
    case "EstimateFailed":
    case "TrimFailed":
      return { code: 2, text: failure.why }
    case "HookSettingsUnusable":
      return { code: 2, text: `${failure.path} ${failure.why}` }
    case "FileRefused":
      return { code: 2, text: failure.message }
    case "LaunchFailed":
      return { code: 2, text: `launches: ${failure.why}` }
    case "ExportFailed":
    case "ServiceFailed":
      return { code: 1, text: failure.why }
    case "LogUnusable":
      return { code: 4, text: `the event log cannot be used: ${failure.detail}${remedy(failure.reason)}` }
    case "SqliteUnusable":
      return { code: 4, text: `the event log cannot be used: ${ofFile(failure.path, failure.detail)}${remedy(failure.reason)}` }
    case "UnreadableEvent":
      return {
        code: 4,
        text: `the event log cannot be used: event ${failure.revision} of ${failure.stream}${failure.version === 0 ? "" : ` (${failure.tag}, version ${failure.version})`}: ${failure.why}`
      }
    case "PlanInvalid": {
      const [first = "it cannot be used", ...more] = failure.problems
      return { code: 2, text: `${failure.path}: ${first}`, more }
    }
    case "GitUnusable":
      return { code: 2, text: `${failure.project}: ${failure.why}` }
    case "StateForeign":
      return { code: 2, text: `${failure.path}: ${failure.why}` }
    case "StopFailed":
      return { code: 1, text: failure.why }
    case "PlatformError":
      return { code: 1, text: failure.message }
    case "Refused":
      return { code: failure.why === "fenced" || failure.why === "owned" ? 3 : 2, text: failure.detail }
  }
}
