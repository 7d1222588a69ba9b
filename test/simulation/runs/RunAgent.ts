import type { LaunchOrder } from "@souffleur/domain"
import type { Program } from "../SimulatedProgram.ts"
import type { SimProcess } from "../ProcessTable.ts"
import type { AgentRole, Deed } from "./Deed.ts"
import type { SimMachine } from "../SimMachine.ts"
import { chatter, lastWords, type Said } from "./RunSentences.ts"
import type { Repository } from "./Repository.ts"

/** The record of the service in a session: it refused that agent. */
export interface Refusal {
  readonly by: string
  /** Epoch ms. */
  readonly at: number
  readonly problem: "usage-limit" | "outage" | "login"
  readonly resetsAt: number | undefined
}

/** What the service refuses, by the deed. */
const refusedBy: Partial<Record<Deed["kind"], Refusal["problem"]>> = {
  "hits a usage limit": "usage-limit",
  "hits an outage": "outage",
  "loses its login": "login"
}

/** The part of a world that an agent touches. */
export interface AgentWorld extends SimMachine {
  /** True if each agent chooses the id of its session, and tells it later. */
  readonly chooses: boolean
  readonly implementerTimeout: number
  readonly judge: { overdue(agent: RunAgent, limit: number, starved: number): void }
  readonly refusals: Map<string, Refusal>
  repositoryAt(folder: string): Repository
  readonly reviewerTimeout: number
}

export const outputOf = (launchId: string): string => `/state/launches/${launchId}.out`

/** Time for its end after its time limit, ms: a launch that is noticed late, SIGTERM, grace, SIGKILL. */
const endedWithin = 60_000

/** An agent that was launched for a run, as it truly is. */
export class RunAgent {
  readonly launchId: string
  readonly role: AgentRole
  readonly taskId: string | null
  /** Empty for a finishing command. */
  readonly sessionId: string
  /** True once its output names its session. */
  tells = false
  readonly resumed: boolean
  readonly process: SimProcess
  readonly deed: Deed
  /** The souffleur that launched it. */
  readonly by: Program | undefined
  /** Start by the wall clock, ms. `offset` is the lead of the wall clock over the monotonic clock at that moment. */
  readonly startedAt: number
  readonly offset: number
  readonly tree: Array<SimProcess> = []
  said: Said = "nothing"
  minor: ReadonlyArray<string> = []
  /** Moment when it ended by itself, ms, monotonic. */
  endedAt: number | undefined = undefined
  /** Moment when its session says that its turn was finished, epoch ms. */
  finishedAt: number | undefined = undefined
  /** Moment of the last record of its session before it hangs, epoch ms. */
  hangsSince: number | undefined = undefined
  /** Its exit code, where a souffleur saw it. */
  code: number | undefined = undefined
  /** Its folder. */
  readonly cwd: string
  /** The commit that it was told to merge. */
  readonly #onto: string | undefined
  /** The word that it was given to say with its verdict. */
  readonly #word: string
  readonly #world: AgentWorld

