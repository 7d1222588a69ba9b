import {
  Agent,
  AgentNotFound,
  AlreadyWatched,
  type Claimable,
  ClaimFailed,
  Claims,
  Comms,
  type CommsRefusal,
  type CommsReply,
  CommsUnavailable,
  Event,
  EventLog,
  heldNow,
  Hooks,
  ExportFailed,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  type MessageKind,
  type Owner,
  Processes,
  type ProcessIdentity,
  SessionNotFound,
  Settings,
  type SouffleurState,
  untilSeenOver,
  type WatchEvent,
  type Terminal
} from "@souffleur/domain"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { Offspring, Beats } from "@souffleur/eventlog"
import { Context, Effect, FileSystem, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"

/** When every watch here begins: epoch ms. */
export const begun = Date.UTC(2026, 0, 5, 12, 0, 0)
export const ownerOf = (pid: number, host = "here"): Owner => ({
  host,
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid, startTime: pid, bootId: "boot" }
})
export const self = ownerOf(10)
export const identityOf = (pid: number): ProcessIdentity => ({ pid, startTime: 99, bootId: "boot" })

/** Everything that a supervisor meets, in memory: what tests set, and what it was seen to do. */
export class World {
  readonly processes = new Map<number, { readonly uid: number; readonly condition: "running" | "zombie" }>([
    [4711, { uid: 1000, condition: "running" }]
  ])
  readonly files = new Set(["s1"])
  /** What live pid files say of agents, what their hooks say, and the tools of session `s1`. */
  sessions: ReadonlyArray<{ readonly pid: number; readonly sessionId: string }> = []
  hooked: ReadonlyArray<{ readonly pid: number; readonly sessionId: string }> = []
  tools: ReadonlyArray<number> = []
  /** Of every process. */
  words: ReadonlyArray<string> = []
  /** Results of tools, by session. */
  readonly results = new Map<string, number>()
  /** Launch files, by their ids, and what a launch of each comes to: a pid, or why it fails. */
  readonly launches = new Map<string, LaunchOrder>()
  becomes: (id: string) => number | string = () => 4711
  readonly launched: Array<string> = []
  terminal: Terminal = "headless"
  readonly ancestors = [9, 8]
  /** Why comms cannot be used now. */
  out: CommsUnavailable["reason"] | undefined
  /** So many uses from now on find it locked, and the next one free. */
  lockedUses = 0
  /** The state of the row `souffleur`; `undefined`: there is none. */
  row: string | undefined = "watching"
  lastError: string | undefined
  readonly messages: Array<{ readonly key: string; readonly kind: MessageKind; readonly text: string; readonly at: number }> = []
  readonly replies: Array<CommsReply> = []
  /** The newest of somebody who may not say it. */
  refused: CommsRefusal | undefined
  lastMessageId = 0
  /** Everything that comms took, in order; what it refused is not in here. */
  readonly told: Array<string> = []
  /** Souffleurs that live, or are not provably dead. */
  readonly alive = new Set<number>([10])
  /** By pid, or by session. */
  readonly claims = new Map<number | string, Owner>()
  /** Why none can be made. */
  claimsFail: string | undefined
  readonly signals: Array<string> = []
  unkillable = false
}

const comms = (world: World) => {
  const use = <A>(what: () => A) =>
    Effect.suspend(() => {
      const reason = world.lockedUses-- > 0 ? ("locked" as const) : world.out
      return reason === undefined
        ? Effect.sync(what)
        : Effect.fail(new CommsUnavailable({ path: "/p/comms.db", reason, detail: `the database is ${reason}` }))
    })
  return Comms.of({
    path: "/p/comms.db",
    snapshot: use(() => ({
      conductor: Option.some({ state: "working", lastHeartbeat: null, sessionId: null }),
      souffleur: Option.fromUndefinedOr(world.row),
      taskCount: 3,
      taskFingerprint: "3 tasks",
      lastMessageId: Math.max(world.lastMessageId, ...world.replies.map(({ id }) => id))
    })),
    payload: () => use(() => ({ heard: Option.none(), refused: Option.none() })),
    replies: ({ after }) =>
      use(() => ({ heard: world.replies.filter(({ id }) => id > after), refused: Option.fromUndefinedOr(world.refused) })),
    setState: (state: SouffleurState, _, lastError) =>
      use(() => {
        Object.assign(world, { row: state, lastError })
        world.told.push(state)
      }),
    beat: () => use(() => {}),
    post: (message) =>
      use(() => {
        if (world.messages.some(({ key }) => key === message.key)) return
        world.messages.push(message)
        world.told.push(message.key)
      })
  })
}

