import type { JobLimits, LaunchOrder, Permission, ResolvedSettings, Signal, TurnState, Watch } from "@souffleur/domain"
import { Beats, Offspring, Cursor } from "@souffleur/eventlog"
import { Effect } from "effect"
import { compactPrompt } from "./SimAgent.ts"
import { SimulatedComms } from "./SimulatedComms.ts"
import { capFlag, capIn, CapJudge } from "./CapJudge.ts"
import { CeilingJudge } from "./CeilingJudge.ts"
import { ClaimRoom } from "./ClaimRoom.ts"
import { asked, Conductor, secret } from "./SimulatedAgent.ts"
import { type Life, steady } from "./Life.ts"
import { type Compaction, compact } from "./SimulatedCompaction.ts"
import { Oracle } from "./Oracle.ts"
import { LaunchJudge } from "./LaunchJudge.ts"
import { LimitJudge } from "./LimitJudge.ts"
import { foreign, Lies } from "./Liar.ts"
import { LaunchRoom, type Solo } from "./LaunchRoom.ts"
import { Ledger } from "./Ledger.ts"
import type { SimProcess } from "./ProcessTable.ts"
import { TryJudge } from "./TryJudge.ts"
import { SignalJudge } from "./SignalJudge.ts"
import { SimMachine } from "./SimMachine.ts"
import type { StateFolder } from "./StateFolder.ts"
import { origin } from "./Timeline.ts"

/** The longest silence, in ms: the minute of a beat, and the time until a souffleur hears an operator's word. */
const maxSilence = 65_000

/**
 * A user's machine with one project on it. Souffleur knows only what its ports show. The world sees each violation
 * here, which must never be.
 */
export class World extends SimMachine implements StateFolder {
  /** The statement of each session file, by its newest records. */
  readonly sessions = new Map<
    string,
    { readonly writtenAt: number; readonly turn: TurnState; readonly asked: Array<number> }
  >()
  readonly comms: SimulatedComms
  readonly room: LaunchRoom
  readonly claims: ClaimRoom
  readonly ledger: Ledger
  readonly judge: LaunchJudge
  readonly signalJudge: SignalJudge
  readonly oracle: Oracle
  readonly beats: Beats["Service"]
  readonly offspring: Offspring["Service"]
  readonly cursor: Cursor["Service"]
  readonly id = "stage-0001"
  readonly conductors: Array<Conductor> = []
  readonly lies = new Lies()
  /** The life of each Conductor, by generation from 1. */
  lives: (generation: number) => Life = () => steady
  /** The ceiling in the config file, which an agent can write. */
  ceiling: Permission = "acceptEdits"
  readonly ceilings = new CeilingJudge(this)
  /** The most turns that the user lets an agent take. */
  mostTurns = Infinity
  readonly caps: CapJudge
  /** What the job may use. */
  limits: JobLimits | null = null
  readonly limitJudge: LimitJudge
  readonly tries: TryJudge
  /** The Conductor of a world without comms: the user started it, or `souffleur run` is to start it. */
  solo: "watched" | Solo | undefined = undefined
  /** Other settings of this user. */
  settings: Partial<ResolvedSettings> = {}
  /** The agent's export of a session. */
  transcript = `# Conversation\n\n${secret}\n`
  transcriptOf(sessionId: string): string {
    return `${this.transcript}\nsession ${sessionId}, to its end after ${this.disk.read(this.sessionFile(sessionId))?.length ?? 0} bytes\n`
  }
  exportFails = false
  /** The user's program that says whether the work is done: it says no so many times. `undefined`: there is none. */
  check: { noes: number; asked: number } | undefined = undefined
  /** The number of tools' results in each session. */
  readonly results = new Map<string, number>()
  /** True if the agent's hooks are installed. */
  hooked = false
  /**
   * The time until a souffleur hears the append of another process, in ms. The log on disk is looked at each second.
   */
  hearing = 1000
  /** True if the service fails every turn. */
  serviceOut = false
  released = false
  stopped = false
  finished = false

