import { Match } from "effect"
import type { Owner } from "./Claims.ts"
import type { ProcessIdentity } from "./Process.ts"
import type { Baseline } from "./WatchCommand.ts"
import type { Check, LaunchPrepared, Mode, Purpose, RecoveryStarted, WatchEvent } from "./WatchEvent.ts"

export type Phase = "New" | "Validating" | "Settling" | "Watching" | "Exited"

/** What a recovery step has come to; its intent is always there first. */
export type StepState =
  | { readonly _tag: "Started"; readonly attempt: number; readonly token: string }
  | { readonly _tag: "Succeeded"; readonly outcome: unknown }
  | { readonly _tag: "Failed"; readonly failure: unknown }

export interface RecoveryCycle {
  readonly cycle: number
  readonly purpose: typeof Purpose.Type
  readonly trigger: (typeof RecoveryStarted.Type)["trigger"]
  readonly since: number
  readonly steps: Readonly<Record<string, StepState>>
  /** The newest launch of this cycle whose file was written. */
  readonly launch: typeof LaunchPrepared.Type | undefined
}

/** One supervision of one Conductor across its generations: never stored, only folded from its events (spec §2). Times in epoch ms. */
export interface Watch {
  readonly revision: number
  readonly phase: Phase
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  readonly observe: boolean
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
  readonly conductor: ProcessIdentity | undefined
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
  /** Deaths in a row without progress. */
  readonly retries: number
  readonly watcher: { readonly watcher: number; readonly since: number } | undefined
  readonly watchersStarted: number
  readonly monitor: { readonly monitor: number; readonly watcher: number; readonly since: number } | undefined
  readonly monitorsStarted: number
  /** When polling was last broken off for longer than a poll (lost watcher, new owner); 0: never in this generation. */
  readonly brokenOffAt: number
  readonly recovery: RecoveryCycle | undefined
  readonly cycles: number
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
  readonly fence: number
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
  pid: 0,
  failures: [],
  correctedBy: 0,
  conductor: undefined,
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
  retries: 0,
  watcher: undefined,
  watchersStarted: 0,
  monitor: undefined,
  monitorsStarted: 0,
  brokenOffAt: 0,
  recovery: undefined,
  cycles: 0,
  standby: undefined,
  lastExport: null,
  owner: undefined,
  fence: 0,
  openedAt: 0,
  lastEventAt: 0,
  end: undefined
}

type Change = { readonly [K in keyof Watch]?: Watch[K] }
type Evolve = { readonly [T in WatchEvent["_tag"]]: (event: Extract<WatchEvent, { readonly _tag: T }>) => Change }

const withSession = (watch: Watch, sessionId: string): ReadonlyArray<string> =>
  watch.sessions.includes(sessionId) ? watch.sessions : [...watch.sessions, sessionId]

const withStep = (watch: Watch, step: string, state: StepState): Change =>
  watch.recovery === undefined ? {} : { recovery: { ...watch.recovery, steps: { ...watch.recovery.steps, [step]: state } } }

/** A baseline without the rest of the event that carries it. */
const baselineOf = ({ conductorState, lastMessageId, taskCount, taskFingerprint }: Baseline): Baseline => ({
  conductorState,
  lastMessageId,
  taskCount,
  taskFingerprint
})

const exited = (end: Exclude<Watch["end"], undefined>): Change => ({
  phase: "Exited",
  end,
  watcher: undefined,
  monitor: undefined,
  recovery: undefined,
  standby: undefined
})