const conditionIn =
  (world: World) =>
  ({ pid }: ProcessIdentity) =>
    Effect.sync(() => world.processes.get(pid)?.condition ?? "gone")

const processes = (world: World) =>
  Processes.of({
    self: self.process,
    host: { name: "here", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    commandLine: () => Effect.sync(() => world.words),
    processorTime: () => Effect.succeed(undefined),
    find: (pid) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(world.processes.get(pid)), (found) => ({
          ...found,
          identity: identityOf(pid),
          parent: 1,
          name: "claude"
        }))
      ),
    condition: conditionIn(world),
    untilOver: untilSeenOver(conditionIn(world)),
    ancestors: Effect.sync(() => world.ancestors),
    tagged: () =>
      Effect.sync(() =>
        world.tools.map((pid) => ({ identity: identityOf(pid), parent: 1, uid: 1000, name: "tool", condition: "running" as const }))
      ),
    tree: () => Effect.succeed([]),
    signal: ({ pid }, signal) =>
      Effect.suspend(() => {
        const started = world.launched.some((id) => world.becomes(id) === pid)
        if (pid === self.process.pid || !(started || world.alive.has(pid)))
          return Effect.die("a supervisor signals nobody but a souffleur, and what it has launched")
        world.signals.push(`${signal} ${pid}`)
        if (world.unkillable) return Effect.void
        world.alive.delete(pid)
        world.processes.delete(pid)
        return Effect.void
      })
  })

const agent = (world: World) =>
  Agent.of({
    name: "agent",
    sessions: Effect.sync(() =>
      world.sessions.map((one) => ({ ...one, project: "/p", status: "busy", waitingFor: undefined, writtenAt: 0 }))
    ),
    sessionFile: (sessionId) =>
      world.files.has(sessionId)
        ? Effect.succeed({ path: `/claude/${sessionId}.jsonl`, sessionId })
        : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", why: `no session file of ${sessionId}` })),
    exportSession: () => Effect.fail(new ExportFailed({ why: "a supervisor never exports" })),
    projectOf: () => Effect.die("not asked here"),
    mark: () => Effect.die("not asked here"),
    compactedSince: () => Effect.succeed("not yet" as const),
    toolResults: (sessions) => Effect.sync(() => sessions.reduce((all, one) => all + (world.results.get(one) ?? 0), 0)),
    isAgent: ([program]) => program !== "/usr/bin/postgres",
    inPrintMode: () => false,
    turnEnded: () => Effect.succeed(false),
    signs: () => Effect.succeedNone,
    usedTools: () => Effect.succeed(true),
    handoffTaken: () => Effect.succeedNone,
    spent: () => Effect.succeed(0),
    tags: () => [],
    sessionTag: () => ({ environment: {} }),
    command: () => Effect.fail(new AgentNotFound({ program: "agent", why: "a supervisor never launches" }))
  })

const hooks = (world: World) => {
  const held = Effect.sync(() =>
    world.hooked.map((one) => ({ ...one, startTime: identityOf(one.pid).startTime, since: 0, until: 0, source: null, ended: null }))
  )
  return Hooks.of({
    last: () => Effect.succeedNone,
    lineage: () => Effect.succeed([]),
    held,
    holds: (process) => Effect.map(held, (all) => heldNow(all, process))
  })
}

/** A supervisor conducts no plan. */
const keyOf = (one: Claimable) => ("pid" in one ? one.pid : "session" in one ? one.session : "")

const claims = (world: World) =>
  Claims.of({
    self,
    isDead: (owner) => Effect.sync(() => owner.host === self.host && !world.alive.has(owner.process.pid)),
    claim: Effect.fnUntraced(function* (one) {
      const key = keyOf(one)
      if (world.claimsFail !== undefined) return yield* new ClaimFailed({ why: world.claimsFail })
      const holder = world.claims.get(key)
      if (
        holder !== undefined &&
        holder.process.pid !== self.process.pid &&
        (holder.host !== self.host || world.alive.has(holder.process.pid))
      ) {
        return yield* new AlreadyWatched({ owner: holder, why: `souffleur with pid ${holder.process.pid} watches it` })
      }
      world.claims.set(key, self)
    }),
    release: (one) => Effect.sync(() => void (world.claims.get(keyOf(one)) === self && world.claims.delete(keyOf(one))))
  })

