import { Option } from "effect"
import { epochOf, iso } from "../Time.ts"

const form = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z?$/u

/**
 * Reads a time of comms as epoch milliseconds: `datetime('now')` text or ISO 8601, both UTC (spec:
 * behaviour#tables-of-comms). `None` for anything else, such as the 31st of June.
 */
export const parseTime = (raw: string | null): Option.Option<number> => {
  const match = raw === null ? null : form.exec(raw.trim())
  if (match === null) return Option.none()
  const text = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}.${(match[7] ?? "").padEnd(3, "0").slice(0, 3)}Z`
  const at = epochOf(text)
  return at === undefined || iso(at) !== text ? Option.none() : Option.some(at)
}

/** Writes epoch milliseconds as comms does: UTC, whole seconds (spec: behaviour#tables-of-comms). */
export const formatTime = (at: number): string => iso(at).slice(0, 19).replace("T", " ")

/** One heartbeat as the polls have seen it so far. */
export interface HeartbeatSeen {
  readonly raw: string | null
  /** When a poll last saw it change, epoch ms; `undefined`: not since this watcher began. */
  readonly changedAt: number | undefined
}

/** Remembers a read heartbeat. Only a change since the first reading has a time, epoch ms. */
export const see = (before: HeartbeatSeen | undefined, raw: string | null, now: number): HeartbeatSeen =>
  before === undefined ? { raw, changedAt: undefined } : before.raw === raw ? before : { raw, changedAt: now }

/**
 * Returns the milliseconds since the last sign of life: now − max(heartbeat, its last change, `notBefore`). `notBefore`
 * is the launch of this generation or the last break in souffleur's own polling. NULL, unparseable and future values
 * are unknown (`undefined`), neither dead nor fresh. A value that keeps changing is alive, even if it names an old time
 * (spec: behaviour#heartbeat-age).
 */
export const heartbeatAge = (seen: HeartbeatSeen, now: number, notBefore: number): number | undefined => {
  const written = Option.getOrUndefined(parseTime(seen.raw))
  if (written === undefined || written > now) return undefined
  return Math.max(0, now - Math.max(written, seen.changedAt ?? written, notBefore))
}

/** States in which nobody works on a task: it is not claimed yet, or it is over. */
const idle: ReadonlySet<string> = new Set(["watching", "complete", "exited"])

/** Returns whether a heartbeat is expected in this state of a task (spec: behaviour#silent-tasks). */
export const mustBeat = (state: string): boolean => !idle.has(state)

/** The most tasks of a watch that are told, since anyone can write rows. */
export const maxSilentTasks = 100
