import type { Claimable, Owner } from "../port/Claims.ts"
import type { Baseline } from "../port/Comms.ts"
import { leastPin } from "../settings/Pin.ts"
import type { Pinned } from "../decide/PinDecider.ts"
import type { ProcessIdentity } from "../port/Process.ts"
import type { OwnRole } from "../event/GuardEvent.ts"
import type { CeilingReached, WaitKind, WordRefused } from "../event/SignEvent.ts"
import type { Check, Kind, LaunchPrepared, Mode, Purpose, RecoveryStarted, StepKind } from "../event/WatchEvent.ts"

export type Phase = "New" | "Validating" | "Settling" | "Watching" | "Exited"

/** The result of a recovery step so far. Its intent is always first. `prepared`: a launch file was written in it. */
export type StepState = { readonly kind: StepKind; readonly prepared: boolean } & (
  | { readonly _tag: "Started"; readonly attempt: number; readonly token: string }
  | { readonly _tag: "Succeeded"; readonly outcome: unknown }
  | { readonly _tag: "Failed"; readonly failure: unknown }
)

export interface RecoveryCycle {
  readonly cycle: number
  readonly purpose: typeof Purpose.Type
  readonly trigger: (typeof RecoveryStarted.Type)["trigger"]
  readonly since: number
  /** Another souffleur took the watch over since, and the Conductor was not looked at meanwhile. */
  readonly resumed: boolean
  /** The providers that have escalated. */
  readonly escalated: ReadonlyArray<string>
  readonly steps: Readonly<Record<string, StepState>>
  /** The newest launch of this cycle whose file was written. */
  readonly launch: typeof LaunchPrepared.Type | undefined
}

/**
 * The state of one supervision of one Conductor across its generations. It is never stored, only folded from its events
 * (spec: behaviour#phases). Times are epoch ms.
 */
export interface Watch extends Pinned {
  readonly revision: number
  readonly phase: Phase
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  readonly observe: boolean
  readonly kind: Kind
  /** A person named the Conductor against the evidence. */
  readonly forced: boolean
  /** The pid as requested, or as corrected by a reply. */
  readonly pid: number
  readonly failures: ReadonlyArray<{
    readonly check: typeof Check.Type
    readonly message: string
    readonly lastMessageId: number
    readonly at: number
  }>
  /** The message id of a reply that corrected the arguments. Only a later reply is another correction. */
  readonly correctedBy: number
  /**
   * The newest first launch of a run: the literal command, as its file keeps it. `undefined`: the Conductor ran
   * already.
   */
  readonly firstLaunch: typeof LaunchPrepared.Type | undefined
  readonly conductor: ProcessIdentity | undefined
  /**
   * The last process that souffleur launched for this watch. The Conductor may turn out to be another process. Then
   * both must be gone before the next launch.
   */
  readonly launched: ProcessIdentity | undefined
  readonly sessionId: string
  /** Every session id of any generation. The watch is found by each of them. */
  readonly sessions: ReadonlyArray<string>
  readonly awaiting: boolean
  readonly mode: typeof Mode.Type
  readonly generation: number
  readonly launchedAt: number
  readonly provider: string | undefined
  readonly launchId: string | undefined
  /** The Conductor ends by itself after its turn. */
  readonly print: boolean
  readonly baseline: Baseline
  /**
   * The tasks at the end of this generation. The next generation is measured against them where comms is out at its
   * launch.
   */
  readonly lastTasks: Pick<Baseline, "taskCount" | "taskFingerprint"> | undefined
  /** Deaths in a row without progress. */
  readonly retries: number
  readonly watcher: { readonly watcher: number; readonly since: number } | undefined
  readonly watchersStarted: number
  readonly monitor: { readonly monitor: number; readonly watcher: number; readonly since: number } | undefined
  readonly monitorsStarted: number
  /** When polling last broke off for longer than a poll (lost watcher, new owner); 0: never in this generation. */
  readonly brokenOffAt: number
  readonly recovery: RecoveryCycle | undefined
  /** The heartbeat for which the Conductor was given up; `retried`: an operator has retried since. */
  readonly silent: { readonly heartbeat: string | null; readonly retried: boolean } | undefined
  /** The agent's own request in this generation: the id of a file in the state folder, and its digest. */
  readonly handoff: { readonly request: string; readonly digest: string } | undefined
  readonly cycles: number
  /** The Conductor is silent beyond its limit, and left alone until then. */
  readonly deferred: { readonly message: string; readonly until: number } | undefined
  /** The Conductor waits for a person. */
  readonly person: { readonly for: string; readonly since: number } | undefined
  /** The kinds of refused words in this generation. Each kind is told once. */
  readonly refused: ReadonlyArray<(typeof WordRefused.Type)["what"]>
  /** A process or session of the Conductor could not be claimed, and is not claimed yet. */
  readonly unclaimed: boolean
  /** Nothing is launched before `until`. */
  readonly wait:
    | {
        readonly kind: WaitKind
        readonly since: number
        readonly until: number
        readonly trigger: RecoveryCycle["trigger"]
      }
    | undefined
  /** Waits in a row, since a hand-off was last taken. */
  readonly waits: number
  /** The ceiling of use that is reached. */
  readonly ceiling: Pick<typeof CeilingReached.Type, "ceiling" | "used" | "limit"> | undefined
  /** When the count of use began: the start of the watch, or an operator's last renewal. */
  readonly allowedSince: number
  /** When the successor of the running launch took its hand-off; `undefined`: not yet, or there was no launch. */
  readonly taken:
    | { readonly at: number; readonly contextTokens: number | null; readonly contextWindow: number | null }
    | undefined
  readonly standby:
    | {
        readonly cycle: number
        readonly trigger: RecoveryCycle["trigger"]
        readonly stage: string
        readonly message: string
        readonly since: number
      }
    | undefined
  readonly lastExport: string | null
  readonly owner: Owner | undefined
  /** Restorations by a guardian since the watch last made progress. */
  readonly restored: { readonly restorations: number; readonly at: number } | undefined
  /** Deaths in a row of each of souffleur's own roles by a defect. */
  readonly failing: Readonly<{ readonly [Role in OwnRole]?: number }>
  /** The last process of its own making that souffleur was about to end. */
  readonly ending: ProcessIdentity | undefined
  readonly fence: number
  /** The process that had the named pid at the time of naming; `null`: none had it. */
  readonly named: ProcessIdentity | null
  readonly openedAt: number
  readonly lastEventAt: number
  readonly end: "completed" | "released" | "retries exhausted" | "validation exhausted" | undefined
}

