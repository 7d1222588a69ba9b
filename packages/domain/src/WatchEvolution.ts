import { Match } from "effect"
import type { StepState, Watch } from "./Watch.ts"
import type { Baseline } from "./WatchCommand.ts"
import type { WatchEvent } from "./WatchEvent.ts"

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
    OwnerTook: ({ at, fence, owner }) => ({
      fence,
      owner,
      brokenOffAt: watch.conductor === undefined ? 0 : at,
      recovery: watch.recovery === undefined ? undefined : { ...watch.recovery, resumed: true }
    }),
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
    ConductorDied: ({ cause, evidence, retries }) => ({
      phase: "Watching",
      watcher: undefined,
      retries,
      silent: cause === "heartbeat" ? { heartbeat: evidence.heartbeat } : undefined
    }),
    ContextRecoveryRequested: ({ retries }) => ({ phase: "Watching", watcher: undefined, retries }),
    TurnEnded: ({ retries }) => ({ phase: "Watching", watcher: undefined, retries }),
    ConductorCompleted: () => exited("completed"),
    SessionIdFound: ({ sessionId }) => ({ sessionId, sessions: withSession(watch, sessionId), awaiting: false, watcher: undefined }),
    RecoveryStarted: ({ at, cycle, purpose, trigger }) => ({
      cycles: cycle,
      watcher: undefined,
      standby: undefined,
      recovery: { cycle, purpose, trigger, since: at, resumed: false, steps: {}, launch: undefined }
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
    RecoveryRetried: () => ({ standby: undefined, silent: undefined }),
    WatchReleased: ({ exportPath }) => ({ ...exited("released"), lastExport: exportPath })
  })

/** The state after an event: the only way in which a watch changes. */
export const evolve = (watch: Watch, event: WatchEvent): Watch => ({
  ...watch,
  ...change(watch, event),
  revision: watch.revision + 1,
  lastEventAt: event.at
})
