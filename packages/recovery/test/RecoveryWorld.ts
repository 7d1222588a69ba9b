import { claudeCode } from "@souffleur/claude"
import {
  Agent,
  AgentNotFound,
  type AgentOrder,
  Comms,
  CommsUnavailable,
  ExportFailed,
  Hooks,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  NotPermitted,
  Processes,
  type ProcessIdentity,
  type ProcessInfo,
  SessionNotFound,
  Settings,
  type Signal,
  untilSeenOver
} from "@souffleur/domain"
import { Beats, Offspring } from "@souffleur/eventlog"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { createHash } from "node:crypto"
import { Clock, Effect, FileSystem, Layer, Option, Path } from "effect"

/** A process of this world. */
export interface Running {
  readonly pid: number
  readonly parent: number
  readonly environment?: Readonly<Record<string, string>>
  /**
   * What it does about a signal: ends at once, ends after some ms, stays a zombie, cannot be ended, is not ours to
   * signal.
   */
  readonly on?: { readonly [S in Signal]?: "ends" | "zombie" | "stays" | "not permitted" | number }
  /** Souffleur, its ancestors, a terminal server: itself and its subtree are protected. */
  readonly protected?: boolean
}
interface Entry extends Running {
  condition: "running" | "zombie" | "gone"
  endsAt?: number
}

export const identityOf = (pid: number): ProcessIdentity => ({
  pid,
  startTime: pid === 4711 ? 99 : pid,
  bootId: "boot"
})

export const digestOf = (text: string) => createHash("sha256").update(text).digest("hex")

/** Everything a recovery meets, in memory: what tests set, and what it was seen to do, in order. */
export class World {
  readonly table = new Map<number, Entry>()
  readonly did: Array<string> = []
  sessions: ReadonlyArray<{ readonly pid: number; readonly sessionId: string }> = []
  /** What hooks told that a process holds now. */
  readonly holds = new Map<number, string>()
  /** Where a session began; `/p` where nothing is said. */
  readonly began = new Map<string, string>()
  /** `task-00.state`; `undefined`: comms is out. */
  state: string | undefined = "working"
  taskCount = 2
  /** Beats that comms took, epoch ms. */
  readonly mirrored: Array<number> = []
  exported = "# Export\nhello\n"
  exportFails = false
  /** Sessions that have no file: who was given them died before its first word. */
  readonly unwritten = new Set<string>()
  /** What happens while it exports. */
  meanwhile: () => void = () => {}
  /** What happens while the tree of a process is looked at, which is right before the first signal. */
  meanwhileLooked: () => void = () => {}
  agentMissing = false
  /** The newest payload in comms; `undefined`: there is none. */
  payload: { readonly id: number; readonly text: string } | undefined
  /** The newest that is of somebody else. */
  refused: { readonly id: number; readonly from: string | null } | undefined
  /** The session file: which one it is, its end in bytes, where boundaries begin in it. */
  readonly session = { inode: 1, size: 1000, boundaries: [] as Array<number>, summaries: [] as Array<number> }
  /** Whether the summary is written with its boundary. */
  summarizes = true
  /** What each compact session does, in their order; the last one for all that follow. */
  compactions: ReadonlyArray<
    "compacts" | "compacts and ends" | "ends" | "hangs" | "compacts as it ends" | "cannot be ended"
  > = ["compacts"]
  compacted = 0
  /** Writes its boundary when it is told to end. */
  compactsAsItEnds: number | undefined
  /** How often souffleur vanishes right after a launch, as by SIGKILL. */
  vanishes = 0
  launchFails: string | undefined
  readonly orders: Array<AgentOrder> = []
  readonly launches: Array<LaunchOrder> = []
  readonly receipts = new Map<string, ProcessIdentity | "tombstone">()
  nextPid = 5000

