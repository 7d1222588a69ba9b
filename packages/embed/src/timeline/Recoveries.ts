import type { Event, WatchEvent } from "@souffleur/domain"
import type { Stretch } from "./Stretch.ts"
import type { WatchChange } from "./WatchChange.ts"

/** One attempt of a step. `lost`: souffleur was gone before its outcome was known. */
export interface StepStretch extends Stretch {
  readonly step: string
  readonly attempt: number
  readonly outcome: "done" | "failed" | "lost" | null
}

/**
 * The end of a recovery. `taken`: the hand-off was taken. `launched`: a command runs again. `untaken`: the successor
 * ended before it took the hand-off. `overruled`: a person named a process, or ended the watch.
 */
export type RecoveryOutcome =
  | "taken"
  | "launched"
  | "untaken"
  | "failed closed"
  | "withheld"
  | "exhausted"
  | "overruled"

/** One cycle, from what it follows from to its end. */
export interface Recovery extends Stretch {
  readonly cycle: number
  /** The revision of the event that began it. */
  readonly revision: number
  readonly trigger: typeof Event.RecoveryStarted.Type.trigger
  readonly outcome: RecoveryOutcome | null
  /** The provider that launched the successor; `null`: none did yet. */
  readonly provider: string | null
  /** When the successor was launched. */
  readonly launchedAt: number | null
  /** When each later souffleur took the watch, while the recovery ran. */
  readonly takenOver: ReadonlyArray<number>
  readonly steps: ReadonlyArray<StepStretch>
  /** Context in use after the successor's first answer, in tokens. */
  readonly contextTokens: number | null
}

/** The events that a recovery follows from. Its time begins there. */
const causes: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "EndedEarly",
  "ContextExhausted",
  "ContextRecoveryRequested",
  "HandoffRequested",
  "TurnEnded"
])

/** Closes the attempt of a step that is open. */
const closed = (recovery: Recovery, step: string, to: number, outcome: StepStretch["outcome"]): Recovery => ({
  ...recovery,
  steps: recovery.steps.map((one) => (one.step === step && one.to === null ? { ...one, to, outcome } : one))
})

const ended = (recovery: Recovery, to: number, outcome: RecoveryOutcome): Recovery => ({ ...recovery, to, outcome })

/** Returns a running recovery after an event. */
const after = (recovery: Recovery, { after: watch, event }: WatchChange): Recovery => {
  switch (event._tag) {
    case "StepStarted": {
      const { at, attempt, step } = event
      const before = closed(recovery, step, at, "lost")
      return { ...before, steps: [...before.steps, { step, attempt, from: at, to: null, outcome: null }] }
    }
    case "StepSucceeded":
      return closed(recovery, event.step, event.at, "done")
    case "StepFailed":
      return closed(recovery, event.step, event.at, "failed")
    case "OwnerTook":
      return { ...recovery, takenOver: [...recovery.takenOver, event.at] }
    case "ConductorRelaunched": {
      const launched = { ...recovery, provider: event.provider, launchedAt: event.at }
      return watch.kind === "command" ? ended(launched, event.at, "launched") : launched
    }
    case "HandoffTaken":
      return ended({ ...recovery, contextTokens: event.contextTokens }, event.at, "taken")
    case "RecoveryFailedClosed":
      return ended(recovery, event.at, "failed closed")
    case "RecoveryWithheld":
      return ended(recovery, event.at, "withheld")
    case "RetriesExhausted":
      return ended(recovery, event.at, "exhausted")
    case "ConductorAdopted":
      return ended(recovery, event.at, "overruled")
    default:
      if (watch.phase === "Exited") return ended(recovery, event.at, "overruled")
      return recovery.launchedAt !== null && causes.has(event._tag) ? ended(recovery, event.at, "untaken") : recovery
  }
}

/** Returns the recoveries of a watch, in the order of their cycles. */
export const recoveriesOf = (changes: ReadonlyArray<WatchChange>): ReadonlyArray<Recovery> => {
  const found: Array<Recovery> = []
  let cause: number | null = null
  for (const change of changes) {
    const { event, revision } = change
    const running = found.at(-1)
    const begins = event._tag === "RecoveryStarted" || event._tag === "RecoveryWithheld"
    if (running?.to === null)
      found[found.length - 1] =
        event._tag === "RecoveryStarted" ? ended(running, event.at, "untaken") : after(running, change)
    if (begins && event.cycle !== running?.cycle) {
      const { at, cycle, trigger } = event
      found.push({
        cycle,
        revision,
        trigger,
        from: cause ?? at,
        to: event._tag === "RecoveryWithheld" ? at : null,
        outcome: event._tag === "RecoveryWithheld" ? "withheld" : null,
        provider: null,
        launchedAt: null,
        takenOver: [],
        steps: [],
        contextTokens: null
      })
    }
    if (causes.has(event._tag)) cause = event.at
    else if (begins) cause = null
  }
  return found
}