const change = (watch: Watch, event: WatchEvent): Change =>
  Match.valueTags<WatchEvent, Evolve>(event, {
    WatchOpened: ({ at, comms, observe, pid, project, sessionId }) => ({
      phase: "Validating",
      project,
      comms,
      observe,
      pid,
      sessionId,
      sessions: [sessionId],
      openedAt: at
    }),
    OwnerTook: ({ at, fence, owner }) => ({ fence, owner, brokenOffAt: watch.conductor === undefined ? 0 : at }),
    OwnerLeft: () => ({ owner: undefined }),
    ValidationFailed: ({ at, check, lastMessageId, reason }) => ({ failures: [...watch.failures, { at, check, lastMessageId, reason }] }),
    ArgumentsCorrected: ({ messageId, pid, sessionId }) => ({
      pid,
      sessionId,
      sessions: withSession(watch, sessionId),
      correctedBy: messageId
    }),
    ValidationExhausted: () => exited("validation exhausted"),
    ConductorConfirmed: (event) => ({
      phase: "Settling",
      conductor: event.conductor,
      pid: event.conductor.pid,
      sessionId: event.sessionId,
      sessions: withSession(watch, event.sessionId),
      generation: 1,
      print: event.print,
      launchedAt: event.at,
      baseline: baselineOf(event)
    }),
    WatcherStarted: ({ at, awaiting, mode, watcher }) => ({
      watcher: { watcher, since: at },
      watchersStarted: watcher,
      awaiting,
      mode
    }),
    WatcherLost: ({ at }) => ({ watcher: undefined, brokenOffAt: at }),
    SelfMonitorStarted: ({ at, monitor, watcher }) => ({ monitor: { monitor, watcher, since: at }, monitorsStarted: monitor }),
    SelfMonitorStopped: () => ({ monitor: undefined }),
    WatchSettled: () => ({ phase: "Watching" }),
    ConductorDied: ({ retries }) => ({ phase: "Watching", watcher: undefined, retries }),
    ContextRecoveryRequested: ({ retries }) => ({ phase: "Watching", watcher: undefined, retries }),
    TurnEnded: ({ retries }) => ({ phase: "Watching", watcher: undefined, retries }),
    ConductorCompleted: () => exited("completed"),
    SessionIdFound: ({ sessionId }) => ({ sessionId, sessions: withSession(watch, sessionId), awaiting: false, watcher: undefined }),
    RecoveryStarted: ({ at, cycle, purpose, trigger }) => ({
      cycles: cycle,
      watcher: undefined,
      standby: undefined,
      recovery: { cycle, purpose, trigger, since: at, steps: {}, launch: undefined }
    }),
    RecoveryWithheld: ({ at, cycle }) => ({
      cycles: cycle,
      standby: { cycle, trigger: "pid", stage: "observe", reason: "only observing: nothing was stopped or launched", since: at }
    }),
    StepStarted: ({ attempt, step, token }) => withStep(watch, step, { _tag: "Started", attempt, token }),
    StepSucceeded: ({ outcome, step }) => withStep(watch, step, { _tag: "Succeeded", outcome }),
    StepFailed: ({ failure, step }) => withStep(watch, step, { _tag: "Failed", failure }),
    LaunchPrepared: (launch) => (watch.recovery === undefined ? {} : { recovery: { ...watch.recovery, launch } }),
    ConductorRelaunched: (event) => ({
      conductor: event.conductor,
      pid: event.conductor.pid,
      sessionId: event.sessionId,
      sessions: withSession(watch, event.sessionId),
      generation: event.generation,
      launchedAt: event.at,
      provider: event.provider,
      launchId: event.launchId,
      print: event.print,
      lastExport: event.exportPath ?? watch.lastExport,
      baseline: baselineOf(event),
      recovery: undefined,
      brokenOffAt: 0
    }),
    RecoveryFailedClosed: ({ at, cycle, reason, stage }) => ({
      recovery: undefined,
      standby: { cycle, trigger: watch.recovery?.trigger ?? "pid", stage, reason, since: at }
    }),
    RetriesExhausted: ({ exportPath }) => ({ ...exited("retries exhausted"), lastExport: exportPath ?? watch.lastExport }),
    ConductorAdopted: (event) => ({
      phase: "Watching",
      conductor: event.conductor,
      pid: event.conductor.pid,
      sessionId: event.sessionId,
      sessions: withSession(watch, event.sessionId),
      generation: event.generation,
      launchedAt: event.at,
      provider: undefined,
      launchId: undefined,
      print: event.print,
      baseline: baselineOf(event),
      retries: 0,
      recovery: undefined,
      standby: undefined,
      brokenOffAt: 0
    }),
    RecoveryRetried: () => ({ standby: undefined }),
    WatchReleased: ({ exportPath }) => ({ ...exited("released"), lastExport: exportPath })
  })

export const evolve = (watch: Watch, event: WatchEvent): Watch => ({
  ...watch,
  ...change(watch, event),
  revision: watch.revision + 1,
  lastEventAt: event.at
})

/** A fiber that the supervisor runs: its kind, and the number that makes it another one. */
export type Role = `bootstrap/${number}` | `watcher/${number}` | `monitor/${number}` | `recovery/${number}`

/** What a state asks to be running, the order in which it is started: the only place that names fibers (spec §2). */
export const rolesOf = (watch: Watch): ReadonlyArray<Role> => [
  ...(watch.phase === "Validating" ? [`bootstrap/1` as const] : []),
  ...(watch.watcher === undefined ? [] : [`watcher/${watch.watcher.watcher}` as const]),
  ...(watch.recovery === undefined ? [] : [`recovery/${watch.recovery.cycle}` as const]),
  ...(watch.monitor === undefined ? [] : [`monitor/${watch.monitor.monitor}` as const])
]
