import {
  type Cap,
  Comms,
  type Condition,
  Event,
  EventLog,
  formatTime,
  type HandoffReceipt,
  type LaunchOrder,
  makeWatchRef,
  type SessionSigns,
  type Settings,
  type Terminal,
  type WatchEvent
} from "@souffleur/domain"
import { agentBeats, Beats, Offspring } from "@souffleur/eventlog"
import {
  begun,
  type FakeComms,
  type FakePidFile,
  FakeWorld,
  identityOf,
  ownerOf,
  layerSettings,
  settle
} from "@souffleur/testing"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { jumpingClock } from "../../domain/test/JumpingClock.ts"
import { watcher } from "../src/index.ts"

export const conductor = identityOf(4711)
/** The pid of the first process that the Conductor started. */
const firstChild = 5000

/** A fake world around one watcher, in the words of its tests. */
export class World extends FakeWorld {
  solo = false
  kind: "agent" | "command" = "agent"
  /** When the agent last beat by itself, epoch ms. */
  beat: number | undefined
  /** Added to the wall clock, ms: the monotonic one goes on as it did. */
  wallJump = 0
  /** The folder of every process that holds a session. */
  folder = "/p"

  constructor() {
    super()
    this.processes.maySignal = () => false
    this.processes.run(conductor)
    this.agent.files = new Set(["s1"])
    this.children = 1
    this.row = { state: "working", heartbeat: formatTime, sessionId: "s1" }
  }

  set condition(condition: Condition) {
    this.processes.become(conductor.pid, condition)
  }
  /** Reports its end, as the system does. */
  set reported(reported: Effect.Effect<void>) {
    this.processes.run({ ...conductor, reported })
  }
  /** Ticks of the processor that it has used, asked each time. */
  set processor(ticks: () => number) {
    this.processes.run({ ...conductor, processor: ticks })
  }
  /** The command line of every process. */
  set words(words: ReadonlyArray<string>) {
    this.processes.wordsOf = () => words
  }
  /** How many processes the Conductor started that live. */
  set children(count: number) {
    for (const pid of this.processes.table.keys()) if (pid >= firstChild) this.processes.table.delete(pid)
    for (let n = 0; n < count; n += 1)
      this.processes.run({
        pid: firstChild + n,
        parent: conductor.pid,
        startTime: conductor.startTime + n,
        environment: { AGENT_PID: String(conductor.pid), AGENT_SESSION_ID: "s1" }
      })
  }
  /** Lets a process run that says that it holds a session. */
  hold(sessionId: string, pid: number) {
    if (pid !== conductor.pid) this.processes.run({ pid })
    this.agent.sessions = [...this.agent.sessions, { pid, sessionId, project: this.folder }]
  }
  /** For how long a call of its model may be silent. */
  set stall(stall: Duration.Duration) {
    this.agent.stall = stall
  }
  /** The sessions that launches report, by pid. */
  set reports(reports: (pid: number) => string | undefined) {
    this.agent.reports = reports
  }
  /** The folders that the process names for its sessions. */
  set folders(folders: ReadonlyArray<string>) {
    this.agent.folders = folders
  }
  /** Which process holds which session. */
  set holders(holders: ReadonlyMap<string, number>) {
    for (const [sessionId, pid] of holders) this.hold(sessionId, pid)
  }
  /** Sets the pid file of the Conductor. */
  set pidFile(file: Omit<FakePidFile, "pid" | "sessionId">) {
    this.agent.sessions = [{ pid: conductor.pid, sessionId: "s1", ...file }]
  }
  /** The session that the Conductor holds, by its hooks. */
  set holds(sessionId: string) {
    this.hooks.holds.set(conductor.pid, sessionId)
  }
  /** When the last hook of the Conductor ran, epoch ms. */
  set hooked(at: number) {
    this.hooks.last = at
  }
  /** The row `task-00`; `undefined`: comms cannot be read now. */
  get row(): FakeComms["conductor"] | undefined {
    return this.comms.out === undefined ? this.comms.conductor : undefined
  }
  set row(row: FakeComms["conductor"] | undefined) {
    this.comms.out = row === undefined ? "locked" : undefined
    if (row !== undefined) this.comms.conductor = row
  }
  /** Comms takes no beat. */
  set mirrorFails(fails: boolean) {
    this.comms.beatFails = fails
  }
  set taskCount(count: number) {
    this.comms.taskCount = count
  }
  /** The id of the newest payload. */
  set payload(id: number | undefined) {
    this.comms.payload = id === undefined ? undefined : { id, text: "" }
  }
  set turnFinished(finished: boolean) {
    this.agent.turnFinished = finished
  }
  /** The output that alone tells the state of a turn. */
  set turnIn(output: string) {
    this.agent.turnIn = output
  }
  set signs(signs: SessionSigns | undefined) {
    this.agent.signs = () => signs
  }
  set taken(taken: HandoffReceipt | undefined) {
    this.agent.taken = () => taken
  }
  set dollars(dollars: number) {
    this.agent.dollars = dollars
  }
  set caps(caps: ReadonlyArray<Cap>) {
    this.agent.caps = caps
  }
  set turns(turns: number) {
    this.agent.turns = turns
  }
  set spent(tokens: number) {
    this.agent.spent = tokens
  }
  /** The sessions that have a file. */
  set sessionFiles(files: Set<string>) {
    this.agent.files = files
  }
  /** The terminal in which each launch has a window. */
  set terminal(terminal: Terminal) {
    this.launcher.terminals = [terminal]
    const command = { program: "/bin/agent", args: [], environment: {}, window: true }
    const id = history.relaunched.launchId
    this.launcher.prepared.set(id, { id, command, cwd: "/p", title: "Conductor" })
  }
  /** The launches that are prepared. */
  set prepared(orders: ReadonlyArray<LaunchOrder>) {
    for (const one of orders) this.launcher.prepared.set(one.id, one)
  }
  /** The exit code of a command, or the signal that ended it; `undefined`: nothing saw its end. */
  set ended(end: number | string | undefined) {
    this.launcher.ended = end
  }
  /** The time of that end, epoch ms. */
  set endedAt(at: number) {
    this.launcher.endedAt = at
  }
}

