import {
  type AgentOrder,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  type ProcessEnd,
  type ProcessIdentity,
  type Terminal
} from "@souffleur/domain"
import { Clock, Effect, Layer, Option } from "effect"
import { fakeCompactPrompt, type FakeAgent } from "./FakeAgent.ts"
import type { FakeMusicians } from "./plan/FakeMusicians.ts"
import { type FakeProcess, type FakeProcesses, identityOf } from "./FakeProcesses.ts"

/** The behaviour of a session that compacts. */
export type FakeCompaction =
  | "compacts"
  | "compacts and ends"
  | "ends"
  | "hangs"
  | "compacts as it ends"
  | "cannot be ended"

/** Reads an end in short: an exit code, or the name of a signal. */
const endOf = (end: number | string): ProcessEnd =>
  typeof end === "number" ? { _tag: "Exited", code: end } : { _tag: "Killed", signal: end }

/** A launch that became a process. */
export interface FakeLaunch extends LaunchOrder {
  readonly pid: number
  /** The order of an agent, with its session, prompt and permission; `undefined`: a plain command. */
  readonly order: AgentOrder | undefined
}

const digestOf = (id: string) => `digest of ${id}`

/** Launches at most once, as receipts and tombstones ensure it (spec: behaviour#launch-at-most-once). */
export class FakeLauncher {
  terminals: readonly [Terminal, ...ReadonlyArray<Terminal>] = ["headless"]
  /** The terminals that open no window. */
  readonly windowless = new Set<Terminal>()
  /** True if a command can get a terminal of its own. */
  hasPty = true
  /** Launch files by their ids. */
  readonly prepared = new Map<string, LaunchOrder>()
  readonly receipts = new Map<string, ProcessIdentity | "tombstone">()
  /** Decides the result of a launch: the process that it becomes, or the reason why it fails. */
  becomes: (id: string) => FakeProcess | LaunchFailed | string = () => ({ pid: this.#nextPid++ })
  #nextPid = 5000
  /** Count of the next launches after which souffleur vanishes, as by SIGKILL. */
  vanishes = 0
  /** How every headless launch ended: its exit code, or a signal. `undefined`: nothing saw the end. */
  ended: number | string | undefined
  /** The time of that end, epoch ms. `undefined`: the time at which it is asked for. */
  endedAt: number | undefined
  /** The behaviour of each compaction in order. The last one applies to all that follow. */
  compactions: ReadonlyArray<FakeCompaction> = ["compacts"]
  /** Count of the sessions that were told to compact. */
  compacted = 0

  readonly processes: FakeProcesses
  readonly agent: FakeAgent
  readonly #musicians: FakeMusicians
  /** The launches for a plan. Each of them ends with exit code 0. */
  readonly #played = new Set<string>()
  constructor(processes: FakeProcesses, agent: FakeAgent, musicians: FakeMusicians) {
    this.processes = processes
    this.agent = agent
    this.#musicians = musicians
  }

  /** The ids of launches that were started, each once. */
  readonly asked: Array<string> = []
  /** The launches that became a process, in order. */
  readonly launches: Array<FakeLaunch> = []

  #compact(pid: number) {
    const { agent, processes } = this
    const how = this.compactions[Math.min(this.compacted++, this.compactions.length - 1)]
    if (how === "compacts" || how === "compacts and ends") agent.session.boundary()
    if (how === "compacts and ends" || how === "ends") processes.end(pid)
    if (how === "compacts as it ends") processes.onSignal = (to) => (to === pid ? agent.session.boundary() : undefined)
    if (how === "cannot be ended") processes.run({ pid, on: { SIGTERM: "stays", SIGKILL: "stays" } })
  }

  /** The terminal that a launch gets: in print mode it is headless everywhere. */
  #placeOf(id: string): Terminal {
    const order = this.prepared.get(id)
    const { command, place = this.terminals[0], terminal = "shared" } = order ?? {}
    return terminal === "own" || (terminal === "shared" && command?.window === true) ? place : "headless"
  }

  readonly #outputPath: Launcher["Service"]["outputPath"] = (id, of) =>
    `/state/launches/${id}.${of === "stderr" ? "err" : "out"}`

  /** The port. */
  readonly service = Effect.sync(() =>
    Launcher.of({
      terminals: this.terminals,
      hasPty: Effect.sync(() => this.hasPty),
      bound: () => Effect.void,
      prepare: (order) => Effect.sync(() => (this.prepared.set(order.id, order), digestOf(order.id))),
      launch: Effect.fnUntraced({ self: this as FakeLauncher }, function* (id: string) {
        const { agent, processes } = this
        const taken = this.receipts.get(id)
        if (taken === "tombstone") return yield* new LaunchFailed({ message: "the launch was cancelled" })
        if (taken !== undefined) return taken
        this.asked.push(id)
        const place = this.#placeOf(id)
        if (this.windowless.has(place)) {
          this.receipts.set(id, "tombstone")
          return yield* new LaunchFailed({ message: `${place} does not answer`, noWindow: true })
        }
        const process = this.becomes(id)
        if (typeof process === "string" || process instanceof LaunchFailed) {
          this.receipts.set(id, "tombstone")
          return yield* typeof process === "string" ? new LaunchFailed({ message: process }) : process
        }
        const { pid } = process
        const prepared = this.prepared.get(id)
        const played = prepared && this.#musicians.play(prepared, this.#outputPath(id), yield* Clock.currentTimeMillis)
        if (played !== undefined) this.#played.add(id)
        processes.did.push(`launch ${pid}`)
        processes.run({ environment: { SOUFFLEUR_LAUNCH_ID: id }, ...played, ...process })
        this.receipts.set(id, identityOf(pid))
        // An agent writes the id of its session to its pid file.
        const [sessionId, dashes, prompt] = prepared?.command.args ?? []
        if (sessionId !== undefined && dashes === "--") agent.sessions = [...agent.sessions, { pid, sessionId }]
        if (prepared !== undefined) {
          const order = agent.orders.findLast((one) => one.session.sessionId === sessionId && one.prompt === prompt)
          this.launches.push({ ...prepared, pid, order })
        }
        if (prompt === fakeCompactPrompt) this.#compact(pid)
        if (this.vanishes > 0) {
          this.vanishes -= 1
          return yield* Effect.never
        }
        return identityOf(pid)
      }),
      settle: (id) =>
        Effect.sync(() => {
          const taken = this.receipts.get(id)
          if (taken === undefined) this.receipts.set(id, "tombstone")
          return taken === undefined || taken === "tombstone" ? Option.none() : Option.some(taken)
        }),
      kept: (id, digest) => {
        const order = this.prepared.get(id)
        return order === undefined || digest !== digestOf(id)
          ? Effect.fail(new LaunchFailed({ message: "the launch file is missing" }))
          : Effect.succeed(order)
      },
      forget: (id) => Effect.sync(() => void this.prepared.delete(id)),
      endOf: (id) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromUndefinedOr(this.#played.has(id) ? 0 : this.ended), (ended) => ({
            end: endOf(ended),
            at: this.endedAt ?? now
          }))
        ),
      outputPath: this.#outputPath,
      inWindow: (id) => Effect.sync(() => this.#placeOf(id) !== "headless")
    })
  )
  readonly layer = Layer.effect(Launcher, this.service)
}
