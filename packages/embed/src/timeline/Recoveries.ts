import type { Event } from "@souffleur/domain"
import { beginsRecovery, endsAt, isCause, outcomeAfter, type RecoveryOutcome } from "./RecoveryRules.ts"
import type { Stretch } from "./Stretch.ts"
import type { WatchChange } from "./WatchChange.ts"

/** One attempt of a step. `lost`: souffleur was gone before its outcome was known. */
export interface StepStretch extends Stretch {
  readonly step: string
  readonly attempt: number
  readonly outcome: "done" | "failed" | "lost" | null
}

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

/** Closes the attempt of a step that is open. */
const closed = (recovery: Recovery, step: string, to: number, outcome: StepStretch["outcome"]): Recovery => ({
  ...recovery,
  steps: recovery.steps.map((one) => (one.step === step && one.to === null ? { ...one, to, outcome } : one))
})

/** Keeps what an event tells of a running recovery. */
const noted = (recovery: Recovery, { event }: WatchChange): Recovery => {
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
    case "ConductorRelaunched":
      return { ...recovery, provider: event.provider, launchedAt: event.at }
    case "HandoffTaken":
      return { ...recovery, contextTokens: event.contextTokens }
    default:
      return recovery
  }
}

/** Returns a running recovery after an event. */
const after = (recovery: Recovery, change: WatchChange): Recovery => {
  const { after: watch, event } = change
  const outcome = outcomeAfter(event, {
    kind: watch.kind,
    launched: recovery.launchedAt !== null,
    over: watch.phase === "Exited"
  })
  return { ...noted(recovery, change), ...(outcome === null ? {} : { to: endsAt(recovery.from, event), outcome }) }
}

/** Returns the recoveries of a watch, in the order of their cycles. */
export const recoveriesOf = (changes: ReadonlyArray<WatchChange>): ReadonlyArray<Recovery> => {
  const found: Array<Recovery> = []
  let cause: number | null = null
  for (const change of changes) {
    const { event, revision } = change
    const running = found.at(-1)
    const begins = beginsRecovery(event)
    if (running?.to === null) found[found.length - 1] = after(running, change)
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
    if (isCause(event)) cause = event.at
    else if (begins) cause = null
  }
  return found
}