  run(...processes: ReadonlyArray<Running>): this {
    for (const process of processes) this.table.set(process.pid, { ...process, condition: "running" })
    return this
  }
  /** A boundary is written to the session file. */
  boundary() {
    this.session.boundaries.push(this.session.size)
    this.session.size += 300
    if (this.summarizes) this.summary()
  }
  /** What follows a boundary. */
  summary() {
    this.session.summaries.push(this.session.size)
    this.session.size += 900
  }
  /** What a session that was told to compact itself does. */
  compact(pid: number) {
    const how = this.compactions[Math.min(this.compacted++, this.compactions.length - 1)]
    if (how === "compacts" || how === "compacts and ends") this.boundary()
    if (how === "compacts and ends" || how === "ends") this.end(pid)
    if (how === "compacts as it ends") this.compactsAsItEnds = pid
    if (how === "cannot be ended") this.run({ pid, parent: 1, on: { SIGTERM: "stays", SIGKILL: "stays" } })
  }
  end(pid: number) {
    this.table.get(pid)!.condition = "gone"
  }
  get alive(): ReadonlyArray<number> {
    return [...this.table.values()].filter(({ condition }) => condition === "running").map(({ pid }) => pid)
  }
}

const processes = (world: World) => {
  const present = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const entry of world.table.values())
      if (entry.endsAt !== undefined && entry.endsAt <= now) entry.condition = "gone"
    return [...world.table.values()].filter(({ condition }) => condition !== "gone")
  })
  const infoOf = (entry: Entry): ProcessInfo => ({
    identity: identityOf(entry.pid),
    parent: entry.parent,
    uid: 1000,
    name: "agent",
    condition: entry.condition === "zombie" ? "zombie" : "running"
  })
  const carries = (entry: Entry, environment: Readonly<Record<string, string>>) =>
    Object.entries(environment).every(([key, value]) => entry.environment?.[key] === value)
  const below = (all: ReadonlyArray<Entry>, roots: ReadonlySet<number>) => {
    const found = new Set(roots)
    for (let before = -1; before !== found.size;) {
      before = found.size
      for (const { parent, pid } of all) if (found.has(parent)) found.add(pid)
    }
    return found
  }
  const find = (pid: number) => Effect.map(present, (all) => all.find((entry) => entry.pid === pid))
  const condition = (identity: ProcessIdentity) =>
    Effect.map(find(identity.pid), (entry) =>
      entry === undefined || identityOf(entry.pid).startTime !== identity.startTime
        ? "gone"
        : entry.condition === "zombie"
          ? "zombie"
          : "running"
    )
  return Processes.of({
    self: identityOf(10),
    host: { name: "here", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    commandLine: () => Effect.succeed([]),
    processorTime: () => Effect.succeed(undefined),
    find: (pid) => Effect.map(find(pid), (entry) => Option.map(Option.fromUndefinedOr(entry), infoOf)),
    condition,
    untilOver: untilSeenOver(condition),
    ancestors: Effect.succeed([]),
    tagged: (tag) => Effect.map(present, (all) => all.filter((entry) => carries(entry, tag.environment)).map(infoOf)),
    tree: (root, tags, others, known = []) =>
      Effect.map(present, (all) => {
        world.meanwhileLooked()
        const guarded = below(
          all,
          new Set([...others, ...all.flatMap((entry) => (entry.protected ? [entry.pid] : []))])
        )
        const tagged = all
          .filter((entry) => tags.some(({ environment }) => carries(entry, environment)))
          .map(({ pid }) => pid)
        const seen = known.filter(({ startTime, pid }) => startTime === identityOf(pid).startTime).map(({ pid }) => pid)
        const mine = below(all, new Set([root.pid, ...tagged, ...seen]))
        return all.filter(({ pid }) => pid !== root.pid && mine.has(pid) && !guarded.has(pid)).map(infoOf)
      }),
    signal: Effect.fnUntraced(function* ({ pid }, signal) {
      const entry = yield* find(pid)
      if (entry === undefined) return
      const how = entry.on?.[signal] ?? "ends"
      if (how === "not permitted") return yield* new NotPermitted({ pid, signal })
      world.did.push(`${signal} ${pid}`)
      if (how === "ends") entry.condition = "gone"
      if (world.compactsAsItEnds === pid) world.boundary()
      if (how === "zombie") entry.condition = "zombie"
      if (typeof how === "number") entry.endsAt = (yield* Clock.currentTimeMillis) + how
    })
  })
}

