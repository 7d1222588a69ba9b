import { claudeCode } from "@souffleur/claude"
import {
  Agent,
  AgentNotFound,
  Comms,
  CommsUnavailable,
  type Condition,
  Event,
  EventLog,
  ExportFailed,
  formatTime,
  type HandoffTaken,
  Hooks,
  Launcher,
  makeWatchRef,
  Processes,
  type ProcessIdentity,
  SessionNotFound,
  type SessionSigns,
  Settings,
  untilSeenOver,
  type WatchEvent
} from "@souffleur/domain"
import { agentBeats, Beats, Offspring } from "@souffleur/eventlog"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { Clock, Context, Effect, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import { watcher } from "../src/index.ts"

/** When every watch here begins: epoch ms. */
export const begun = Date.UTC(2026, 0, 5, 12, 0, 0)
export const conductor = { pid: 4711, startTime: 99, bootId: "boot" }
const owner = {
  host: "here",
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid: 10, startTime: 5, bootId: "boot" }
}

/** The row `task-00` at a moment; a heartbeat is text, or a function of the time. */
interface Row {
  state: string
  heartbeat: string | null | ((now: number) => string | null)
  sessionId: string | null
}

/** The world around one watcher: what tests change, and what it was seen to do (seconds since the watch began). */
export class World {
  condition: Condition = "running"
  /** `undefined`: comms cannot be read now. */
  row: Row | undefined = { state: "working", heartbeat: (now) => formatTime(now), sessionId: "s1" }
  solo = false
  kind: "agent" | "command" = "agent"
  /** Its last turn is finished, and its pid file is removed. */
  turnFinished = false
  /** Of a command; `undefined`: nobody saw how it ended. */
  exitCode: number | undefined
  mirrorFails = false
  taskCount = 2
  /** How long the next look into comms takes, ms. */
  slowLook = 0
  /** How long the next reading of the session file takes, ms. */
  slowSigns = 0
  /** What the session file states; `undefined`: there is none. */
  signs: SessionSigns | undefined
  taken: HandoffTaken | undefined
  spent = 0
  /** What it started and lives. */
  children = 1
  /** Who was left out of its tree at each look, and who was known to be of it. */
  readonly trees: Array<{ readonly others: ReadonlyArray<number>; readonly known: ReadonlyArray<number> }> = []
  /** Ticks of the processor that it has used; a function: whenever it is asked. */
  processor: number | undefined | (() => number)
  /** How often its session was read for what is told once. */
  readonly read = { handoff: 0, spent: 0 }
  /** The newest payload's message. */
  payload: number | undefined
  /** When its last hook ran, epoch ms. */
  hooked: number | undefined
  /** When it last beat by itself, epoch ms. */
  beat: number | undefined
  /** The session that its process holds, by its hooks. */
  holds: string | undefined
  pidFile: { readonly status: string; readonly waitingFor: string | undefined; readonly writtenAt: number } | undefined
  readonly files = new Set(["s1"])
  /** Where a session began, if not in `/p`; `undefined`: its file does not say. */
  readonly projects = new Map<string, string | undefined>()
  /** The folder of every process that holds a session. */
  folder = "/p"
  /** Which process says that it holds a session. */
  readonly holders = new Map<string, number>()
  /** When every process that holds a session began. */
  startTime = conductor.startTime
  /** The command line of every process. */
  words: ReadonlyArray<string> = []
  /** Added to the wall clock, ms: the monotonic one goes on as it did. */
  wallJump = 0
  /** Monotonic ms at the beginning. */
  origin = 0
  readonly looks: Array<number> = []
  readonly probes: Array<number> = []
  readonly mirrored: Array<number> = []
}

/** Every default, as a project without a config file has them. */
const settings = Layer.effect(
  Settings,
  loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/home" }, flags: {} })
).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer]))

const secondOf = (world: World) =>
  Effect.map(Clock.monotonicTimeNanos, (nanos) => (Number(nanos) / 1_000_000 - world.origin) / 1000)

const comms = (world: World) => {
  const seconds = secondOf(world)
  const unavailable = new CommsUnavailable({ path: "/p/comms.db", reason: "locked", problem: "database is locked" })
  return Comms.of({
    path: "/p/comms.db",
    snapshot: Effect.gen(function* () {
      world.looks.push(yield* seconds)
      const slow = world.slowLook
      world.slowLook = 0
      yield* Effect.sleep(slow)
      const { row } = world
      if (row === undefined) return yield* unavailable
      const now = yield* Clock.currentTimeMillis
      const lastHeartbeat = typeof row.heartbeat === "function" ? row.heartbeat(now) : row.heartbeat
      return {
        conductor: Option.some({ state: row.state, lastHeartbeat, sessionId: row.sessionId }),
        souffleur: Option.some("confirmed"),
        taskCount: world.taskCount,
        taskFingerprint: `${world.taskCount} tasks`,
        lastMessageId: 0
      }
    }),
    payload: ({ after }) =>
      Effect.sync(() => {
        const payload = Option.map(Option.fromUndefinedOr(world.payload), (id) => ({ id, text: "", digest: "" }))
        return { heard: Option.filter(payload, ({ id }) => id > after), refused: Option.none() }
      }),
    replies: () => Effect.succeed({ heard: [], refused: Option.none() }),
    setState: () => Effect.void,
    beat: Effect.fnUntraced(function* () {
      if (world.mirrorFails || world.row === undefined) return yield* unavailable
      world.mirrored.push(yield* seconds)
    }),
    post: () => Effect.void
  })
}