/** Keeps what was prepared; a launch that was asked for before is not done again. */
const launcher = (world: World) =>
  Launcher.of({
    terminal: world.terminal,
    prepare: (order) => Effect.sync(() => (world.launches.set(order.id, order), `digest of ${order.id}`)),
    launch: Effect.fnUntraced(function* (id) {
      if (!world.launched.includes(id)) world.launched.push(id)
      const pid = world.becomes(id)
      return typeof pid === "number" ? identityOf(pid) : yield* new LaunchFailed({ why: pid })
    }),
    settle: () => Effect.succeedNone,
    kept: (id, digest) =>
      Effect.suspend(() => {
        const order = world.launches.get(id)
        return order === undefined || digest !== `digest of ${id}`
          ? Effect.fail(new LaunchFailed({ why: "the launch file is missing" }))
          : Effect.succeed(order)
      }),
    forget: (id) => Effect.sync(() => void world.launches.delete(id)),
    exitCode: () => Effect.succeedNone,
    outputPath: (id) => `/state/launches/${id}.out`
  })

/** All ports but the outbox, and a log that has this history. */
export const living = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, world = new World()) {
  yield* TestClock.setTime(begun)
  const context = yield* Layer.build(
    Layer.mergeAll(
      EventLog.layerMemory,
      Beats.layerMemory,
      Offspring.layerMemory,
      Layer.succeed(Hooks, hooks(world)),
      Layer.succeed(Launcher, launcher(world)),
      history[0]?._tag === "WatchOpened" && history[0].comms === null ? Comms.layerSolo : Layer.succeed(Comms, comms(world)),
      Layer.succeed(Processes, processes(world)),
      Layer.succeed(Agent, agent(world)),
      Layer.succeed(Claims, claims(world)),
      FileSystem.layerNoop({ makeDirectory: () => Effect.void }),
      Path.layer,
      TrustedFiles.layerNone,
      Layer.effect(Settings, loadSettings({ projectDir: "/p", environment: { HOME: "/home" }, flags: {} })).pipe(
        Layer.provide([TrustedFiles.layerNone, Path.layer])
      )
    )
  )
  const log = Context.get(context, EventLog)
  yield* log.append("w", 0, history)
  return {
    world,
    context,
    log,
    events: Effect.map(log.read("w", history.length), (all) => all.map(({ event }) => event)),
    tags: Effect.map(log.read("w", history.length), (all) => all.map(({ event }) => event._tag))
  }
})

const at = begun
export const opened = (comms: string | null = "/p/comms.db") =>
  Event.WatchOpened.make({ at, project: "/p", comms, pid: 4711, sessionId: "s1", observe: false, process: identityOf(4711) })
export const owned = Event.OwnerTook.make({ at, fence: 1, owner: self })
export const confirmed = Event.ConductorConfirmed.make({
  at,
  conductor: identityOf(4711),
  sessionId: "s1",
  print: false,
  taskCount: 3,
  taskFingerprint: "3 tasks",
  conductorState: "working",
  lastMessageId: 0
})
export const started = (watcher: number) => Event.WatcherStarted.make({ at, watcher, awaiting: false, mode: "normal" })
export const monitoring = (monitor: number) => Event.SelfMonitorStarted.make({ at, monitor, watcher: monitor })
export const settled = Event.WatchSettled.make({ at })
export const watching = [opened(), owned, confirmed, started(1), monitoring(1), settled]
/** What a death was seen by. */
const evidence = {
  process: "gone" as const,
  conductorState: null,
  heartbeat: null,
  heartbeatAge: null,
  staleAfter: 1,
  signs: [],
  contextTokens: null
}
export const died = (retries = 1) =>
  Event.ConductorDied.make({ at, watcher: 1, taskCount: 1, taskFingerprint: "a", evidence, cause: "pid", retries })
export const recovering = (cycle = 1) => Event.RecoveryStarted.make({ at, cycle, purpose: "relaunch", trigger: "pid" })
export const relaunched = Event.ConductorRelaunched.make({
  at,
  print: true,
  cycle: 1,
  generation: 2,
  provider: "claude_export",
  launchId: "l1",
  conductor: identityOf(5000),
  sessionId: "s2",
  awaiting: true,
  exportPath: "/e.md",
  taskCount: 1,
  taskFingerprint: "a",
  conductorState: null,
  lastMessageId: 0
})

/** Lets every fiber run until it waits: `adjust` right after a fork would jump past it. */
export const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 30 }))
/** Goes on to a second of the watch. */
export const until = (second: number) => Effect.andThen(TestClock.setTime(begun + second * 1000), settle)
