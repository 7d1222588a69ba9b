import { assignmentOf, parallelOf, type Run, type RunEvent } from "@souffleur/plan"
import type { LaunchOrder, ProcessIdentity } from "@souffleur/domain"
import type { SimProcess } from "../ProcessTable.ts"
import type { Refusal, RunAgent } from "./RunAgent.ts"
import type { SimMachine } from "../SimMachine.ts"
import { boast, chatter } from "./RunSentences.ts"
import type { CeilingJudge } from "../CeilingJudge.ts"
import type { Repository } from "./Repository.ts"
import type { RunLedger } from "./RunLedger.ts"

/** The part of a world that its agents are judged by. */
export interface JudgedWorld extends SimMachine {
  readonly agents: ReadonlyArray<RunAgent>
  readonly ceilings: CeilingJudge
  readonly implementerTimeout: number
  readonly stall: number
  readonly ledger: RunLedger
  readonly refusals: ReadonlyMap<string, Refusal>
  readonly repository: Repository
  readonly personSpeaks: boolean
  conductedByPerson: boolean
  readonly opening: ReadonlySet<{ readonly state: string }>
  readonly reviewerTimeout: number
  readonly steadyClock: boolean
  readonly zombies: boolean
  launchIdOf(stream: string, token: string): string
  runOf(agent: RunAgent): Run
  repositoryOf(run: Run, taskId: string | null): Repository
}

type Known = Pick<ProcessIdentity, "pid" | "startTime">
const same = (a: Known, b: Known) => a.pid === b.pid && a.startTime === b.startTime

type Noted = { readonly minor: ReadonlyArray<string> }
/** Returns whether a review has the minor findings of its reviewer that no earlier one had. */
const isParked = ({ minor }: Noted, said: Noted, before: Noted) =>
  minor.join("\n") === said.minor.filter((one) => !before.minor.includes(one)).join("\n")

/** Returns whether a work tree has the commit that the work of its task was at odds with. */
const isMerged = (repository: Repository, { tree }: Run["tasks"][number]) =>
  tree?.onto == null || repository.range(repository.head, tree.onto).length === 0

/** Compares the log of a run, its launches and its signals with the truth of the world. */
export class RunJudge {
  readonly #world: JudgedWorld
  /** How often a person had moved git when each agent was asked. */
  readonly #moved = new Map<string, number>()

  constructor(world: JudgedWorld) {
    this.#world = world
  }

  /** Checks, when a launcher starts, that its intent is in the log. */
  spawned(id: string): void {
    const { events } = this.#world.ledger
    if (!events.some(({ event }) => event._tag === "AgentPrepared" && event.launchId === id))
      this.#world.violated(`a launcher without an intent in the log: ${id}`)
  }

  /** Checks the start of an agent: the most dangerous moment there is. */
  started(agent: RunAgent, { command }: LaunchOrder): void {
    const world = this.#world
    const run = world.runOf(agent)
    // Processes that a finishing command has started are the user's own (docs/conduct.md).
    const others = world.agents.filter(
      (one) =>
        one !== agent &&
        (one.sessionId === "" ? [one.process] : one.living).some((process) => world.processes.isAlive(process))
    )
    const beside = others.filter((one) => one.cwd === agent.cwd || world.runOf(one) !== run)
    if (beside.length > 0)
      world.violated(`an agent starts beside ${beside.map(({ cwd, token }) => `${token} in ${cwd}`).join(", ")}`)
    if (others.length >= parallelOf(run)) world.violated(`an agent starts beside ${others.length} others`)
    const assignment = assignmentOf(run, agent.token)
    if (assignment === undefined) world.violated(`an agent starts whose assignment it is not: ${agent.token}`)
    if ((assignment?.ending ?? null) !== null) world.violated("an agent starts whose end is decided")
    const permission = command.args[command.args.indexOf("--permission-mode") + 1]
    const granted = world.ledger.events.findLast(
      ({ event }) => event._tag === "AgentPrepared" && event.launchId === agent.launchId
    )?.event
    const allowed = granted?._tag === "AgentPrepared" ? granted.effective : undefined
    if (agent.sessionId !== "" && permission === "bypassPermissions" && allowed !== permission)
      world.violated("a launch above what its log says")
    const prompt = command.args.at(-1) ?? ""
    if (prompt.includes(chatter)) world.violated(`what an agent chatted is in the prompt of the ${agent.role}`)
    if (agent.role === "reviewer" && prompt.includes(boast))
      world.violated("what an implementer said is in its reviewer's prompt")
    if (agent.role === "implementer" && prompt.includes("seen in "))
      world.violated("a minor finding is in an implementer's prompt")
    const rejected = world
      .runOf(agent)
      .tasks.find(({ id }) => id === agent.taskId)
      ?.feedback.at(-1)
    const isTold = prompt.includes("### Last Review") && rejected?.issues.every((issue) => prompt.includes(issue))
    if (agent.role === "reviewer" && assignment?.nudge === null && isTold !== (rejected !== undefined))
      world.violated("a reviewer is not told of the last rejection, or of one that never was")
  }

