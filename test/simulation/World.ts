import { Beats, type LaunchOrder, Outbox, type Permission, type ResolvedSettings, type Signal, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { Board } from "./Board.ts"
import { ClaimRoom } from "./ClaimRoom.ts"
import { asked, Conductor, type Life, secret, steady } from "./Conductor.ts"
import { Disk } from "./Disk.ts"
import { LaunchRoom } from "./LaunchRoom.ts"
import { Ledger } from "./Ledger.ts"
import { ProcessTable, type SimProcess } from "./ProcessTable.ts"
import { Seed } from "./Seed.ts"
import { RunQueue } from "./SimScheduler.ts"
import { Timeline } from "./Timeline.ts"

/** The record that proves a compaction. */
export const boundary = '{"type":"system","subtype":"compact_boundary"}'

/** A session that compacts. */
export interface Compaction {
  /** When it is done, in ms of its own life. */
  readonly after: number
  readonly writes: boolean
  /** By itself; else it idles until it is stopped. */
  readonly ends: boolean
  /** The boundary lands so many ms after the session is gone, whoever ended it. */
  readonly late?: number
  readonly onTerm?: SimProcess["onTerm"]
}

/** Lines of a story that are kept. */
const longestStory = 5000

/** A user's machine with one project on it, of which souffleur knows what its ports show. What must never be is seen here. */
export class World {
  readonly seed: Seed
  readonly timeline = new Timeline()
  readonly queue: RunQueue
  readonly processes: ProcessTable
  readonly board: Board
  readonly disk = new Disk()
  readonly room: LaunchRoom
  readonly claims: ClaimRoom
  readonly ledger: Ledger
  readonly beats: Beats["Service"]
  readonly outbox: Outbox["Service"]
  readonly id = "stage-0001"
  readonly conductors: Array<Conductor> = []
  readonly story: Array<string> = []
  readonly violations: Array<string> = []
  readonly signals: Array<{ readonly process: SimProcess; readonly signal: Signal; readonly at: number }> = []
  /** The life of each Conductor, by generation from 1. */
  lives: (generation: number) => Life = () => steady
  ceiling: Permission = "acceptEdits"
  /** What this user has set besides. */
  settings: Partial<ResolvedSettings> = {}
  /** What the agent's export of a session says. */
  transcript = `# Conversation\n\n${secret}\n`
  exportFails = false
  /** How long it takes until a souffleur hears what another process appended, in ms: the log on disk is looked at each second. */
  hearing = 1000
  released = false
  /** Nothing more goes wrong by itself. */
  calm = false
  /** The tasks as they were at each launch. */
  #launches: Array<string> = []

  /** `shuffled`: whichever fiber can run may be next, by the seed; else the oldest. */
  constructor(seed: number, shuffled: boolean) {
    this.seed = new Seed(seed)
    this.queue = new RunQueue(shuffled ? this.seed.fork() : undefined)
    this.processes = new ProcessTable(this.timeline, this.seed.fork())
    this.board = new Board(this.timeline)
    this.room = new LaunchRoom(this)
    this.claims = new ClaimRoom(this.processes)
    this.ledger = new Ledger(this)
    this.beats = Effect.runSync(Effect.provide(Effect.service(Beats), Beats.layerMemory))
    this.outbox = Effect.runSync(Effect.provide(Effect.service(Outbox), Outbox.layerMemory))
  }

  tell(what: string): void {
    if (what.includes(secret) || what.includes(asked)) this.violations.push("the conversation is in a log line")
    this.story.push(`${(this.timeline.monotonic / 1000).toFixed(3).padStart(10)} ${what}`)
    if (this.story.length > longestStory) this.story.splice(0, longestStory / 10)
  }

  violated(what: string): void {
    this.violations.push(what)
    this.tell(`VIOLATED: ${what}`)
  }

  sessionFile(sessionId: string): string {
    return `/claude/projects/-project/${sessionId}.jsonl`
  }

  /** What becomes of each compaction, counted from 1. */
  compactions: (number: number) => Compaction = () => ({ after: 3000, writes: true, ends: true })
  compactSessions: Array<SimProcess> = []
  /** Compactions that started, by cycle. */
  readonly #compacted = new Map<number, number>()

  /** A session that compacts: it holds the session like a Conductor, and is none. */
  #compact(process: SimProcess, sessionId: string): void {
    process.session = sessionId
    process.belongsTo = this.conductors.length
    this.compactSessions.push(process)
    const { after, ends, late, onTerm, writes } = this.compactions(this.compactSessions.length)
    process.onTerm = onTerm ?? 0
    const write = () => {
      const path = this.sessionFile(sessionId)
      this.disk.write(path, `${this.disk.read(path) ?? ""}${boundary}\n`)
    }
    if (late !== undefined) process.ended = () => void this.timeline.after(late, write)
    this.timeline.after(after, () => {
      if (!this.processes.isAlive(process)) return
      if (writes && late === undefined) write()
      if (ends) this.processes.end(process)
    })
  }

  /** The Conductor that runs, or ran last. */
  get conductor(): Conductor {
    return this.conductors.at(-1)!
  }

  /** Who may write to the session: Conductors and sessions that compact. */
  get living(): ReadonlyArray<SimProcess> {
    return [...this.conductors.map(({ process }) => process), ...this.compactSessions].filter((process) => this.processes.isAlive(process))
  }

  /** The user starts the first Conductor. */
  startConductor(sessionId = "11111111-0000-4000-8000-000000000000"): Conductor {
    const process = this.processes.start({ name: "claude", session: sessionId, print: this.lives(1).print })
    this.disk.write(this.sessionFile(sessionId), "")
    this.#launches.push(this.board.fingerprint)
    return this.#become(process, sessionId)
  }

  /** A person resumes the session in a terminal of their own: souffleur hears of it, or not. */
  resumeByHand(sessionId = this.conductor.sessionId): Conductor {
    this.tell("a person resumes the session by hand")
    const conductor = this.#become(this.processes.start({ name: "claude", session: sessionId }), sessionId)
    conductor.process.print = conductor.life.print
    this.byHand.add(conductor)
    return conductor
  }

  /** A launcher is started: until now there was time to see who else holds the session. */
  launching(id: string): void {
    const { events, watch } = this.ledger
    this.#spawned.set(id, this.timeline.monotonic)
    const holder = [...this.byHand].find(
      ({ process, sessionId }) => sessionId === watch.sessionId && this.#isOlder(process, this.timeline.monotonic)
    )
    if (holder !== undefined) this.violated(`a launch beside pid ${holder.process.identity.pid}, which holds the session`)
    if (watch.recovery?.steps["compact#2"]?._tag === "Failed") this.violated("a launch after compaction was exhausted in its cycle")
    if (!events.some((event) => event._tag === "LaunchPrepared" && event.launchId === id))
      this.violated("a launcher without an intent in the log")
  }

  #isOlder(process: SimProcess, than: number): boolean {
    return this.processes.isAlive(process) && process.since < than
  }

  /** Started by a person, not by souffleur. */
  readonly byHand = new Set<Conductor>()
  readonly #spawned = new Map<string, number>()

  #become(process: SimProcess, sessionId: string): Conductor {
    const generation = this.conductors.length + 1
    process.session = sessionId
    const conductor = new Conductor(this, process, sessionId, generation, this.lives(generation))
    this.conductors.push(conductor)
    return conductor
  }

  /** A launcher took its receipt and becomes the agent: the most dangerous moment there is. */
  agentStarted(process: SimProcess, order: LaunchOrder): void {
    const { args } = order.command
    const sessionId = args[args.findIndex((word) => word === "--session-id" || word === "--resume") + 1] ?? "unknown"
    this.tell(`${order.title} starts: pid ${process.identity.pid}, session ${sessionId}`)
    const { endedAt, events, watch } = this.ledger
    // Who came while the launcher was on its way, nobody could see: a person who sees two ends their own.
    const spawned = this.#spawned.get(order.id) ?? 0
    const late = [...this.byHand].filter(({ process }) => this.processes.isAlive(process) && process.since >= spawned)
    for (const { process } of late) this.timeline.after(30_000, () => this.processes.end(process))
    const others = this.living.filter((one) => !late.some(({ process }) => process === one))
    if (others.length > 0) this.violated(`two live Conductors: ${others.length + 1}`)
    const granted = watch.recovery?.launch
    if (endedAt === undefined && granted?.launchId !== order.id)
      this.violated("a Conductor of a launch that the log does not grant any more")
    if (endedAt !== undefined) this.violated(`a Conductor started ${this.timeline.monotonic - endedAt} ms after the watch had ended`)
    if (!events.some((event) => event._tag === "LaunchPrepared" && event.launchId === order.id))
      this.violated("a receipt without an intent in the log")
    if (watch.standby !== undefined) this.violated("a Conductor started after the cycle failed closed")
    const permission = args[args.indexOf("--permission-mode") + 1]
    if (permission === "bypassPermissions" && this.ceiling !== "bypassPermissions") this.violated("a launch above the ceiling")
    if (permission === "bypassPermissions" && granted?.requested !== "bypassPermissions")
      this.violated("a permission that nobody asked for")
    if (JSON.stringify(order).includes(secret)) this.violated("the conversation is in a launch")
    process.print = args.includes("-p")
    if (args.at(-1) === "/compact") {
      const attempts = (this.#compacted.get(watch.cycles) ?? 0) + 1
      this.#compacted.set(watch.cycles, attempts)
      if (attempts > 2) this.violated("a third compaction in one cycle")
      return this.#compact(process, sessionId)
    }
    this.#launches.push(this.board.fingerprint)
    // What nobody could read at a launch counts as progress later, once.
    if (this.board.trouble !== undefined) this.#launches = []
    // The user's own start counts: after it, or after progress, three deaths are two or three launches.
    const last = this.#launches.slice(-4)
    if (last.length === 4 && new Set(last).size === 1) this.violated("more than three launches in a row without progress")
    this.#become(process, sessionId)
  }

  /** Souffleur signals a process. */
  signalled(process: SimProcess, signal: Signal): void {
    const { timeline } = this
    this.tell(`${signal} to pid ${process.identity.pid} (${process.name})`)
    const conductor = this.conductors.find((one) => one.process === process)
    const first = !this.signals.some((one) => one.process === process)
    if (conductor !== undefined && this.byHand.has(conductor) && this.ledger.watch.conductor?.startTime !== process.identity.startTime)
      this.violated("a signal to a Conductor that a person started, and the watch does not follow")
    if (process.belongsTo === 0) this.violated(`a signal to a stranger, pid ${process.identity.pid}`)
    else if (
      this.conductors[process.belongsTo - 1]?.isHealthy === true &&
      first &&
      !this.signals.some((one) => one.process.belongsTo === process.belongsTo)
    ) {
      this.violated(`a signal to ${conductor === undefined ? "a tool of " : ""}a healthy Conductor (S${process.belongsTo})`)
    }
    // Between the last look at the log and the signal there is a moment, but no time.
    const since = timeline.monotonic - (this.ledger.endedAt ?? timeline.monotonic)
    if (since > 0 && this.ledger.watch.end === "released") this.violated(`a signal ${since} ms after the release`)
    this.signals.push({ process, signal, at: timeline.monotonic })
    this.processes.signal(process, signal)
  }

  /** An operator's word counts from here, also for the launches in a row. */
  adopted(): void {
    this.#launches = this.board.trouble === undefined ? [this.board.fingerprint] : []
  }

  /** Each state of the watch that a role of a souffleur has seen, as it was then. */
  readonly seen: Array<Watch> = []

  /** Runs what can run, then moves to the next timer, until `done`, or until `until` on the monotonic clock. */
  run(until: number, done: () => boolean = () => false): void {
    const { queue, timeline } = this
    while (!done()) {
      if (!queue.isEmpty) queue.step()
      else if ((timeline.next ?? Infinity) <= until) timeline.step()
      else {
        timeline.monotonic = Math.max(timeline.monotonic, until)
        return
      }
    }
  }
}
