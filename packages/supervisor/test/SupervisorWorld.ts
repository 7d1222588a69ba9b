import {
  type CommsReply,
  type CommsUnavailable,
  Comms,
  Event,
  EventLog,
  type Owner,
  type Terminal,
  type WatchEvent
} from "@souffleur/domain"
import { begun, FakeWorld, identityOf, ownerOf, layerSettings } from "@souffleur/testing"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

export const self = ownerOf(10)

type Held = ReadonlyArray<{ readonly pid: number; readonly sessionId: string }>

/** The short description of a world for a test of the supervisor. */
export interface Setup {
  /** The processes that are there: 4711 alone by default. */
  readonly processes?: ReadonlyMap<
    number,
    { readonly uid: number; readonly condition: "running" | "zombie"; readonly parent?: number }
  >
  /** Souffleurs that live. */
  readonly alive?: ReadonlySet<number>
  /** No signal ends a process. */
  readonly unkillable?: boolean
  readonly ancestors?: ReadonlyArray<number>
  /** Tools of session `s1`. */
  readonly tools?: ReadonlyArray<number>
  /** The content of pid files and hooks. */
  readonly sessions?: Held
  readonly hooked?: Held
  readonly files?: Set<string>
  /** The session that each launch reports. */
  readonly reports?: string
  readonly results?: ReadonlyMap<string, number>
  readonly claims?: ReadonlyMap<number | string, Owner>
  readonly claimsFail?: string
  /** The pid that a launch becomes, or why it fails. */
  readonly becomes?: () => number | string
  readonly terminal?: Terminal
  /** True if the first launch takes no window. */
  readonly windowless?: boolean
  /** How each launch ended. */
  readonly ended?: number | string
  readonly out?: CommsUnavailable["reason"]
  readonly lockedUses?: number
  /** The state of the row `souffleur`. */
  readonly row?: string | undefined
  readonly replies?: ReadonlyArray<CommsReply>
  readonly lastMessageId?: number
}

/** Makes such a fake world. Only a souffleur and launched processes may be signalled. */
export const worldOf = (setup: Setup = {}): FakeWorld => {
  const world = new FakeWorld()
  const { agent, claims, comms, hooks, launcher, processes } = world
  const stays = setup.unkillable === true ? ({ on: { SIGTERM: "stays", SIGKILL: "stays" } } as const) : {}
  const there = setup.processes ?? new Map([[4711, { uid: 1000, condition: "running" as const }]])
  const named = (pid: number) => ({ pid, name: "claude", ...stays, ...there.get(pid) })
  for (const pid of there.keys()) processes.run(named(pid))
  for (const pid of setup.alive ?? []) processes.run({ pid, ...stays })
  for (const pid of setup.tools ?? []) processes.run({ ...named(pid), environment: { AGENT_SESSION_ID: "s1" } })
  processes.ancestors = setup.ancestors ?? [9, 8]
  const souffleurs = new Set(setup.alive)
  processes.maySignal = (pid) =>
    souffleurs.has(pid) || [...launcher.receipts.values()].some((one) => one !== "tombstone" && one.pid === pid)
  agent.files = setup.files ?? new Set(["s1"])
  agent.sessions = setup.sessions ?? []
  if (setup.reports !== undefined) agent.reports = () => setup.reports
  for (const { pid, sessionId } of setup.hooked ?? []) hooks.holds.set(pid, sessionId)
  for (const [session, count] of setup.results ?? []) agent.results.set(session, count)
  for (const [what, owner] of setup.claims ?? []) claims.held.set(what, owner)
  claims.fails = setup.claimsFail
  launcher.terminals = [setup.terminal ?? "headless"]
  launcher.ended = setup.ended
  launcher.becomes = () => {
    const become = setup.becomes?.() ?? 4711
    return typeof become === "string" ? become : { condition: there.has(become) ? "running" : "gone", ...named(become) }
  }
  Object.assign(comms, {
    out: setup.out,
    lockedUses: setup.lockedUses ?? 0,
    souffleur: "row" in setup ? setup.row : "watching",
    taskCount: 3
  })
  comms.replies.push(...(setup.replies ?? []))
  comms.lastMessageId = setup.lastMessageId ?? 0
  return world
}

/** All ports but the cursor, and a log that has this history. */
export const living = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, world: FakeWorld = worldOf()) {
  yield* TestClock.setTime(begun)
  const isSolo = history[0]?._tag === "WatchOpened" && history[0].comms === null
  const comms: Layer.Layer<Comms> = isSolo ? Comms.layerSolo : world.comms.layer
  const ports = Layer.mergeAll(EventLog.layerMemory, world.layerPorts, layerSettings())
  const context = yield* Layer.build(ports.pipe(Layer.merge(comms), Layer.provideMerge(world.files.layer)))
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
  Event.WatchOpened.make({
    at,
    project: "/p",
    comms,
    pid: 4711,
    sessionId: "s1",
    observe: false,
    process: identityOf(4711)
  })
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
/** The evidence of a death. */
const evidence = {
  process: "gone" as const,
  conductorState: null,
  heartbeat: null,
  heartbeatAge: null,
  staleAfter: 1,
  signs: [],
  contextTokens: null,
  turnFinished: false,
  end: null
}
export const died = (retries = 1) =>
  Event.ConductorDied.make({ at, watcher: 1, taskCount: 1, taskFingerprint: "a", evidence, reason: "pid", retries })
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