  /** Checks an agent whose time is over. A conductor that was there all the time, and undisturbed, has ended it. */
  overdue(agent: RunAgent, limit: number, starved: number): void {
    const { by } = agent
    const undisturbed = by?.state === "running" && by.gate.disturbed === 0 && this.#world.timeline.starved === starved
    if (agent.isAlive && undisturbed && agent.process.onTerm !== "unkillable")
      this.#world.violated(`the ${agent.role} ${agent.token} runs on after its ${limit} ms`)
  }

  /** Checks a signal from the souffleur `by`. */
  signalled(process: SimProcess, by: SimProcess): void {
    const world = this.#world
    const agent = world.agents.find(({ launchId }) => process.environment["SOUFFLEUR_LAUNCH_ID"] === launchId)
    if (agent === undefined) return world.violated(`a signal to a stranger, pid ${process.identity.pid}`)
    const run = world.runOf(agent)
    const assignment = assignmentOf(run, agent.token)
    if ((assignment?.ending ?? null) === null) world.violated("a signal without an intent in the log")
    // A moment lies between its last look and the signal (docs/reliability.md).
    const owns = run.owner !== null && same(run.owner.process, by.identity)
    if (!owns && !world.zombies) world.violated("a signal by a souffleur that does not own the run")
    if (agent.process !== process || !agent.isAlive) return
    const limit = agent.role === "reviewer" ? world.reviewerTimeout : world.implementerTimeout
    const age = world.timeline.wall - agent.startedAt
    const stopped = run.stop?.now === true || assignment?.ending?.reason === "stopped"
    const rests = [agent.finishedAt, agent.hangsSince].some(
      (at) => at !== undefined && world.timeline.wall - at > world.stall
    )
    if (age < limit && !rests && !stopped && agent.offset === world.timeline.offset)
      world.violated(`a signal to an agent that has ${limit - age} ms left`)
  }

  record(stream: string, before: Run, event: RunEvent): void {
    const world = this.#world
    world.ceilings.record(event, stream)
    if (ofAPerson.has(event._tag) && !world.personSpeaks) world.violated(`${event._tag}, and no person said it`)
    if (event._tag === "RunStopAsked") world.conductedByPerson = false
    // One that was slow may open a run that was stopped since its start.
    const isConducted = world.conductedByPerson || [...world.opening].some(({ state }) => state === "running")
    if (event._tag === "RunStopEnded" && !isConducted && !world.personSpeaks)
      world.violated("a stopped run is taken up, and no person conducts it")
    this.#reverts(before, event)
    if (event._tag === "AgentAsked") this.#moved.set(world.launchIdOf(stream, event.token), world.repository.moved)
    const agent =
      "token" in event
        ? world.agents.find(({ launchId }) => launchId === world.launchIdOf(stream, event.token))
        : undefined
    const wrong = (what: string) => world.violated(`${event._tag}: ${what}`)
    const held = (so: boolean, what: string) => void (so || wrong(what))
    if (agent === undefined) {
      if (endsAssignment.has(event._tag) && !("reason" in event && event.reason === "launch"))
        wrong("there never was such an agent")
      return
    }
    // A person may have moved git meanwhile, or a clock may have been set. Then souffleur saw something else.
    const moved = world.repository.moved !== this.#moved.get(agent.launchId)
    const { said } = agent
    const repository = world.repositoryOf(before, agent.taskId)
    const refused = world.refusals.get(agent.sessionId)?.by === agent.launchId
    switch (event._tag) {
      case "AgentNeverRan":
        return wrong("it ran")
      case "AgentLaunched":
        return held(same(event.process, agent.process.identity), "it is another process")
      case "AgentSessionFound":
        return held(event.sessionId === agent.sessionId, "it is another session")
      case "ImplementationCompleted": {
        const task = before.tasks.find(({ id }) => id === event.taskId)!
        const base = task.reviewed ?? task.base
        held(said === "complete", `the implementer said ${said}`)
        held(moved || repository.range(base).length > 0, "there is no commit")
        held(moved || repository.differences(base).length > 0, "no file was changed since it was reviewed")
        held(moved || isMerged(repository, task), "it has not merged what it was at odds with")
        return held(moved || repository.differences(task.base).length > 0, "no file was changed")
      }
      case "ImplementationBlocked":
        return held(said === "blocked", `the implementer said ${said}`)
      case "ReviewApproved": {
        const task = before.tasks.find(({ id }) => id === event.taskId)!
        held(said === "approved", `the reviewer said ${said}`)
        held(agent.deed.kind !== "approves without a look", "the reviewer looked at nothing")
        held(task.work.commits.length > 0 && task.work.files.length > 0, "there is no work")
        held(isParked(event, agent, task), "its minor findings are others")
        return held(moved || task.implementation?.head === repository.head, "what was reviewed is not what is there")
      }
      case "ReviewRejected": {
        const task = before.tasks.find(({ id }) => id === event.taskId)!
        held(isParked(event, agent, task), "its minor findings are others")
        return held(said === "rejected", `the reviewer said ${said}`)
      }
      case "PlanQuestioned":
        if (event.message !== null) return held(event.questions.length === 0, "it asks and does not")
        return held(said === (event.questions.length > 0 ? "rejected" : "approved"), `the reviewer said ${said}`)
      case "AgentStopped":
        return held(assignmentOf(before, event.token)?.ending?.reason === "stopped", "no person stopped it")
      case "AgentNudged":
        // After a clock was set back, the end of its turn lies before its beginning.
        if (!world.steadyClock) return
        held(!refused, "the service refused it")
        return held(["both", "complete", "nothing"].includes(said), `the ${agent.role} said ${said}`)
      case "AgentLimited":
      case "AgentReplaced":
        return held(said === "nothing" && (refused || !world.steadyClock), "no session says so")
      case "ImplementationFailed":
      case "ReviewFailed":
        return this.#failed(agent, before, event, { moved, refused }, held)
      case "AgentEnding":
        held(event.reason !== "lingering" || agent.finishedAt !== undefined, "its turn is not over")
        held(event.reason !== "hung" || agent.hangsSince !== undefined, "it works")
        return held(event.reason !== "timeout" || agent.isAlive, "it had ended")
      default:
    }
  }