  #heard: { readonly by: SimProcess; readonly at: number; readonly disturbed: number } | undefined

  /**
   * Hears the souffleur that guards the watch. While it runs undisturbed, it beats within the minute
   * (spec: behaviour#ordering).
   */
  heard(by: SimProcess, disturbed: number): void {
    this.listen(by, disturbed)
    const { monotonic, starved } = this.timeline
    this.#heard = { by, at: monotonic, disturbed: disturbed + starved }
  }

  /** Checks that a souffleur was heard of in time. Each look at a running souffleur calls it. */
  listen(by: SimProcess, disturbed: number): void {
    this.limitJudge.look(by, disturbed)
    this.caps.look(by, disturbed)
    const { monotonic, starved } = this.timeline
    const last = this.#heard
    // The self-monitor sees a role that ends without a word, in its time.
    if (
      !Number.isFinite(disturbed) ||
      last?.by !== by ||
      last.disturbed !== disturbed + starved ||
      this.ledger.watch.phase !== "Watching"
    )
      return
    if (monotonic - last.at > maxSilence) this.violated(`nobody beat for ${monotonic - last.at} ms`)
  }

  /** Makes the world healthy from now on. */
  calmDown(): void {
    this.calm = true
    this.room.pace = () => 300
    this.room.away = false
    this.comms.trouble = undefined
    this.comms.lies = false
    this.exportFails = false
    this.faults.lasting = undefined
  }

  constructor(seed: number, shuffled: boolean) {
    super(seed, shuffled)
    this.comms = new SimulatedComms(this.timeline)
    this.room = new LaunchRoom(this)
    this.claims = new ClaimRoom(this.processes)
    this.ledger = new Ledger(this)
    this.judge = new LaunchJudge(this)
    this.signalJudge = new SignalJudge(this)
    this.oracle = new Oracle(this)
    this.caps = new CapJudge(this)
    this.limitJudge = new LimitJudge(this)
    this.tries = new TryJudge(this)
    this.beats = Effect.runSync(Effect.provide(Effect.service(Beats), Beats.layerMemory))
    this.offspring = Effect.runSync(Effect.provide(Effect.service(Offspring), Offspring.layerMemory))
    this.cursor = Effect.runSync(Effect.provide(Effect.service(Cursor), Cursor.layerMemory))
  }

  override tell(what: string): void {
    if (what.includes(secret) || what.includes(asked)) this.violations.push("the conversation is in a log line")
    super.tell(what)
  }

  sessionFile(sessionId: string): string {
    return `/claude/projects/-project/${sessionId}.jsonl`
  }

  /** The course of each compaction, counted from 1. */
  compactions: (number: number) => Compaction = () => ({ after: 3000, writes: true, ends: true })
  compactSessions: Array<SimProcess> = []

  /** The Conductor that runs, or ran last. */
  get conductor(): Conductor {
    return this.conductors.at(-1)!
  }

  /**
   * Returns the Conductor that wrote a session last, until a monotonic time. A person may have resumed it by hand after
   * ours ended.
   */
  writerOf(sessionId: string, until = Infinity): Conductor | undefined {
    return this.conductors.findLast((one) => one.sessionId === sessionId && one.startedAt <= until)
  }

  /** The processes that may write to the session: Conductors and sessions that compact. */
  get living(): ReadonlyArray<SimProcess> {
    return [...this.conductors.map(({ process }) => process), ...this.compactSessions].filter((process) =>
      this.processes.isAlive(process)
    )
  }

  /** The folder in which a session began. */
  projectOf(sessionId: string): string {
    return sessionId === foreign.session ? foreign.project : "/project"
  }

  /** Writes a Conductor's record to its session file. */
  wrote({ sessionId }: Conductor, turn: TurnState): void {
    // A command that is no agent has no session.
    if (sessionId === "") return
    this.lies.overwritten(sessionId)
    const asked = this.sessions.get(sessionId)?.asked ?? []
    if (turn._tag === "Asked") asked.push(turn.at)
    this.sessions.set(sessionId, { writtenAt: this.timeline.wall, turn, asked })
  }