const agent = (world: World, fs: FileSystem.FileSystem) => {
  const sessionFile = (sessionId: string) =>
    Effect.suspend(() =>
      world.unwritten.has(sessionId)
        ? Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: "no session file" }))
        : Effect.succeed({ path: `/claude/${sessionId}.jsonl`, sessionId })
    )
  return Agent.of({
    name: "agent",
    compactPrompt: "/compact",
    sessions: Effect.sync(() =>
      world.sessions
        .filter(({ pid }) => world.table.get(pid)?.condition !== "gone")
        .map((one) => ({ ...one, project: "/p", status: "busy", waitingFor: undefined, writtenAt: 0 }))
    ),
    sessionFile,
    exportSession: Effect.fnUntraced(function* (sessionId, out) {
      if (world.exportFails) return yield* new ExportFailed({ message: "the session file changed meanwhile" })
      world.did.push(`export ${sessionId}`)
      world.meanwhile()
      yield* Effect.orDie(fs.writeFileString(out, world.exported, { mode: 0o600 }))
      return { path: out, bytes: world.exported.length, records: 1, warnings: [] }
    }),
    projectOf: (sessionId) => Effect.sync(() => Option.some(world.began.get(sessionId) ?? "/p")),
    mark: (sessionId) =>
      Effect.map(sessionFile(sessionId), ({ path }) => ({
        path,
        device: "1",
        inode: String(world.session.inode),
        offset: world.session.size
      })),
    compactedSince: ({ inode, offset }) =>
      Effect.sync(() => {
        if (inode !== String(world.session.inode) || !world.session.boundaries.some((at) => at >= offset))
          return "not yet"
        return world.session.summaries.some((at) => at >= offset) ? "summary" : "boundary"
      }),
    toolResults: () => Effect.succeed(0),
    isAgent: () => true,
    inPrintMode: () => false,
    turnEnded: () => Effect.succeed(false),
    signs: () => Effect.succeedNone,
    usedTools: () => Effect.succeed(true),
    handoffTaken: () => Effect.succeedNone,
    spent: () => Effect.succeed(0),
    tags: ({ pid, sessionId }) => [{ environment: { CLAUDE_PID: String(pid), CLAUDE_CODE_SESSION_ID: sessionId } }],
    sessionTag: (sessionId) => ({ environment: { CLAUDE_CODE_SESSION_ID: sessionId } }),
    command: (order) =>
      Effect.suspend(() => {
        world.orders.push(order)
        return world.agentMissing
          ? Effect.fail(new AgentNotFound({ program: "claude", problem: "not found in PATH" }))
          : Effect.succeed({
              program: "/bin/claude",
              args: [order.session.sessionId, "--", order.prompt],
              environment: {}
            })
      })
  })
}

const hooks = (world: World) =>
  Hooks.of({
    last: () => Effect.succeedNone,
    lineage: () => Effect.succeed([]),
    holds: ({ pid }) => Effect.sync(() => Option.fromUndefinedOr(world.holds.get(pid))),
    held: Effect.succeed([])
  })

