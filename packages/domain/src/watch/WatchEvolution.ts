import { waitUntil } from "../Bounds.ts"
import { eventsOfStarts } from "../decide/GuardDecider.ts"
import { isServiceWait } from "../decide/LimitWait.ts"
import { evolvePin } from "../decide/PinDecider.ts"
import { withTold } from "../evidence/LimitAhead.ts"
import { quickEndsAfter } from "../evidence/WorkProgress.ts"
import { evolveWords } from "../event/FleetWord.ts"
import type { Evidence, WatchEvent } from "../event/WatchEvent.ts"
import {
  agentOfAdopted,
  pickBaseline,
  type Change,
  type Changes,
  generationOf,
  launchOf,
  withSession
} from "./Generation.ts"
import { evolveRecovery } from "./RecoveryEvolution.ts"
import type { Watch } from "./Watch.ts"

type Tasks = { readonly taskCount: number | null; readonly taskFingerprint: string | null }

/** Keeps the tasks that were counted. */
const withTasks = ({ taskCount, taskFingerprint }: Tasks): Change =>
  taskCount === null || taskFingerprint === null ? {} : { lastTasks: { taskCount, taskFingerprint } }

type Over = Tasks & { readonly at: number; readonly retries: number; readonly evidence?: Evidence }

/** The sources that say nothing of a session: a process that has only begun has them too. */
const mute: ReadonlySet<Evidence["signs"][number]["source"]> = new Set(["pid file", "processor"])

/** Ends the watcher of a generation that needs a recovery, and counts its retries. */
const turnOver = ({ at, evidence, retries, ...tasks }: Over, watch: Watch): Change => ({
  ...withTasks(tasks),
  phase: "Watching",
  watcher: undefined,
  idle: undefined,
  retries,
  muteFor: evidence?.signs.every(({ source }) => mute.has(source)) === true ? at - watch.launchedAt : undefined,
  // A generation without progress says nothing new of the work.
  saidDone: retries === 0 ? evidence?.turnFinished === true : watch.saidDone
})

/** A person allows as much use again, from then on. What the service limits is not a person's to renew. */
const renewed = (at: number, { foreseen }: Watch): Change => ({
  ceiling: undefined,
  allowedSince: at,
  capsSince: undefined,
  foreseen: foreseen.filter(({ limit }) => limit === "usage")
})

/** A launch under way may have become an agent, which is stopped too. */
const stopBegun = ({ firstLaunch, generation, recovery, undecided }: Watch): Change => ({
  phase: "Watching",
  undecided: recovery?.launch?.launchId ?? undecided ?? (generation === 0 ? firstLaunch?.launchId : undefined)
})

const exited = (end: Exclude<Watch["end"], undefined>): Change => ({
  phase: "Exited",
  end,
  watcher: undefined,
  monitor: undefined,
  recovery: undefined,
  standby: undefined
})