  /** The words of an agent's command line by which its user caps it. */
  get capWords(): ReadonlyArray<string> {
    return Number.isFinite(this.mostTurns) ? [capFlag, String(this.mostTurns)] : []
  }

  /** Prepares `souffleur run`: the launch file is written before the watch is opened. */
  prepareRun(kind: Solo["kind"], sessionId: string): void {
    const launchId = `${this.id}-g1-launch-1`
    const args =
      kind === "command"
        ? ["all"]
        : [...this.capWords, "--session-id", sessionId, "--permission-mode", "acceptEdits", "--", "begin"]
    const command = { program: kind === "command" ? "/usr/bin/make" : "/usr/bin/claude", args, environment: {} }
    const digest = Effect.runSync(
      this.room.prepare({ id: launchId, command, cwd: "/project", title: "Conductor (S1)", keep: true })
    )
    this.solo = { kind, sessionId, launch: { launchId, digest, requested: "acceptEdits", effective: "acceptEdits" } }
  }

  /** True if the wall clock was not set, and the machine has not slept. */
  get steadyClock(): boolean {
    return this.timeline.offset === origin
  }

  /** Starts the first Conductor, as the user does. */
  startConductor(sessionId = "11111111-0000-4000-8000-000000000000"): Conductor {
    const process = this.processes.start({ name: "claude", session: sessionId, print: this.lives(1).print })
    this.disk.write(this.sessionFile(sessionId), "")
    this.judge.anew()
    return this.#become(process, sessionId, this.mostTurns)
  }

  /** Resumes the session as a person does in a terminal of their own: souffleur hears of it, or not. */
  resumeByHand(sessionId = this.conductor.sessionId): Conductor {
    this.tell("a person resumes the session by hand")
    // The Conductor goes on in the session that was named.
    const { moves: _, ...life } = this.lives(this.conductors.length + 1)
    const process = this.processes.start({ name: "claude", session: sessionId })
    const conductor = this.#become(process, sessionId, Infinity, life)
    conductor.process.print = conductor.life.print
    this.byHand.add(conductor)
    return conductor
  }

  /** Conductors that a person started, not souffleur. */
  readonly byHand = new Set<Conductor>()

  #become(
    process: SimProcess,
    sessionId: string,
    mostTurns: number,
    life = this.lives(this.conductors.length + 1)
  ): Conductor {
    const generation = this.conductors.length + 1
    process.session = sessionId === "" ? undefined : sessionId
    const conductor = new Conductor(this, process, sessionId, generation, life, mostTurns)
    this.conductors.push(conductor)
    return conductor
  }

  /** Turns a launcher that took its receipt into the agent: the most dangerous moment there is. */
  agentStarted(process: SimProcess, order: LaunchOrder, judge: Pick<LaunchJudge, "started"> = this.judge): void {
    const { args } = order.command
    const named = args.findIndex((word) => word === "--session-id" || word === "--resume")
    const sessionId = named === -1 ? "" : (args[named + 1] ?? "")
    if (sessionId === foreign.session) this.violated("a session of another project is taken over")
    this.tell(`${order.title} starts: pid ${process.identity.pid}, session ${sessionId}`)
    judge.started(order)
    process.name = order.command.program.slice(order.command.program.lastIndexOf("/") + 1)
    process.print = args.includes("-p")
    if (args.at(-1) === compactPrompt) return compact(this, process, sessionId)
    this.#become(process, sessionId, capIn(args))
  }

  get signals() {
    return this.signalJudge.all
  }

  wrongsOf(process: SimProcess, self: SimProcess): ReadonlyArray<string> {
    return this.signalJudge.wrongs(process, self)
  }

  wroteRow(): void {
    this.comms.isForeign = false
  }

  signalled(process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>): void {
    this.signalJudge.sent(process, signal, wrongs)
  }

  /** Each state of the watch that a role of a souffleur has seen, as it was then. */
  readonly seen = new Set<Watch>()
  /** True if the states are kept, and held against the log at the end. */
  sighted = true
}