/** Launches at most once, as receipts and tombstones make it (spec: behaviour#launch-at-most-once). */
const launcher = (world: World) =>
  Launcher.of({
    terminal: "headless",
    prepare: (order) => Effect.sync(() => (world.launches.push(order), `digest of ${order.id}`)),
    launch: Effect.fnUntraced(function* (id) {
      if (world.launchFails !== undefined) return yield* new LaunchFailed({ message: world.launchFails })
      if (world.receipts.has(id)) return yield* new LaunchFailed({ message: "the launch was cancelled" })
      const pid = world.nextPid++
      world.did.push(`launch ${pid}`)
      world.run({ pid, parent: 1, environment: { SOUFFLEUR_LAUNCH_ID: id } })
      world.receipts.set(id, identityOf(pid))
      // An agent says in its pid file which session it holds.
      const [sessionId, , prompt] = world.launches.find((order) => order.id === id)!.command.args
      world.sessions = [...world.sessions, { pid, sessionId: sessionId! }]
      if (prompt === "/compact") world.compact(pid)
      if (world.vanishes > 0) {
        world.vanishes -= 1
        return yield* Effect.never
      }
      return identityOf(pid)
    }),
    settle: (id) =>
      Effect.sync(() => {
        const taken = world.receipts.get(id)
        if (taken === undefined) world.receipts.set(id, "tombstone")
        return taken === undefined || taken === "tombstone" ? Option.none() : Option.some(taken)
      }),
    kept: (id, digest) =>
      Effect.suspend(() => {
        const order = world.launches.find((one) => one.id === id)
        return order === undefined || digest !== `digest of ${id}`
          ? Effect.fail(new LaunchFailed({ message: "the launch file is missing" }))
          : Effect.succeed(order)
      }),
    forget: () => Effect.void,
    exitCode: () => Effect.succeedNone,
    outputPath: (id) => `/state/launches/${id}.out`
  })

const comms = (world: World) =>
  Comms.of({
    path: "/p/comms.db",
    snapshot: Effect.suspend(() =>
      world.state === undefined
        ? Effect.fail(new CommsUnavailable({ path: "/p/comms.db", reason: "locked", problem: "database is locked" }))
        : Effect.succeed({
            conductor: Option.some({ state: world.state, lastHeartbeat: null, sessionId: null }),
            souffleur: Option.some("confirmed"),
            taskCount: world.taskCount,
            taskFingerprint: `${world.taskCount} tasks`,
            lastMessageId: 9
          })
    ),
    payload: ({ after }) =>
      Effect.suspend(() =>
        world.state === undefined
          ? Effect.fail(new CommsUnavailable({ path: "/p/comms.db", reason: "locked", problem: "database is locked" }))
          : Effect.succeed({
              heard: Option.filter(Option.fromUndefinedOr(world.payload), ({ id }) => id > after).pipe(
                Option.map((payload) => ({ ...payload, digest: digestOf(payload.text) }))
              ),
              refused: Option.fromUndefinedOr(world.refused)
            })
      ),
    replies: () => Effect.succeed({ heard: [], refused: Option.none() }),
    setState: () => Effect.void,
    beat: (at) => Effect.sync(() => void world.mirrored.push(at)),
    post: () => Effect.void
  })

/** The defaults, with the state folder that is given, and what a config file there says. */
const settings = (stateDir: string, change: Partial<Settings["Service"]>) =>
  Layer.effect(
    Settings,
    Effect.map(
      loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/home" }, flags: {} }),
      (all) => ({
        ...all,
        stateDir,
        ...change
      })
    )
  ).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer]))

/** All ports but the log; files are real, in a folder of the test's own. */
export const worldLayer = (world: World, stateDir: string, change: Partial<Settings["Service"]> = {}) =>
  Layer.mergeAll(
    Layer.succeed(Processes, processes(world)),
    Layer.effect(
      Agent,
      Effect.map(FileSystem.FileSystem, (fs) => agent(world, fs))
    ),
    Layer.succeed(Hooks, hooks(world)),
    Layer.succeed(Launcher, launcher(world)),
    Layer.succeed(Comms, comms(world)),
    Beats.layerMemory,
    Offspring.layerMemory,
    settings(stateDir, change)
  )