const conditionIn = (world: World) =>
  Effect.fnUntraced(function* (identity: ProcessIdentity) {
    world.probes.push(yield* secondOf(world))
    return identity.pid === conductor.pid && identity.startTime === conductor.startTime ? world.condition : "gone"
  })

const processes = (world: World) =>
  Processes.of({
    self: owner.process,
    host: { name: "here", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    find: (pid) =>
      Effect.sync(() =>
        [...world.holders.values()].includes(pid) || (pid === conductor.pid && world.condition === "running")
          ? Option.some({
              identity: { ...conductor, pid, startTime: world.startTime },
              parent: 1,
              uid: 1000,
              name: "agent",
              condition: "running" as const
            })
          : Option.none()
      ),
    commandLine: () => Effect.sync(() => world.words),
    processorTime: () =>
      Effect.sync(() => (typeof world.processor === "function" ? world.processor() : world.processor)),
    condition: conditionIn(world),
    untilOver: untilSeenOver(conditionIn(world)),
    ancestors: Effect.succeed([]),
    tagged: () => Effect.succeed([]),
    tree: (_, __, others, known = []) =>
      Effect.sync(() => {
        world.trees.push({ others, known: known.map(({ pid }) => pid) })
        return Array.from({ length: world.children }, (_, n) => ({
          identity: { ...conductor, pid: 5000 + n, startTime: conductor.startTime + n },
          parent: conductor.pid,
          uid: 1000,
          name: "tool",
          condition: "running" as const
        }))
      }),
    signal: () => Effect.die("a watcher never signals")
  })

const agent = (world: World) =>
  Agent.of({
    name: "agent",
    compactPrompt: "/compact",
    sessions: Effect.sync(() =>
      [...world.holders, ...(world.pidFile === undefined ? [] : [["s1", conductor.pid] as const])].map(
        ([sessionId, pid]) => ({
          pid,
          sessionId,
          project: world.folder,
          status: "busy",
          waitingFor: undefined,
          writtenAt: 0,
          ...world.pidFile
        })
      )
    ),
    /** Takes the beginning of an id, as the real one does. */
    sessionFile: (asked) => {
      const found = [...world.files].filter((id) => asked !== "" && id.startsWith(asked))
      return found.length === 1
        ? Effect.succeed({ path: `/claude/${found[0]!}.jsonl`, sessionId: found[0]! })
        : Effect.fail(new SessionNotFound({ sessionId: asked, reason: "missing", message: "no session file" }))
    },
    exportSession: () => Effect.fail(new ExportFailed({ message: "a watcher never exports" })),
    projectOf: (sessionId) =>
      world.files.has(sessionId)
        ? Effect.sync(() => Option.fromNullishOr(world.projects.has(sessionId) ? world.projects.get(sessionId) : "/p"))
        : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: "no session file" })),
    mark: () => Effect.die("a watcher never compacts"),
    compactedSince: () => Effect.die("a watcher never compacts"),
    toolResults: () => Effect.succeed(0),
    isAgent: ([program]) => program !== "/usr/bin/postgres",
    inPrintMode: () => false,
    turnEnded: () => Effect.sync(() => world.turnFinished),
    signs: Effect.fnUntraced(function* () {
      const slow = world.slowSigns
      world.slowSigns = 0
      yield* Effect.sleep(slow)
      return Option.fromUndefinedOr(world.signs)
    }),
    usedTools: () => Effect.succeed(true),
    handoffTaken: () => Effect.sync(() => ((world.read.handoff += 1), Option.fromUndefinedOr(world.taken))),
    spent: () => Effect.sync(() => ((world.read.spent += 1), world.spent)),
    tags: () => [],
    sessionTag: () => ({ environment: {} }),
    command: () => Effect.fail(new AgentNotFound({ program: "agent", problem: "a watcher never launches" }))
  })

const hooks = (world: World) =>
  Hooks.of({
    last: () =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(world.hooked), (at) => ({
          event: "began",
          at,
          sessionId: "s1",
          pid: null,
          startTime: null
        }))
      ),
    lineage: () => Effect.succeed([]),
    held: Effect.succeed([]),
    holds: () => Effect.sync(() => Option.fromUndefinedOr(world.holds))
  })

/** Wall and monotonic time apart, which TestClock cannot. */
const jumping = (clock: Clock.Clock, world: World): Clock.Clock => ({
  ...clock,
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + world.wallJump,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (ms) => ms + world.wallJump),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(world.wallJump) * 1_000_000n,
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + BigInt(world.wallJump) * 1_000_000n)
})