  /** Checks that each commit of a skipped task is taken back once, that no other is, and that none is lost. */
  #reverts(before: Run, event: RunEvent): void {
    const { repository } = this.#world
    const { reverting } = before
    if (event._tag === "RevertAsked") {
      const approved = new Set(
        before.tasks.flatMap(({ earlier, id, skipped, status, work }) => [
          ...(earlier?.commits ?? []),
          ...(id !== event.taskId && status === "completed" && !skipped ? work.commits : [])
        ])
      )
      if (event.commits.some((commit) => approved.has(commit)))
        this.#world.violated("approved commits are to be taken back")
    }
    if (event._tag !== "WorkReverted" || reverting === null || this.#world.repository.moved > 0) return
    const made = repository.range(reverting.from)
    if (made.length > reverting.commits.length) this.#world.violated("a commit is taken back twice")
    if (repository.range(repository.head, reverting.from).length > 0)
      this.#world.violated("commits are lost where others are taken back")
  }

  #failed(
    agent: RunAgent,
    before: Run,
    { reason, taskId, token }: Extract<RunEvent, { readonly _tag: "ImplementationFailed" | "ReviewFailed" }>,
    { moved, refused }: { readonly moved: boolean; readonly refused: boolean },
    held: (so: boolean, what: string) => void
  ): void {
    const { deed, said } = agent
    const world = this.#world
    const assignment = assignmentOf(before, token)
    const orphaned = assignment?.fence !== before.fence
    switch (reason) {
      case "hung":
      case "timeout":
        return held(assignment?.ending?.reason === reason, "its end was not decided")
      case "no verdict":
        return held(said === "nothing" && !orphaned && (!refused || !world.steadyClock), `it said ${said}`)
      case "lost":
        // After a clock was set back, the end of its assignment lies before its beginning.
        // A person may have answered for its task meanwhile.
        return held(
          before.tasks.some(({ id, status }) => id === taskId && status !== "in_progress") ||
            ((said === "nothing" || !world.steadyClock) && orphaned),
          `it said ${said}`
        )
      case "contradictory verdict":
        return held(said === "both", `it said ${said}`)
      case "nothing done": {
        if (agent.role === "reviewer")
          return held(said === "approved" && deed.kind === "approves without a look", "the reviewer looked")
        const task = before.tasks.find(({ id }) => id === taskId)!
        const base = task.reviewed ?? task.base
        const repository = world.repositoryOf(before, taskId)
        const none = [repository.range(base), repository.differences(base), repository.differences(task.base)].some(
          (all) => all.length === 0
        )
        return held(said === "complete" && (moved || none || !isMerged(repository, task)), "there is work")
      }
      case "work changed": {
        const task = before.tasks.find(({ id }) => id === taskId)!
        return held(
          said === "approved" && (moved || world.repositoryOf(before, taskId).head !== task.implementation?.head),
          "nothing has changed"
        )
      }
      case "launch":
        return held(false, "it was launched")
      case "dropped":
        return held(
          before.tasks.some(({ dropped, id }) => id === taskId && dropped),
          "the plan has it"
        )
    }
  }
}

/** The events that a person's word alone leads to. */
const ofAPerson: ReadonlySet<RunEvent["_tag"]> = new Set([
  "FinishingAnswered",
  "PlanRevised",
  "RedAllowed",
  "RevertAsked",
  "RunHeld",
  "RunHoldEnded",
  "RunStopAsked",
  "TaskRedoAsked",
  "TaskAnswered"
])

const endsAssignment: ReadonlySet<RunEvent["_tag"]> = new Set([
  "ImplementationCompleted",
  "ImplementationBlocked",
  "ImplementationFailed",
  "ReviewApproved",
  "ReviewRejected",
  "ReviewFailed",
  "AgentNudged",
  "AgentLimited",
  "AgentReplaced",
  "AgentStopped"
])
