import { initialRun, type LaunchWords, type Plan, type Run } from "@souffleur/plan"
import { type LaunchOrder, type Permission, type Signal, type TurnState } from "@souffleur/domain"
import { Beats, Cursor } from "@souffleur/eventlog"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { SimulatedComms } from "../SimulatedComms.ts"
import { CeilingJudge } from "../CeilingJudge.ts"
import { ClaimRoom } from "../ClaimRoom.ts"
import { LaunchRoom } from "../LaunchRoom.ts"
import type { SimProcess } from "../ProcessTable.ts"
import type { Program } from "../SimulatedProgram.ts"
import { SimMachine } from "../SimMachine.ts"
import { origin } from "../Timeline.ts"
import { BranchJudge } from "./BranchJudge.ts"
import { type AgentRole, type Deed, isPlain, plainDeed } from "./Deed.ts"
import { Repository } from "./Repository.ts"
import { type Refusal, RunAgent } from "./RunAgent.ts"
import { RunJudge } from "./RunJudge.ts"
import { RunLedger } from "./RunLedger.ts"
import { RunOracle } from "./RunOracle.ts"
import { SimPlan } from "./SimPlan.ts"
import { chatter } from "./RunSentences.ts"

/** The longest silence of a conductor, ms: it beats each minute. */
const maxSilence = 61_000

/** A user's machine with one project, its plans and their conductors. States that must never be are seen here. */
export class RunWorld extends SimMachine {
  readonly project = "/project"
  readonly repository = new Repository()
  readonly comms: SimulatedComms
  readonly room: LaunchRoom
  readonly claims: ClaimRoom
  readonly ledger: RunLedger
  readonly judge: RunJudge
  readonly branchJudge: BranchJudge
  readonly beats: Beats["Service"]
  readonly cursor: Cursor["Service"]
  readonly agents: Array<RunAgent> = []
  readonly refusals = new Map<string, Refusal>()
  /** Messages of the user's notify command, as they came. */
  readonly notices: Array<string> = []
  readonly #heard = new Map<Program, { readonly at: number; readonly disturbed: number }>()
  readonly #oracles = new Map<string, RunOracle>()
  /** The souffleur that prepared each launch. */
  readonly prepared = new Map<string, Program>()
  readonly ceilings = new CeilingJudge(this)
  /** Words of launches. Each launch gets another word. */
  readonly words: LaunchWords = {
    fresh: Effect.sync(() => `word${++this.#words}`),
    digest: (word) => Effect.sync(() => createHash("sha256").update(word).digest("hex"))
  }
  #words = 0
  readonly implementerTimeout = 5 * 60_000
  readonly reviewerTimeout = 3 * 60_000
  /** How long an agent whose turn is over is left alone, ms. */
  readonly stall = 30_000
  readonly plans: ReadonlyArray<SimPlan>
  /**
   * True if a stopped souffleur is taken for dead here. It finds a successor when it wakes, and only the fence is left
   * between them.
   */
  zombies = false
  chooses = false
  /** True if agents change the config file here. A conductor starts with what a person trusted, whatever the file says. */
  hostile = false
  /** True once a person conducts a plan after the last stop. */
  conductedByPerson = false
  /** Conductors that a person has started, and that have not opened their run yet. */
  readonly opening = new Set<Program>()
  /** True while a person says a word. */
  personSpeaks = false
  ceiling: Permission = "acceptEdits"
  gitFails: () => boolean = () => false
  gitFailures = 0
  /** Chooses the deed of an agent by its role and its assignment. */
  deeds: (role: AgentRole, position: string) => Deed = (role) => plainDeed(role)

  /** Says whether a gate refuses what it judges next. */
  gates: (position: string) => boolean = () => false

  constructor(seed: number, shuffled: boolean, plans: ReadonlyArray<Plan>) {
    super(seed, shuffled)
    this.comms = new SimulatedComms(this.timeline)
    this.room = new LaunchRoom(this)
    this.claims = new ClaimRoom(this.processes)
    this.ledger = new RunLedger(this)
    this.judge = new RunJudge(this)
    this.branchJudge = new BranchJudge(this)
    this.plans = plans.map((plan) => new SimPlan(this, plan))
    this.beats = Effect.runSync(Effect.provide(Effect.service(Beats), Beats.layerMemory))
    this.cursor = Effect.runSync(Effect.provide(Effect.service(Cursor), Cursor.layerMemory))
  }

  /** The work tree in a folder. */
  repositoryAt(folder: string): Repository {
    const found = folder === this.project ? this.repository : this.repository.linked.get(folder)
    if (found === undefined && !this.zombies) this.violated(`an agent works in ${folder}, which is not there`)
    return found ?? this.repository
  }

