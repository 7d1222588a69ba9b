import { Hashing } from "@souffleur/domain"
import { isRunOver, type Run, type RunIntent, RunLog, dispatchRun, termsOf } from "@souffleur/plan"
import { Clock, Effect } from "effect"
import { strikes, type Target } from "../Faults.ts"
import type { Fate } from "../EffectGate.ts"
import type { Seed } from "../Seed.ts"
import type { ProgramOptions } from "../SimulatedProgram.ts"
import { Conduction } from "./Conduction.ts"
import { frequentInRuns, runTargets } from "./RunFaults.ts"
import type { RunWorld } from "./RunWorld.ts"
import type { SimPlan } from "./SimPlan.ts"
import { hash } from "node:crypto"
import { minute } from "../Timeline.ts"

/** Chances of a strike: at an aimed effect, at a frequent aimed effect, and at any other. */
const [aimed, frequentAimed, any] = [0.6, 0.1, 0.006]
/** Number of aims in each assignment of an agent. Most of them are not met in it. */
const inAssignment = 2
/**
 * Distance of the first aims of two neighbouring worlds, so that they do not begin alike. It is prime to the number of
 * targets.
 */
const stride = 37

/**
 * Starts conductors of the plan, at times several at once. Strikes them at their effects, each by a mood of its own.
 */
export class RunKeeper {
  readonly all: Array<Conduction> = []
  readonly #world: RunWorld
  readonly #seed: Seed
  #spared = false
  #aims = 0

  constructor(world: RunWorld, seed: Seed) {
    this.#world = world
    this.#seed = seed
  }

  /** Ends all strikes. */
  spare(): void {
    this.#spared = true
  }

  get isRunning(): boolean {
    return this.all.some(({ outcome }) => outcome === "running")
  }