/** The change of each event, made once: the fold of a long log uses it for every event. */
const changes: Changes = {
  ...evolvePin,
  ...evolveWords,
  // A person's word for this watch alone outranks what its caller said.
  TrustGiven: (event, watch) => ({
    ...evolvePin.TrustGiven(event, watch),
    ...(event.by === "retry" ? { note: { ...watch.note, permission: null } } : {})
  }),
  ...evolveRecovery,
  WatchOpened: ({ at, comms, forced, kind, limits, note, observe, pid, pin, process, project, sessionId }, watch) => ({
    phase: "Validating",
    named: process,
    project,
    comms,
    observe,
    forced,
    kind,
    pin,
    limits,
    note,
    pid,
    sessionId,
    sessions: withSession(watch, sessionId),
    openedAt: at,
    allowedSince: at
  }),
  OwnerTook: ({ at, fence, owner }, watch) => ({
    fence,
    owner,
    left: undefined,
    brokenOffAt: watch.generation === 0 ? 0 : at,
    recovery: watch.recovery === undefined ? undefined : { ...watch.recovery, resumed: true }
  }),
  OwnerLeft: (_, watch) => ({ owner: undefined, left: watch.owner }),
  WatchMoved: () => ({ owner: undefined, left: undefined }),
  SouffleurRestored: ({ at, restorations }) => ({ restored: { restorations, at } }),
  GuardianGaveUp: (_, { fence }) => ({ restored: undefined, gaveUp: fence }),
  ProcessEnding: ({ process }) => ({ ending: process }),
  RoleFailed: ({ failures, role }, watch) => ({ failing: { ...watch.failing, [role]: failures } }),
  RoleGaveUp: ({ at, defect, failures, role }, watch) =>
    role === "watcher" || role === "self-monitor"
      ? {
          phase: "Watching",
          monitor: undefined,
          watcher: undefined,
          deferred: undefined,
          wait: undefined,
          standby: {
            cycle: watch.cycles,
            trigger: (watch.wait ?? watch.standby)?.trigger ?? "pid",
            stage: role,
            message: `souffleur's ${role} failed ${failures} times in a row because of a bug (${defect})`,
            since: at,
            held: watch.standby?.held === true,
            // A limit may be over without an end.
            ended: watch.wait === undefined ? watch.standby?.ended === true : watch.wait.trigger !== "limit"
          }
        }
      : {},
  ValidationFailed: ({ at, check, lastMessageId, message }, watch) => ({
    failures: [...watch.failures, { at, check, lastMessageId, message }]
  }),
  ArgumentsCorrected: ({ messageId, pid, process, sessionId }) => ({
    pid,
    named: process,
    sessionId,
    // The earlier session was wrong, and may belong to another watch.
    sessions: [sessionId],
    correctedBy: messageId
  }),
  ValidationExhausted: () => exited("validation exhausted"),
  ConductorConfirmed: (event, watch) => ({
    phase: "Settling",
    conductor: event.conductor,
    pid: event.conductor.pid,
    sessionId: event.sessionId,
    sessions: withSession(watch, event.sessionId),
    generation: 1,
    firstAgent: event.agent ?? undefined,
    launchId: watch.firstLaunch?.launchId,
    launched: watch.firstLaunch === undefined ? undefined : event.conductor,
    preparedAt: watch.firstLaunch?.at ?? 0,
    turnBefore: watch.firstLaunch?.turnBefore ?? null,
    print: event.print,
    launchedAt: event.at,
    began: event.began,
    baseline: pickBaseline(event)
  }),
  WatcherStarted: ({ at, awaiting, mode, watcher }) => ({
    watcher: { watcher, since: at },
    watchersStarted: watcher,
    awaiting,
    mode
  }),
  WatcherLost: ({ at }) => ({ watcher: undefined, brokenOffAt: at }),
  SelfMonitorStarted: ({ at, monitor, watcher }) => ({
    monitor: { monitor, watcher, since: at },
    monitorsStarted: monitor
  }),
  SelfMonitorStopped: () => ({ monitor: undefined }),
  WatchSettled: () => ({ phase: "Watching" }),
  ConductorDied: ({ reason, ...event }, watch) => ({
    quickEnds: quickEndsAfter(watch, event.at),
    ...turnOver(event, watch),
    silent: reason === "heartbeat" ? { heartbeat: event.evidence.heartbeat, retried: false } : undefined
  }),
  ContextRecoveryRequested: turnOver,
  ContextExhausted: turnOver,
  KillDeferred: ({ message, until }) => ({ deferred: { message, until } }),
  PersonAwaited: (event) => ({ person: { for: event.for, since: event.at }, idle: undefined }),
  PersonCame: () => ({ person: undefined }),
  ConductorIdle: ({ since }) => ({ idle: { since }, idledAt: since }),
  ConductorBusy: () => ({ idle: undefined }),
  ConductorUnclaimed: () => ({ unclaimed: true }),
  ConductorClaimed: () => ({ unclaimed: false }),
  // What was used before a person allowed as much again, or before an adoption, is not counted anew.
  CapsFound: ({ began, caps }, { allowedSince, generation, openedAt }) =>
    generation === 1 && allowedSince === openedAt ? { caps, capsSince: Math.min(began, openedAt) } : { caps },
  AgentFolderFound: ({ folder }, { agentFolders }) => ({ agentFolders: [...agentFolders, folder] }),
  WordRefused: ({ what }, watch) => ({ refused: [...watch.refused, what] }),
  TaskSilent: ({ heartbeat, task }, watch) => ({
    silentTasks: [...watch.silentTasks.filter((one) => one.task !== task), { task, heartbeat }]
  }),
  LaunchDelayed: () => ({}),
  NoticeLost: () => ({}),
  WaitStarted: ({ at, kind, resetsAt, trigger, turnAt, until }, watch) => ({
    watcher: undefined,
    idle: undefined,
    wait: { kind, until: waitUntil(at, until), resetsAt, trigger, since: watch.wait?.since ?? at, turnAt },
    // A limit ends a turn within it.
    ...(isServiceWait(kind) ? { waits: watch.waits + 1, saidDone: false } : {})
  }),
  WaitEnded: () => ({ watcher: undefined, wait: undefined }),
  HoldStarted: ({ at, byAgent }) => ({ held: { since: at, byAgent } }),
  // The Conductor was not stopped meanwhile, and may beat again.
  HoldEnded: (_, watch) => ({ held: undefined, silent: watch.silent && { ...watch.silent, retried: true } }),
  HandoffTaken: ({ contextTokens, contextWindow, takenAt }) => ({
    taken: { at: takenAt, contextTokens, contextWindow },
    began: true,
    waits: 0
  }),
  HandoffRequested: ({ digest, request, ...event }, watch) => ({
    ...turnOver(event, watch),
    saidDone: false,
    handoff: { request, digest }
  }),
  TurnEnded: turnOver,
  EndedEarly: (event, watch) => ({
    quickEnds: quickEndsAfter(watch, event.at),
    ...turnOver(event, watch),
    ...(event.reason === "refused" || event.reason === "unconfirmed" ? { saidDone: false } : {})
  }),
  ConductorCompleted: ({ by }) => exited(by === "turn" ? "unconfirmed" : "completed"),
  SessionIdFound: ({ sessionId }, watch) => ({
    sessionId,
    sessions: withSession(watch, sessionId),
    awaiting: false,
    watcher: undefined
  }),
  ConductorUnresolved: () => ({ conductor: undefined }),
  ConductorResolved: ({ conductor, print }) => ({ conductor, pid: conductor.pid, print, watcher: undefined }),
  CeilingReached: ({ ceiling, flag, limit, then, used }, watch) => ({
    ceiling: { ceiling, limit, used, flag },
    ...(then === "stop" ? stopBegun(watch) : {})
  }),
  LimitForeseen: (event, { foreseen }) => ({ foreseen: withTold(foreseen, event) }),
  AllowanceRenewed: ({ at }, watch) => renewed(at, watch),
  RetriesExhausted: ({ exportPath }, watch) => ({
    ...exited("retries exhausted"),
    lastExport: exportPath ?? watch.lastExport
  }),
  ConductorAdopted: (event, watch) => ({
    ...generationOf(watch, event),
    ...launchOf(watch, event),
    agent: agentOfAdopted(watch, event),
    phase: "Watching",
    forced: event.forced,
    retries: 0,
    saidDone: false,
    standby: undefined
  }),
  RecoveryRetried: ({ at, by, headless }, watch) => ({
    headless,
    standby: undefined,
    failing: {},
    silent: watch.silent && { ...watch.silent, retried: true },
    ...(by === "operator" ? renewed(at, watch) : {})
  }),
  AgentChosen: ({ agent, from }) => ({ agent, handedFrom: from === agent ? undefined : from, saidDone: false }),
  StopAsked: (_, watch) => stopBegun(watch),
  WatchStopped: ({ exportPath, limit }) => ({
    ...exited(limit === null ? "stopped" : "limit reached"),
    lastExport: exportPath
  }),
  WatchReleased: ({ exportPath }) => ({ ...exited("released"), lastExport: exportPath })
}

