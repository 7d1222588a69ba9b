import type { Claimable } from "../port/Claims.ts"
import type { Watch } from "./Watch.ts"

/** Returns whether the watch is in standby because a role of souffleur's own gave up, rather than a recovery. */
export const isUnwatched = ({ standby }: Watch): boolean =>
  standby?.stage === "watcher" || standby?.stage === "self-monitor"

/** A fiber that the supervisor runs: its kind, and the number of its instance. */
export type Role =
  | `bootstrap/${number}`
  | `standby/${number}`
  | `watcher/${number}`
  | `monitor/${number}`
  | `recovery/${number}`
  | `limits/${number}`

/**
 * Returns the fibers that a state asks for, in the order of their starts. Only this function names fibers (spec:
 * behaviour#ordering).
 *
 * @example
 * ```ts
 * import { Event, evolve, initial, rolesOf } from "@souffleur/domain"
 *
 * const conductor = { pid: 4711, sessionId: "s1" }
 * const opened = Event.WatchOpened.make({ at: 0, project: "/p", comms: null, ...conductor, observe: false })
 * rolesOf(evolve(initial, opened)) // ["bootstrap/1"]
 * ```
 */
export const rolesOf = (watch: Watch): ReadonlyArray<Role> => [
  ...(watch.phase === "Validating" ? [`bootstrap/1` as const] : []),
  ...(watch.watcher === undefined ? [] : [`watcher/${watch.watcher.watcher}` as const]),
  ...(watch.recovery === undefined ? [] : [`recovery/${watch.recovery.cycle}` as const]),
  // No watcher runs until an operator retries. A standby fiber beats, or a guardian would judge this souffleur to be
  // hung.
  ...(isUnwatched(watch) && watch.watcher === undefined && watch.recovery === undefined
    ? [`standby/${watch.watchersStarted}` as const]
    : []),
  ...(watch.monitor === undefined ? [] : [`monitor/${watch.monitor.monitor}` as const]),
  // A limit may fall due while no watcher runs.
  ...(watch.limits === null || watch.phase === "New" || watch.phase === "Exited" || watch.recovery?.purpose === "stop"
    ? []
    : [`limits/${watch.generation}` as const])
]

/**
 * Returns the claims of a watch: its Conductor, and the session of each generation. A successor launches only if no
 * other souffleur holds any of them. Without the claims, a souffleur of another folder could launch for the same
 * session at the same moment.
 */
export const claimsOf = ({ comms, conductor, sessions }: Watch): ReadonlyArray<Claimable> => [
  ...(conductor === undefined ? [] : [conductor]),
  // Its two rows can speak of one Conductor alone.
  ...(comms === null ? [] : [{ comms }]),
  ...sessions.map((session) => ({ session }))
]