  /** Picks a plan that is not done, or any plan where all are done. */
  #next(): SimPlan {
    const { plans } = this.#world
    const open = plans.filter(({ isDone }) => !isDone)
    return this.#seed.pick(open.length === 0 || (!this.#world.calm && this.#seed.chance(0.05)) ? plans : open)
  }

  start(script = this.#next(), started: ProgramOptions["started"] = {}): Conduction {
    const world = this.#world
    const mood = this.#seed.fork()
    // Each pair of an effect and a strike has its turn, across all worlds. One aim stays until it is met. The others
    // are new in each assignment of an agent.
    const next = () => runTargets[(world.seed.number * stride + this.#aims++) % runTargets.length]
    const aims: Array<Target | undefined> = [next()]
    let assignment = -1
    const plan = (_: number, name: string): Fate | undefined => {
      if (this.#spared || world.calm) return undefined
      if (assignment !== world.faults.begun) {
        assignment = world.faults.begun
        aims.splice(1, inAssignment, ...Array.from({ length: inAssignment }, next))
      }
      const at = aims.findIndex((aim) => aim?.boundary === name)
      const isAim = at !== -1 && mood.chance(frequentInRuns.has(name) ? frequentAimed : aimed)
      if (!isAim && !mood.chance(frequentInRuns.has(name) ? any / 10 : any)) return undefined
      const how = isAim ? aims[at]!.how : mood.pick(strikes)
      if (isAim) aims[at] = undefined
      world.faults.strike(name, how)
      return how === "paused"
        ? { pausedFor: mood.chance(0.8) ? mood.between(100, 20_000) : mood.between(0, 12 * minute) }
        : how
    }
    const made = new Conduction(world, script, {
      plan,
      budget: mood.pick([5, 50, 2048]),
      requested: mood.pick(["acceptEdits", "bypassPermissions"]),
      waits: mood.chance(0.4),
      // A watch or an agent starts it, and lets a stopped run be.
      restored: started.parent !== undefined || (!world.calm && mood.chance(0.3)),
      started
    })
    this.all.push(made)
    return made
  }

  /** Starts a conductor whenever none runs, and at times one too many. */
  keep(isOver: () => boolean): void {
    const { timeline } = this.#world
    const look = (): void => {
      if (!this.isRunning && !isOver()) {
        this.start()
        // Two start at once, or one after another.
        if (!this.#world.calm && this.#seed.chance(0.1)) this.start()
      } else if (!this.#world.calm && this.#seed.chance(0.02)) this.start()
      timeline.after(this.#seed.chance(0.1) ? this.#seed.between(0, 3 * minute) : this.#seed.between(0, 8000), look)
    }
    timeline.after(1500, look)
  }

  /** Wakes every stopped conductor. */
  wake(): void {
    for (const one of this.all) one.wake()
  }
}

/** A person who answers escalations and puts git in order, sooner or later. The question alone decides each answer. */
export class Person {
  readonly #world: RunWorld
  readonly #seed: Seed
  readonly #answers: (position: string) => "guidance" | "retry" | "skip"
  /** True if they also say what nobody asked for. */
  meddles = false
  /** Number of their deeds. Each may be a reason for more events in the log. */
  deeds = 0

  constructor(world: RunWorld, seed: Seed, answers: (position: string) => "guidance" | "retry" | "skip") {
    this.#world = world
    this.#seed = seed
    this.#answers = answers
  }

  #say(stream: string, intent: RunIntent, what: string): void {
    this.deeds++
    this.#world.tell(`a person answers ${what}`)
    const { ledger, timeline } = this.#world
    const clock = timeline.clock(() => false)
    const told = dispatchRun(stream.slice("run/".length), intent, { _tag: "Operator" })
    this.#world.personSpeaks = true
    Effect.runSync(told.pipe(Effect.provideService(RunLog, ledger.log), Effect.provideService(Clock.Clock, clock)))
    this.#world.personSpeaks = false
  }

  /** Says a word that the run may refuse. Then it is said without what nothing is left of. */
  #try(stream: string, intent: Extract<RunIntent, { readonly _tag: "Answer" }>, what: string): void {
    const { revert, ...plain } = intent
    try {
      this.#say(stream, intent, `${what}${revert === true ? ", and revert" : ""}`)
    } catch {
      this.#world.personSpeaks = false
      this.#say(stream, plain, what)
    }
  }

  #answer(): void {
    for (const [stream, run] of this.#world.ledger.runs) {
      const task = run.tasks.find(({ status }) => status === "escalated")
      if (task !== undefined) {
        const { answers } = this.#world.oracle(stream).rungs.get(task.id)!
        const answer = answers > 3 ? "skip" : this.#answers(`${task.id}/${answers}`)
        const text = answer === "guidance" ? "mind the gap" : ""
        const revert = answer === "skip" && task.work.commits.length > 0 && this.#seed.chance(0.6)
        this.#try(stream, { _tag: "Answer", taskId: task.id, answer, text, revert }, `for ${task.id}: ${answer}`)
      } else if (run.phase === "finished" && run.finishing === "failed") {
        const answer = this.#seed.chance(0.5) ? "retry" : "skip"
        this.#say(stream, { _tag: "AnswerFinishing", answer }, `for the finishing step: ${answer}`)
      }
    }
  }

  /** Says a word that nobody asked for: a hold, a stop, or to do a task again. Each is taken back in time. */
  #meddle(): void {
    const seed = this.#seed
    for (const [stream, run] of this.#world.ledger.runs) {
      if (isRunOver(run)) {
        // A task that is done again after the end needs a conductor again.
        const done = run.tasks.filter(({ skipped }) => !skipped)
        if (this.#redone < 2 && done.length > 0 && seed.chance(0.3)) this.#redo(stream, seed.pick(done).id)
        continue
      }
      const word = seed.pick(["hold", "stop", "stop now", "redo"] as const)
      const done = run.tasks.filter(({ id, status }) => status === "completed" && id !== run.reverting?.taskId)
      if (word === "hold") this.#say(stream, { _tag: "Hold" }, "for itself: hold")
      else if (word !== "redo") this.#say(stream, { _tag: "Stop", atOnce: word === "stop now" }, `for itself: ${word}`)
      else if (this.#redone < 2 && done.length > 0) this.#redo(stream, seed.pick(done).id)
    }
  }

  /** Returns the run whose branch a person checks out: that of the conductor that lives, else the first. */
  #atWork(): string | undefined {
    const { ledger, processes } = this.#world
    const open = [...ledger.runs].filter(([, run]) => !isRunOver(run))
    return (
      open.find(([, { owner }]) => owner !== null && processes.condition(owner.process) !== "gone") ?? open[0]
    )?.[0]
  }

  #redone = 0
  #redo(stream: string, taskId: string): void {
    this.#redone++
    this.#say(stream, { _tag: "Redo", taskId, text: this.#seed.pick(["", "mind the gap"]) }, `for ${taskId}: redo`)
  }

  #mend(stream: string, run: Run, reason: NonNullable<Run["paused"]>["reason"]): void {
    const { agents, disk, processes, repository } = this.#world
    const { tasks } = run
    if (reason === "work lost") {
      const there = new Set(repository.range(null))
      const lost = tasks.filter(({ base, id, skipped, status, tree, work }) => {
        if (status === "completed") return !skipped && work.commits.some((one) => !there.has(one))
        if (status !== "in_progress") return false
        const own = this.#world.repositoryOf(run, id).range(null)
        return (base !== null && !there.has(base)) || (tree !== null && !own.includes(tree.base))
      })
      for (const { id } of disk.full ? [] : lost) {
        const answer = this.#seed.pick(["retry", "skip"] as const)
        this.#say(stream, { _tag: "Answer", taskId: id, answer, text: "" }, `for the lost work of ${id}: ${answer}`)
      }
      return
    }
    if (reason === "plan" || reason === "questions") {
      const plan = this.#world.plans.find(({ id }) => stream === `run/${id}`)
      const hashing = Effect.provideService(termsOf(plan!.plan), Hashing, (bytes) =>
        Effect.sync(() => hash("sha256", bytes))
      )
      const terms = Effect.runSync(hashing)
      return disk.full
        ? undefined
        : this.#say(stream, { _tag: "RevisePlan", digest: plan!.digest, ...terms }, "for the plan")
    }
    if (reason === "revert") {
      const { reverting } = this.#world.ledger.runOf(stream)
      const taskId = reverting?.taskId
      return disk.full || taskId === undefined
        ? undefined
        : this.#say(stream, { _tag: "Answer", taskId, answer: "skip", text: "" }, `for ${taskId}: its commits stay`)
    }
    if (reason === "red" && this.#seed.chance(0.5))
      return disk.full ? undefined : this.#say(stream, { _tag: "AllowRed" }, "for a red gate")
    if ((reason === "history" || reason === "branch") && this.#atWork() !== stream) return
    // git answers the next time. A foreign file in the way is moved by its owner.
    if (reason === "failed") return void this.deeds++
    this.deeds++
    this.#world.tell(`a person puts right what a run is paused for: ${reason}`)
    if (reason === "not gone") for (const process of agents.flatMap(({ living }) => living)) processes.end(process)
    else if (reason === "red") {
      repository.moved++
      repository.commit(["person.ts"])
    } else if (reason === "history") {
      const { branch } = run
      repository.moved++
      if (typeof branch === "string") repository.checkOut(branch)
    } else if (reason === "branch") {
      repository.moved++
      if (run.agreed.branch !== null) repository.set(run.agreed.branch, null)
    } else repository.tidy()
  }

  /** Looks at the runs again and again, and acts late. */
  care(): void {
    const { disk, timeline } = this.#world
    const look = (): void => {
      if (!disk.full) this.#answer()
      if (!disk.full && !this.#world.calm && this.meddles && this.#seed.chance(0.15)) this.#meddle()
      else if (!disk.full)
        for (const [stream, run] of this.#world.ledger.runs)
          if (run.held !== null) this.#say(stream, { _tag: "EndWait" }, "for itself: go")
      for (const { witness } of this.#world.plans) witness.yield()
      for (const [stream, run] of this.#world.ledger.runs)
        if (run.paused !== null) this.#mend(stream, run, run.paused.reason)
      timeline.after(this.#seed.between(0, this.#seed.chance(0.2) ? 30 * minute : 2 * minute), look)
    }
    timeline.after(minute, look)
  }
}