  /** The work tree in which a task is done. */
  repositoryOf({ tasks }: Run, taskId: string | null): Repository {
    const { tree = null } = tasks.find(({ id }) => id === taskId) ?? {}
    return (tree?.begun === true ? this.repository.linked.get(tree.folder) : undefined) ?? this.repository
  }

  override tell(what: string): void {
    if (what.includes(chatter)) this.violations.push("an agent's words are in a log line")
    super.tell(what)
  }

  /** True if the wall clock was never set and the machine never slept. */
  get steadyClock(): boolean {
    return this.timeline.offset === origin
  }

  launchIdOf(stream: string, token: string): string {
    return `run-${stream.slice("run/".length)}-${token}`
  }

  /** The last turn of a session by its last records. */
  turnOf(sessionId: string): TurnState | undefined {
    const refusal = this.refusals.get(sessionId)
    if (refusal !== undefined)
      return { _tag: "Failed", at: refusal.at, reason: refusal.problem, resetsAt: refusal.resetsAt }
    const agent = this.#newest(sessionId)
    if (agent?.hangsSince !== undefined) return { _tag: "Asked", at: agent.hangsSince }
    return agent?.finishedAt === undefined ? undefined : { _tag: "Finished", at: agent.finishedAt }
  }

  /** Returns whether an agent of a session is at work. */
  works(sessionId: string): boolean {
    const agent = this.#newest(sessionId)
    return agent?.isAlive === true && agent.hangsSince === undefined && agent.finishedAt === undefined
  }

  #newest(sessionId: string): RunAgent | undefined {
    return this.agents.findLast((one) => one.sessionId === sessionId)
  }

  #streamOf({ launchId }: { readonly launchId: string }): string {
    return `run/${launchId.slice("run-".length, launchId.lastIndexOf("-"))}`
  }

  runOf(agent: RunAgent): Run {
    return this.ledger.runs.get(this.#streamOf(agent)) ?? initialRun
  }

  /** Returns whether the gate of a run refuses the commit that it judges. */
  refuses(stream: string): boolean {
    const refuses = this.gates(this.oracle(stream).judged)
    if (refuses) this.faults.mishap()
    return refuses
  }

  oracle(stream: string): RunOracle {
    const oracle = this.#oracles.get(stream) ?? new RunOracle((what) => this.violated(what))
    this.#oracles.set(stream, oracle)
    return oracle
  }

  /** Turns a launcher into the agent, after it took its receipt. */
  agentStarted(process: SimProcess, order: LaunchOrder): void {
    const [role, taskId] = order.title.split(" ") as [AgentRole, string | undefined]
    const position = this.oracle(this.#streamOf({ launchId: order.id })).position(role, taskId ?? null)
    const deed = this.deeds(role, position)
    if (!isPlain(deed)) this.faults.mishap()
    const agent = new RunAgent(this, process, order, deed, this.prepared.get(order.id))
    this.agents.push(agent)
    this.tell(
      `the ${order.title} (${agent.token}) starts: pid ${process.identity.pid}, ${agent.resumed ? "again, " : ""}${deed.kind}, ${deed.takes} ms`
    )
    this.judge.started(agent, order)
  }

  /** Checks the beats of a conductor. Undisturbed, it beats four times in the span that a watcher takes for silence. */
  heard(by: Program): void {
    const { monotonic, starved } = this.timeline
    const disturbed = by.gate.disturbed + starved
    const last = this.#heard.get(by)
    this.#heard.set(by, { at: monotonic, disturbed })
    if (last !== undefined && last.disturbed === disturbed && monotonic - last.at > maxSilence)
      this.violated(`a conductor was silent for ${monotonic - last.at} ms`)
  }

  /** Notes a question to git. Returns `true` where git gives no answer. */
  gitAsked(): boolean {
    const fails = this.gitFails()
    if (fails) this.gitFailures++
    return fails
  }

  /** Delivers a signal of souffleur to a process. */
  signalled(process: SimProcess, signal: Signal, by: SimProcess): void {
    this.tell(`${signal} to pid ${process.identity.pid} (${process.name})`)
    this.judge.signalled(process, by)
    this.processes.signal(process, signal)
  }

  override powerCut(): void {
    super.powerCut()
    for (const { witness } of this.plans) witness.look()
  }

  /** Makes the world healthy, except for troubles that people must put right. */
  calmDown(): void {
    this.calm = true
    this.room.pace = () => 300
    this.comms.trouble = undefined
    this.comms.lies = false
    this.disk.full = false
    this.gitFails = () => false
    this.faults.lasting = undefined
  }
}