export const initial: Watch = {
  revision: 0,
  phase: "New",
  project: "",
  comms: null,
  observe: false,
  kind: "agent",
  pin: leastPin,
  overreach: undefined,
  forced: false,
  pid: 0,
  failures: [],
  correctedBy: 0,
  firstLaunch: undefined,
  conductor: undefined,
  launched: undefined,
  sessionId: "",
  sessions: [],
  awaiting: false,
  mode: "normal",
  generation: 0,
  launchedAt: 0,
  provider: undefined,
  launchId: undefined,
  print: false,
  baseline: { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 },
  lastTasks: undefined,
  retries: 0,
  watcher: undefined,
  watchersStarted: 0,
  monitor: undefined,
  monitorsStarted: 0,
  brokenOffAt: 0,
  recovery: undefined,
  silent: undefined,
  handoff: undefined,
  cycles: 0,
  deferred: undefined,
  person: undefined,
  refused: [],
  unclaimed: false,
  wait: undefined,
  waits: 0,
  ceiling: undefined,
  allowedSince: 0,
  taken: undefined,
  standby: undefined,
  lastExport: null,
  owner: undefined,
  restored: undefined,
  failing: {},
  ending: undefined,
  fence: 0,
  named: null,
  openedAt: 0,
  lastEventAt: 0,
  end: undefined
}

/** Whether the watch is in standby because a role of souffleur's own gave up, not a recovery. */
export const isUnwatched = ({ standby }: Watch): boolean =>
  standby?.stage === "watcher" || standby?.stage === "self-monitor"

/** A fiber that the supervisor runs: its kind, and the number of its instance. */
export type Role =
  | `bootstrap/${number}`
  | `standby/${number}`
  | `watcher/${number}`
  | `monitor/${number}`
  | `recovery/${number}`

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
  ...(watch.monitor === undefined ? [] : [`monitor/${watch.monitor.monitor}` as const])
]

/**
 * Returns the claims of a watch: its Conductor, and the session of each generation. A successor launches only where no
 * other souffleur holds one of these. Without the claims, a souffleur of another folder could launch for the same
 * session at the same moment.
 */
export const claimsOf = ({ conductor, sessions }: Watch): ReadonlyArray<Claimable> => [
  ...(conductor === undefined ? [] : [conductor]),
  ...sessions.map((session) => ({ session }))
]
