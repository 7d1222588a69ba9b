import {
  clampInWords,
  compactAttempts,
  doubtsOf,
  type Event,
  evolve,
  failedHandover,
  isSessionKnown,
  nameOf,
  type RecoveryCycle,
  sessionInWords,
  stepNames,
  thresholdInWords,
  type Watch,
  Words
} from "@souffleur/domain"
import { gateOf } from "@souffleur/recovery"
import { Option, Predicate } from "effect"
import type { Explanation } from "./Explanation.ts"
import { becauseOf } from "./SignReason.ts"

type OfRecovery =
  | typeof Event.RecoveryFailedClosed.Type
  | typeof Event.RecoveryEscalated.Type
  | typeof Event.RetriesExhausted.Type
  | typeof Event.ConductorRelaunched.Type
  | typeof Event.WindowRefused.Type

/** Says what a person types after the last end. The command line itself is not in the log. */
const startAgain = ({ kind, sessionId }: Watch): string =>
  kind === "agent" && isSessionKnown(sessionId)
    ? `type the agent's own command that resumes session ${sessionId} after "souffleur run --"`
    : `type its command again after "souffleur run --"`

const outcomeOf = (watch: Watch, step: string): unknown => {
  const state = watch.recovery?.steps[step]
  return state?._tag === "Succeeded" ? state.outcome : undefined
}

/** Compares the estimate with the threshold, where this cycle has an estimate. */
const gate = (watch: Watch): ReadonlyArray<string> => {
  const found = Option.getOrUndefined(
    gateOf({ step: stepNames.estimate, outcome: outcomeOf(watch, stepNames.estimate) })
  )
  return found === undefined
    ? []
    : [
        `the export was estimated at ${found.estimated_tokens} tokens (${found.start_mode}); the threshold is ${thresholdInWords(found)}`,
        ...(typeof found.measured_tokens === "number"
          ? [`the service had counted ${found.measured_tokens} tokens of context in use`]
          : [])
      ]
}

/** Says why the session could be resumed in place, where this cycle looked at it. */
const session = (watch: Watch): ReadonlyArray<string> => {
  const found = sessionInWords({ step: stepNames.session, outcome: outcomeOf(watch, stepNames.session) })
  return found === undefined ? [] : [found]
}

/** Reports a compaction without a summary. */
const unsummarized = (watch: Watch): ReadonlyArray<string> =>
  compactAttempts.some((step) => {
    const outcome = outcomeOf(watch, step)
    return Predicate.hasProperty(outcome, "summarized") && outcome.summarized === false
  })
    ? ["no summary followed the boundary of the compaction: the session may have lost what was said"]
    : []

/** Returns the message of a failure where it has one, and its JSON otherwise. */
const inPlainWords = (failure: unknown): string =>
  Predicate.hasProperty(failure, "message") && Predicate.isString(failure.message)
    ? failure.message
    : JSON.stringify(failure)

const failures = (watch: Watch): ReadonlyArray<string> =>
  Object.entries(watch.recovery?.steps ?? {}).flatMap(([name, state]) =>
    state._tag === "Failed" ? [`step "${name}" failed: ${inPlainWords(state.failure)}`] : []
  )

/** Returns what closed a cycle, most often its last failure. */
const closing = (before: Watch, reason: string): ReadonlyArray<string> => {
  const failed = failures(before)
  return [...gate(before), ...failed, ...(failed.some((line) => line.endsWith(`: ${reason}`)) ? [] : [reason])]
}

/** Returns the cause of a recovery. A person may take back a hand-over for which the agent was stopped. */
const causeOf = (trigger: RecoveryCycle["trigger"], { handedFrom }: Watch): string =>
  handedFrom !== undefined
    ? becauseOf.handover
    : trigger === "handover"
      ? "a person took a failed hand-over back"
      : becauseOf[trigger]

/** Explains the outcome of a recovery: what its steps saw, and the rule. */
export const reasonOfRecovery = (event: OfRecovery, before: Watch): Explanation => {
  switch (event._tag) {
    case "RecoveryFailedClosed": {
      const failed = failedHandover(evolve(before, event))
      return {
        seen: closing(before, event.message),
        rule: "souffleur fails closed where it cannot be certain: it launches nothing in this cycle, and stands by.",
        ...(failed === undefined
          ? {}
          : {
              act: `${failed.unfit ? "nothing was stopped" : "the conversation is kept"}: "${failed.back}" has ${before.handedFrom} go on, and "${failed.again}" tries again`
            })
      }
    }
    case "RecoveryEscalated":
      return {
        seen: [
          ...gate(before),
          ...failures(before),
          `${event.from} stopped at ${event.stage}: ${event.message}`,
          ...(event.alreadyKilled ? [`${nameOf(before)} is stopped already`] : [])
        ],
        rule: `Where ${event.from} cannot recover, ${event.to} tries in the same cycle${event.alreadyKilled ? "; it skips the stop, and only that" : ""}.`
      }
    case "WindowRefused":
      return {
        seen: [event.message],
        rule: "A launch whose window is not opened is cancelled for ever; the next terminal that is there, or none, has a launch of its own."
      }
    case "RetriesExhausted":
      return {
        seen: [`${before.retries} ends in a row without progress`],
        rule: `After ${Words.threeEnds} nothing is launched.`,
        act: `nothing more: ${startAgain(before)}`
      }
    case "ConductorRelaunched": {
      const { launch, trigger } = before.recovery ?? {}
      const clamped = launch === undefined ? undefined : clampInWords(launch)
      return {
        seen: [
          ...(trigger === undefined ? [] : [`the recovery began because ${causeOf(trigger, before)}`]),
          ...(doubtsOf({ step: stepNames.request, outcome: outcomeOf(before, stepNames.request) })?.warnings ?? []),
          ...(event.provider === stepNames.beginAgain
            ? ["it ended before any sign of its work: no record, no hook, no beat, no commit"]
            : []),
          ...session(before),
          ...gate(before),
          ...failures(before),
          ...unsummarized(before),
          ...(before.recovery?.refused ?? []).map((terminal) => `${terminal} opened no window for it`),
          ...(clamped === undefined ? [] : [clamped])
        ],
        rule: `${event.provider} is the first provider that could launch.`
      }
    }
  }
}
