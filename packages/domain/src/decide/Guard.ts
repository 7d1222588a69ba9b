import { Duration } from "effect"
import { type Condition, isOver } from "../port/Process.ts"
import type { ResolvedSettings } from "../settings/Settings.ts"

/** What a guardian sees of the souffleur that it guards, in one look. Times are epoch milliseconds. */
export interface GuardSight {
  readonly now: number
  /**
   * This look came late, or a clock was set: what seems silent may only not have been heard (spec:
   * behaviour#heartbeat-age).
   */
  readonly late: boolean
  /** Who owns the watch by the log; `left`: it went by itself, or the watch has ended. */
  readonly owner: { readonly fence: number; readonly condition: Condition } | "left"
  /** The newest beat for the watch, whoever beat. */
  readonly beatAt: number | null
  /** What became of the souffleur that this guardian has started, as long as it does not own the watch. */
  readonly started: "running" | "ended" | undefined
}

/** What a guardian remembers between two looks. */
export interface Guard {
  readonly fence: number
  /** From when silence counts. */
  readonly since: number
  /** When it has started a souffleur that does not own the watch yet. */
  readonly startedAt: number | undefined
  /** Starts in a row of which none came to own the watch. */
  readonly failed: number
  readonly notBefore: number
}

export type GuardAct =
  | { readonly _tag: "Wait" }
  /** There is nothing to guard any more. */
  | { readonly _tag: "Leave" }
  /** Whoever was started ended without the watch, three times: the log cannot be used, or something as bad. */
  | { readonly _tag: "GiveUp" }
  /** Started, and never came to own the watch. */
  | { readonly _tag: "EndStarted" }
  /** Start another souffleur over the owner of this fence. */
  | { readonly _tag: "Restore"; readonly cause: "died" | "silent"; readonly over: number }

/**
 * How long nobody may beat, ms: a beat grows old, and then its self-monitor has had its turn (spec:
 * behaviour#guardian).
 */
export const silentAfter = ({
  monitorInterval,
  monitorStaleAfter
}: Pick<ResolvedSettings, "monitorInterval" | "monitorStaleAfter">) =>
  Duration.toMillis(monitorStaleAfter) + Duration.toMillis(monitorInterval)

/**
 * Milliseconds that a look of a guardian may take its time: one that comes later than twice that is late. A look that
 * is held up for a moment must not put off what is long due, on a machine that is always busy.
 */
export const dueWithin = (every: number, silentAfter: number): number => Math.max(every, silentAfter / 6)

/** Milliseconds until whoever was started owns the watch, or is ended. */
const startWithin = 60_000
/** Starts that come to nothing, before a guardian gives up. */
const starts = 3
/** Milliseconds before the next start after one that came to nothing: twice as long each time. */
const pause = 5000

const wait: GuardAct = { _tag: "Wait" }

export const guardFrom = (fence: number, now: number): Guard => ({
  fence,
  since: now,
  startedAt: undefined,
  failed: 0,
  notBefore: 0
})

/**
 * Whether the souffleur that is guarded is to be brought back (spec: behaviour#guardian): when its process is gone, or
 * nobody has beaten for longer than `silentAfter` (ms), which its own self-monitor would have ended. Pure; one look
 * decides one act.
 */
export const guard = (before: Guard, sight: GuardSight, silentAfter: number): readonly [Guard, GuardAct] => {
  const { beatAt, late, now, owner, started } = sight
  if (owner === "left") return [before, { _tag: "Leave" }]
  if (owner.fence !== before.fence) return [guardFrom(owner.fence, now), wait]
  const known = late ? { ...before, since: now } : before
  if (known.startedAt !== undefined) {
    if (started === "running")
      return [known, !late && now - known.startedAt > startWithin ? { _tag: "EndStarted" } : wait]
    const failed = known.failed + 1
    const after = { ...known, startedAt: undefined, failed, notBefore: now + pause * 2 ** (failed - 1) }
    return [after, failed >= starts ? { _tag: "GiveUp" } : wait]
  }
  if (late || now < known.notBefore) return [known, wait]
  const dead = isOver(owner.condition)
  // A beat of a time to come is of a clock that was set back since, or of nobody: it says nothing.
  const heard = beatAt !== null && beatAt <= now + silentAfter ? beatAt : 0
  const silent = now - Math.max(heard, known.since) > silentAfter
  if (!dead && !silent) return [known, wait]
  return [
    { ...known, startedAt: now },
    { _tag: "Restore", cause: dead ? "died" : "silent", over: owner.fence }
  ]
}

/** Under this name a guardian beats for a watch: beside the beats of who guards the Conductor. */
export const guardianOf = (watch: string): string => `${watch}/guardian`