  constructor(
    world: AgentWorld,
    process: SimProcess,
    { command, cwd, id, title }: LaunchOrder,
    deed: Deed,
    by: Program | undefined
  ) {
    const [role, taskId] = title.split(" ") as [AgentRole, string | undefined]
    const named = command.args.findIndex((word) => word === "--session-id" || word === "--resume")
    this.#world = world
    this.#word = /^(?:IMPLEMENTATION_COMPLETE|APPROVED) (\S+)$/mu.exec(command.args.at(-1) ?? "")?.[1] ?? ""
    this.cwd = cwd
    this.#onto = /the run's branch is at ([0-9a-f]{40}) by now/u.exec(command.args.at(-1) ?? "")?.[1]
    this.process = process
    this.launchId = id
    this.role = role
    this.taskId = taskId ?? null
    this.sessionId = named === -1 ? "" : command.args[named + 1]! || `chosen-${id}`
    this.resumed = command.args[named] === "--resume"
    this.deed = deed
    this.by = by
    this.startedAt = world.timeline.wall
    this.offset = world.timeline.offset
    process.session = this.sessionId === "" ? undefined : this.sessionId
    process.onTerm = deed.onTerm
    process.ended = () => this.#ended(143)
    world.disk.write(outputOf(id), role === "finisher" ? "" : `${chatter}\n`)
    const half = Number.isFinite(deed.takes) ? deed.takes / 2 : 10_000
    world.timeline.after(half, () => this.isAlive && this.#midway())
    const limit = this.role === "reviewer" ? world.reviewerTimeout : world.implementerTimeout
    const { starved } = world.timeline
    world.timeline.after(limit + endedWithin, () => world.judge.overdue(this, limit, starved))
    if (Number.isFinite(deed.takes)) world.timeline.after(deed.takes, () => this.isAlive && this.#finish())
  }

  get isAlive(): boolean {
    return this.#world.processes.isAlive(this.process)
  }

  get token(): string {
    return this.launchId.slice(this.launchId.lastIndexOf("-") + 1)
  }

  /** Its living processes: its own, and those that it started. */
  get living(): ReadonlyArray<SimProcess> {
    return [this.process, ...this.tree].filter((process) => this.#world.processes.isAlive(process))
  }

  #midway(): void {
    this.tells = true
    if (this.deed.kind === "hangs") {
      this.hangsSince = this.#world.timeline.wall
      // Its pid file says that it is busy, and it may use no processor.
      this.process.lingers = this.startedAt % 2 === 0
    }
    const { processes } = this.#world
    const repository = this.#world.repositoryAt(this.cwd)
    for (let left = this.deed.daemons; left > 0; left--) {
      const environment = { SOUFFLEUR_LAUNCH_ID: this.launchId }
      const parent = left % 2 === 0 ? 1 : this.process.identity.pid
      this.tree.push(processes.start({ name: "daemon", parent, environment, onTerm: this.deed.onTerm }))
    }
    const file = `${this.taskId}.ts`
    switch (this.deed.kind) {
      case "completes":
      case "completes, and never exits":
      case "prints megabytes, then completes":
      case "completes, then prints megabytes":
      case "commits, and is cut off":
      case "commits, and quotes a verdict":
      case "completes and is blocked":
      case "commits, and approves":
      case "leaves changes":
      case "leaves a conflict":
        if (this.#onto !== undefined) repository.mergeIn(this.#onto)
        repository.commit([file, "index.ts"])
        break
      case "claims an empty commit":
        repository.commit([])
        break
      case "takes a commit away":
        repository.back()
        break
      default:
    }
    if (this.deed.kind === "leaves changes" || this.deed.kind === "changes files, and approves")
      repository.changed.add(file)
    if (this.deed.kind === "leaves a conflict") repository.conflicts.add(file)
  }

  #finish(): void {
    const { disk, processes, refusals, timeline } = this.#world
    const { kind, resetsIn } = this.deed
    const { minor = [], said, text } = lastWords(kind, this.#word, this.launchId)
    // Words that are not on the disk were not said.
    if (!disk.full) {
      this.said = said
      this.minor = minor
      disk.write(outputOf(this.launchId), text)
    }
    const problem = refusedBy[kind]
    if (problem !== undefined)
      refusals.set(this.sessionId, {
        by: this.launchId,
        at: timeline.wall,
        problem,
        resetsAt: resetsIn === undefined ? undefined : timeline.wall + resetsIn
      })
    else refusals.delete(this.sessionId)
    if (kind === "completes, and never exits" || kind === "approves, and never exits") {
      this.finishedAt = timeline.wall
      return
    }
    this.#ended(kind === "approves, and is killed" ? 137 : kind === "fails" || refusals.has(this.sessionId) ? 1 : 0)
    processes.end(this.process)
  }

  /** Records the end. Only the starter of a process is told its exit code. */
  #ended(code: number): void {
    if (this.endedAt !== undefined) return
    this.endedAt = this.#world.timeline.monotonic
    if (code === 0) this.finishedAt = this.#world.timeline.wall
    if (this.by?.state === "running") this.code = code
    this.#world.tell(
      `the ${this.role} of ${this.taskId ?? "the run"} (${this.token}) ends: ${this.deed.kind}, exit code ${code}`
    )
  }
}
