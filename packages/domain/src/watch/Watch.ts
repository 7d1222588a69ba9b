import type { Claimable, Owner } from "../port/Claims.ts"
import type { Baseline } from "../port/Comms.ts"
import { leastPin } from "../settings/Pin.ts"
import type { Pinned } from "../decide/PinDecider.ts"
import type { ProcessIdentity } from "../port/Process.ts"
import type { OwnRole } from "../event/GuardEvent.ts"
import type { CeilingReached, WaitKind, WordRefused } from "../event/SignEvent.ts"
import type { Check, Kind, LaunchPrepared, Mode, Purpose, RecoveryStarted, StepKind } from "../event/WatchEvent.ts"

export type Phase = "New" | "Validating" | "Settling" | "Watching" | "Exited"

/** What a recovery step has come to; its intent is always there first. */
export type StepState = { readonly kind: StepKind } & (
  | { readonly _tag: "Started"; readonly attempt: number; readonly token: string }
  | { readonly _tag: "Succeeded"; readonly outcome: unknown }
  | { readonly _tag: "Failed"; readonly failure: unknown }
)

export interface RecoveryCycle {
  readonly cycle: number
  readonly purpose: typeof Purpose.Type
  readonly trigger: (typeof RecoveryStarted.Type)["trigger"]
  readonly since: number
  /** Another souffleur took the watch over since: nobody has looked at the Conductor meanwhile. */
  readonly resumed: boolean
  /** The providers that have handed on to the next one. */
  readonly escalated: ReadonlyArray<string>
  readonly steps: Readonly<Record<string, StepState>>
  /** The newest launch of this cycle whose file was written. */
  readonly launch: typeof LaunchPrepared.Type | undefined
}

/**
 * One supervision of one Conductor across its generations: never stored, only folded from its events (spec:
 * behaviour#phases). Times in epoch ms.
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
  /** As asked for, or as corrected by a reply. */
  readonly pid: number
  readonly failures: ReadonlyArray<{
    readonly check: typeof Check.Type
    readonly reason: string
    readonly lastMessageId: number
    readonly at: number
  }>
  /** A reply that was taken as correction; only a later one is another. */
  readonly correctedBy: number
  /**
   * The newest first launch of a run: the literal command, as its file keeps it. `undefined`: the Conductor ran
   * already.
   */
  readonly firstLaunch: typeof LaunchPrepared.Type | undefined
  readonly conductor: ProcessIdentity | undefined
  /**
   * Whom souffleur launched last for this watch: where the Conductor turned out to be another process, both must be
   * gone before the next.
   */
  readonly launched: ProcessIdentity | undefined
  readonly sessionId: string
  /** Every session id of any generation: by each the watch is found again. */
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
  /** As this generation's end saw them: what the next is measured against where comms is out at its launch. */
  readonly lastTasks: Pick<Baseline, "taskCount" | "taskFingerprint"> | undefined
  /** Deaths in a row without progress. */
  readonly retries: number
  readonly watcher: { readonly watcher: number; readonly since: number } | undefined
  readonly watchersStarted: number
  readonly monitor: { readonly monitor: number; readonly watcher: number; readonly since: number } | undefined
  readonly monitorsStarted: number
  /** When polling was last broken off for longer than a poll (lost watcher, new owner); 0: never in this generation. */
  readonly brokenOffAt: number
  readonly recovery: RecoveryCycle | undefined
  /** The heartbeat that the Conductor was given up for; `retried`: an operator has spoken since. */
  readonly silent: { readonly heartbeat: string | null; readonly retried: boolean } | undefined
  /** What the agent itself asked for in this generation: a file of the state folder by its id, and its digest. */
  readonly handoff: { readonly request: string; readonly digest: string } | undefined
  readonly cycles: number
  /** Silent beyond its limit, and left alone until then. */
  readonly deferred: { readonly because: string; readonly until: number } | undefined
  /** It waits for a person. */
  readonly person: { readonly for: string; readonly since: number } | undefined
  /** Whose words did not count in this generation; each kind is told once. */
  readonly refused: ReadonlyArray<(typeof WordRefused.Type)["what"]>
  /** Something of the Conductor could not be claimed, and is not yet. */
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
  /** What the user allows it is used up. */
  readonly ceiling: Pick<typeof CeilingReached.Type, "ceiling" | "used" | "limit"> | undefined
  /** From when on its use is counted: its beginning, or the last time that an operator let it go on. */
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
        readonly reason: string
        readonly since: number
      }
    | undefined
  readonly lastExport: string | null
  readonly owner: Owner | undefined
  /** Restorations by a guardian since the watch last went on. */
  readonly restored: { readonly restorations: number; readonly at: number } | undefined
  /** How often each of souffleur's own roles has died of a defect in a row. */
  readonly failing: Readonly<{ readonly [Role in OwnRole]?: number }>
  /** A process of its own making that it was about to end last. */
  readonly ending: ProcessIdentity | undefined
  readonly fence: number
  /** Who had the pid that is to be validated when it was named; `null`: nobody. */
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

/** It stands by because a role of souffleur's own gave up, not a recovery. */
export const isUnwatched = ({ standby }: Watch): boolean =>
  standby?.stage === "watcher" || standby?.stage === "self-monitor"

/** A fiber that the supervisor runs: its kind, and the number that makes it another one. */
export type Role =
  | `bootstrap/${number}`
  | `standby/${number}`
  | `watcher/${number}`
  | `monitor/${number}`
  | `recovery/${number}`

/**
 * What a state asks to be running, the order in which it is started: the only place that names fibers (spec:
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
  // Nobody watches until an operator says so; somebody beats, or a guardian would take this souffleur for hung.
  ...(isUnwatched(watch) && watch.watcher === undefined && watch.recovery === undefined
    ? [`standby/${watch.watchersStarted}` as const]
    : []),
  ...(watch.monitor === undefined ? [] : [`monitor/${watch.monitor.monitor}` as const])
]

/**
 * What a watch is to have for itself: its Conductor, and the session of each generation. A successor is launched where
 * nobody holds one of these; a souffleur of another folder, with another process of such a session, could launch in the
 * same moment.
 */
export const claimsOf = ({ conductor, sessions }: Watch): ReadonlyArray<Claimable> => [
  ...(conductor === undefined ? [] : [conductor]),
  ...sessions.map((session) => ({ session }))
]