/** Events of a watch before its watcher starts. */
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
    Event.WaitStarted.make({
      at: begun,
      watcher: 1,
      kind,
      until,
      resetsAt: until,
      trigger: "limit",
      turnAt: kind === "quiet-hours" ? null : begun - 10_000
    }),
  lost: (watcher: number, at: number) => Event.WatcherLost.make({ at, watcher, beatAge: 181_000 }),
  closed: Event.RecoveryFailedClosed.make({ at: begun, cycle: 1, stage: "gate", message: "too large" })
}

/** Starts a watcher of a watch with this history in its world. The world and the log have what it did. */
export const watching = Effect.fnUntraced(function* (
  setup: {
    readonly world?: Partial<World>
    readonly history?: ReadonlyArray<WatchEvent>
    /** Seconds that have passed since the watch began. */
    readonly late?: number
    /** When the watcher before last beat, in seconds since the watch began. */
    readonly beatBefore?: number
    /** The pids of processes that the Conductor was seen to start. */
    readonly started?: ReadonlyArray<number>
    readonly settings?: Partial<Settings["Service"]>
  } = {}
) {
  const world = Object.assign(new World(), setup.world)
  yield* TestClock.setTime(begun + (setup.late ?? 0) * 1000)
  const comms: Layer.Layer<Comms> = world.solo ? Comms.layerSolo : world.comms.layer
  const ports = Layer.mergeAll(
    EventLog.layerMemory,
    world.layerPorts,
    layerSettings({ limitMargin: Duration.zero, ...setup.settings })
  )
  const context = yield* Layer.build(ports.pipe(Layer.merge(comms), Layer.provide(world.files.layer)))
  const [log, beats, offspring] = [
    Context.get(context, EventLog),
    Context.get(context, Beats),
    Context.get(context, Offspring)
  ]
  if (world.beat !== undefined) yield* beats.beat(agentBeats("w"), { by: "agent", at: world.beat })
  if (setup.beatBefore !== undefined) yield* beats.beat("w", { by: "watcher/1", at: begun + setup.beatBefore * 1000 })
  yield* offspring.remember(
    conductor,
    (setup.started ?? []).map((pid) => identityOf(pid))
  )
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
    Event.OwnerTook.make({ at: begun, fence: 1, owner: ownerOf(10) }),
    ...(setup.history ?? [history.confirmed(), history.started()])
  ]
  yield* log.append("w", 0, before)
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
  const fiber = yield* watcher(ref, yield* ref.state).pipe(
    Effect.provideContext(context),
    Effect.provideService(Clock.Clock, yield* jumpingClock(() => world.wallJump)),
    Effect.forkChild
  )
  yield* settle
  return {
    world,
    ref,
    operator: yield* Effect.provideContext(makeWatchRef("w", { _tag: "Operator" }), context),
    fiber,
    /** The events since then, without those of the self-monitor that the watcher asks for. */
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