const change = <T extends WatchEvent["_tag"]>(watch: Watch, event: Extract<WatchEvent, { readonly _tag: T }>): Change =>
  changes[event._tag as T](event, watch)

/** The parts of a watch that a person's word depends on. A recovery is one of them, whatever step it takes. */
const stance = ({ agent, ceiling, generation, held, phase, recovery, standby, wait }: Watch) => [
  phase,
  generation,
  agent,
  recovery?.cycle,
  standby,
  held,
  wait,
  ceiling
]

/** Returns whether a word for the watch before an event may mean something else after it (spec: fleet#words). */
const changesStance = (before: Watch, after: Watch, { _tag }: WatchEvent): boolean => {
  const was = stance(before)
  return _tag === "FleetWordTaken" || _tag === "PhoneWordTaken" || stance(after).some((part, n) => part !== was[n])
}

/** Returns the state after an event. A watch changes in no other way. */
export const evolve = (watch: Watch, event: WatchEvent): Watch => {
  const after = {
    ...watch,
    restored: eventsOfStarts.has(event._tag) ? watch.restored : undefined,
    ...change(watch, event),
    revision: watch.revision + 1,
    lastEventAt: event.at
  }
  const { idle, person, revision } = after
  const stanceSince = changesStance(watch, after, event) ? revision : watch.stanceSince
  const isAsTold = stanceSince < revision && idle === watch.idle && person === watch.person
  return { ...after, stanceSince, pressSince: isAsTold ? watch.pressSince : revision }
}
