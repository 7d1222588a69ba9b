import { Duration } from "effect"
import { type Condition, isOver } from "../port/Condition.ts"
import type { ResolvedSettings } from "../settings/Settings.ts"

/** `shut out`: it ended because the event log could not be used. */
export type StartState = "running" | "ended" | "shut out"

/** One observation of the guarded souffleur by its guardian. Times are epoch milliseconds. */
export interface GuardSight {
  readonly now: number
  /**
   * This look came late, or a clock was set. Silence may then be a beat that was not read (spec:
   * behaviour#heartbeat-age).
   */
  readonly late: boolean
  /** The owner of the watch by the log. `left`: the owner left by itself, or the watch has ended. */
  readonly owner: { readonly fence: number; readonly condition: Condition } | "left"
  /** The newest beat for the watch, of any role. */
  readonly beatAt: number | null
  /** The state of the souffleur that this guardian has started, until it owns the watch. */
  readonly started: StartState | undefined
}

/** The memory of a guardian between two looks. */
export interface Guard {
  readonly fence: number
  /** The time from which silence counts. */
  readonly since: number
  /** The time of the start of a souffleur that does not own the watch yet. */
  readonly startedAt: number | undefined
  /** Starts in a row that did not come to own the watch. */
  readonly failed: number
  readonly notBefore: number
}

/** The next act of a guardian. */
export type GuardAct =
  | { readonly _tag: "Wait" }
  /** Nothing is left to guard. */
  | { readonly _tag: "Leave" }
  /** Three started souffleurs ended without the watch. */
  | { readonly _tag: "GiveUp" }
  /** The started souffleur took too long to own the watch. */
  | { readonly _tag: "EndStarted" }
  /** Start another souffleur in place of the owner of the fence `over`. */
  | { readonly _tag: "Restore"; readonly reason: "died" | "silent"; readonly over: number }

/**
 * Returns the longest accepted silence, ms: a beat grows old, and then the self-monitor has its turn (spec:
 * behaviour#guardian).
 */
export const silentAfter = ({
  monitorInterval,
  monitorStaleAfter
}: Pick<ResolvedSettings, "monitorInterval" | "monitorStaleAfter">) =>
  Duration.toMillis(monitorStaleAfter) + Duration.toMillis(monitorInterval)

/**
 * Returns the ms within which a guardian's look is due. A look later than twice that is late. On a busy machine a short
 * delay must not put off a restoration that is due.
 */
export const dueWithin = (pollMillis: number, silentAfter: number): number => Math.max(pollMillis, silentAfter / 6)

/** Milliseconds in which a started souffleur must own the watch, or is ended. */
export const startTimeout = 60_000
/** Failed starts before a guardian gives up. */
const maxFailedStarts = 3
/** Milliseconds before the next start after a failed start. They double each time. */
const pauseMillis = 5000
/** Milliseconds before the next look at a log that could not be used. A person may make room at any time. */
const shutOutMillis = 30_000

const wait: GuardAct = { _tag: "Wait" }

/** Returns the guard of a watch whose owner has this fence. */
export const guardFrom = (fence: number, now: number): Guard => ({
  fence,
  since: now,
  startedAt: undefined,
  failed: 0,
  notBefore: 0
})

/**
 * Returns the time of a beat, and 0 for one from the future. That is of a clock that was set back, or false, and says
 * nothing.
 */
export const heardAt = (beatAt: number, now: number, silentAfter: number): number =>
  beatAt <= now + silentAfter ? beatAt : 0

/** Begins the times of a guard again: a look came late, or a clock was set. A clock that was set back ends no wait. */
const begunAgain = (before: Guard, now: number): Guard => ({
  ...before,
  since: now,
  startedAt: before.startedAt === undefined ? undefined : now,
  notBefore: Math.min(before.notBefore, now + shutOutMillis)
})

/**
 * Decides whether to bring the guarded souffleur back (spec: behaviour#guardian). It must be gone, or have been silent
 * for longer than `silentAfter` (ms), which its own self-monitor would have ended. Pure: one look decides one act.
 */
export const guard = (before: Guard, sight: GuardSight, silentAfter: number): readonly [Guard, GuardAct] => {
  const { beatAt, late, now, owner, started } = sight
  if (owner === "left") return [before, { _tag: "Leave" }]
  if (owner.fence !== before.fence) return [guardFrom(owner.fence, now), wait]
  const known = late ? begunAgain(before, now) : before
  if (known.startedAt !== undefined) {
    if (started === "running")
      return [known, !late && now - known.startedAt > startTimeout ? { _tag: "EndStarted" } : wait]
    if (started === "shut out") return [{ ...known, startedAt: undefined, notBefore: now + shutOutMillis }, wait]
    const failed = known.failed + 1
    const after = { ...known, startedAt: undefined, failed, notBefore: now + pauseMillis * 2 ** (failed - 1) }
    return [after, failed >= maxFailedStarts ? { _tag: "GiveUp" } : wait]
  }
  if (late || now < known.notBefore) return [known, wait]
  const dead = isOver(owner.condition)
  const heard = beatAt === null ? 0 : heardAt(beatAt, now, silentAfter)
  const silent = now - Math.max(heard, known.since) > silentAfter
  if (!dead && !silent) return [known, wait]
  return [
    { ...known, startedAt: now },
    { _tag: "Restore", reason: dead ? "died" : "silent", over: owner.fence }
  ]
}

/** Returns the name under which a guardian beats for a watch, apart from the roles of its souffleur. */
export const guardianOf = (watch: string): string => `${watch}/guardian`