/** What happened to a watch before its watcher starts. */
export const history = {
  confirmed: (conductorState: string | null = "working") =>
    Event.ConductorConfirmed.make({
      at: begun,
      conductor,
      print: false,
      sessionId: "s1",
      taskCount: 2,
      taskFingerprint: "2 tasks",
      conductorState,
      lastMessageId: 0
    }),
  prepared: Event.LaunchPrepared.make({
    at: begun,
    cycle: 0,
    launchId: "w-g1-launch-1",
    digest: "d",
    sessionId: "",
    requested: "acceptEdits",
    effective: "acceptEdits"
  }),
  started: (watcher = 1, awaiting = false, at = begun) =>
    Event.WatcherStarted.make({ at, watcher, awaiting, mode: "normal" }),
  relaunched: Event.ConductorRelaunched.make({
    at: begun,
    cycle: 1,
    generation: 2,
    provider: "claude_export",
    launchId: "w-g2-c1-6-launch-1",
    conductor,
    sessionId: "s1",
    awaiting: false,
    print: false,
    exportPath: "/e.md",
    taskCount: 2,
    taskFingerprint: "2 tasks",
    conductorState: "working",
    lastMessageId: 0
  }),
  waiting: (until: number, kind: "usage-limit" | "outage" | "quiet-hours" = "usage-limit") =>
    Event.WaitStarted.make({ at: begun, watcher: 1, kind, until, resetsAt: until, trigger: "limit" }),
  lost: (watcher: number, at: number) => Event.WatcherLost.make({ at, watcher, beatAge: 181_000 }),
  closed: Event.RecoveryFailedClosed.make({ at: begun, cycle: 1, stage: "gate", reason: "too large" })
}

/** Lets every fiber run until it waits: `adjust` right after a fork would jump past it. */
const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }))

/** A watcher of a watch with this history, at work in its world: what it did is in the world and in the log. */
export const watching = Effect.fnUntraced(function* (
  setup: {
    readonly world?: Partial<World>
    readonly history?: ReadonlyArray<WatchEvent>
    /** Seconds that have passed since the watch began. */
    readonly late?: number
    readonly settings?: Partial<Settings["Service"]>
  } = {}
) {
  const world = Object.assign(new World(), setup.world)
  yield* TestClock.setTime(begun + (setup.late ?? 0) * 1000)
  const clock = yield* Clock.clockWith(Effect.succeed)
  world.origin = Number(yield* Clock.monotonicTimeNanos) / 1_000_000 - (setup.late ?? 0) * 1000
  const context = yield* Layer.build(
    Layer.mergeAll(
      EventLog.layerMemory,
      Beats.layerMemory,
      Offspring.layerMemory,
      Layer.mock(Launcher)({
        terminal: "headless" as const,
        outputPath: (id: string) => id,
        exitCode: () => Effect.sync(() => Option.fromUndefinedOr(world.exitCode))
      }),
      Layer.effect(
        Settings,
        Effect.map(Settings, (defaults) => ({ ...defaults, ...setup.settings }))
      ).pipe(Layer.provide(settings)),
      Layer.succeed(Hooks, hooks(world)),
      Layer.succeed(Processes, processes(world)),
      Layer.succeed(Agent, agent(world)),
      world.solo ? Comms.layerSolo : Layer.succeed(Comms, comms(world))
    )
  )
  const [log, beats, offspring] = [
    Context.get(context, EventLog),
    Context.get(context, Beats),
    Context.get(context, Offspring)
  ]
  if (world.beat !== undefined) yield* beats.beat(agentBeats("w"), { by: "agent", at: world.beat })
  const before = [
    Event.WatchOpened.make({
      at: begun,
      project: "/p",
      comms: world.solo ? null : "/p/comms.db",
      pid: conductor.pid,
      sessionId: "s1",
      observe: false,
      kind: world.kind
    }),
    ...(world.kind === "agent" ? [] : [history.prepared]),
    Event.OwnerTook.make({ at: begun, fence: 1, owner }),
    ...(setup.history ?? [history.confirmed(), history.started()])
  ]
  yield* log.append("w", 0, before)
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
  const fiber = yield* watcher(ref, yield* ref.state).pipe(
    Effect.provideContext(context),
    Effect.provideService(Clock.Clock, jumping(clock, world)),
    Effect.forkChild
  )
  yield* settle
  return {
    world,
    ref,
    fiber,
    /** What was told since, the self-monitor that the watcher asks for left out. */
    told: log
      .read("w", before.length)
      .pipe(Effect.map((all) => all.map(({ event }) => event).filter(({ _tag }) => !_tag.startsWith("SelfMonitor")))),
    remembered: Effect.map(offspring.recall(conductor), (all) => all.map(({ pid }) => pid)),
    lastBeat: Effect.map(beats.last("w"), (beat) =>
      Option.map(beat, ({ at, by }) => `${by} at ${(at - begun) / 1000}`)
    ),
    ended: Effect.sync(() => fiber.pollUnsafe() !== undefined)
  }
})

/** Goes on to a second of the watch; the test began at 0. */
export const until = (second: number) => TestClock.setTime(begun + second * 1000)
