import { isOver, type Run, type RunIntent, RunLog, tellRun } from "@souffleur/conductor"
import { Clock, Effect } from "effect"
import { type Fate } from "../Gate.ts"
import type { Seed } from "../Seed.ts"
import { Conduction } from "./Conduction.ts"
import type { RunWorld } from "./RunWorld.ts"

const minute = 60_000

/** Effects that happen all the time; who is to be struck in a turn must survive most of them. */
const frequent = new Set("processes.condition beats.beat comms.beat log.read outbox.told outbox.tell comms.post".split(" "))
/** Effects of few turns: each pair of a boundary and a strike is to be seen often enough. */
const seldom = new Set(["launcher: tombstone", "launcher.exitCode", "git cat-file --batch-check", "git ls-tree -r", "processes.tree"])
const whens = ["before", "inside", "after"] as const

/** Starts conductors of the plan, at times several at once, and strikes them at their effects, by their own mood. */
export class RunKeeper {
  readonly all: Array<Conduction> = []
  readonly #world: RunWorld
  readonly #seed: Seed
  #spared = false

  constructor(world: RunWorld, seed: Seed) {
    this.#world = world
    this.#seed = seed
  }

  /** Nobody is struck. */
  spare(): void {
    this.#spared = true
  }

  get isRunning(): boolean {
    return this.all.some(({ outcome }) => outcome === "running")
  }

  start(): Conduction {
    const world = this.#world
    const mood = this.#seed.fork()
    const [usual, rare] = [mood.chance(0.9) ? 0.03 : 0, mood.chance(0.5) ? 0.001 : 0]
    const stops = mood.chance(0.5)
    const plan = (_: number, name: string): Fate | undefined => {
      if (this.#spared || world.calm || !mood.chance(frequent.has(name) ? rare : seldom.has(name) ? 3 * usual : usual)) return undefined
      // Between its last look and a signal there is a moment; who is stopped in just that one is not asked again (docs/reliability.md).
      const paused = mood.chance(0.25) && stops && !name.startsWith("processes.signal")
      const fate = paused ? { pausedFor: mood.chance(0.8) ? mood.between(100, 20_000) : mood.between(0, 12 * minute) } : mood.pick(whens)
      world.faults.strike(name, typeof fate === "string" ? fate : "paused")
      return fate
    }
    const made = new Conduction(world, {
      plan,
      budget: mood.pick([5, 50, 2048]),
      requested: mood.pick(["acceptEdits", "bypassPermissions"]),
      waits: mood.chance(0.4)
    })
    this.all.push(made)
    return made
  }

  /** Somebody who conducts the plan again whenever nobody does, and at times once too often. */
  keep(isOver: () => boolean): void {
    const { timeline } = this.#world
    const look = (): void => {
      if (!this.isRunning && !isOver()) {
        this.start()
        // Two at once, or one after another.
        if (!this.#world.calm && this.#seed.chance(0.1)) this.start()
      } else if (!this.#world.calm && this.#seed.chance(0.02)) this.start()
      timeline.after(this.#seed.chance(0.1) ? this.#seed.between(0, 3 * minute) : this.#seed.between(0, 8000), look)
    }
    timeline.after(1500, look)
  }

  /** Nobody is stopped any more. */
  wake(): void {
    for (const one of this.all) one.wake()
  }
}

/** Somebody who answers what is escalated and puts git in order, sooner or later; each answer by what is asked. */
export class Person {
  readonly #world: RunWorld
  readonly #seed: Seed
  readonly #answers: (position: string) => "guidance" | "retry" | "skip"
  /** What they did: each may be a reason for more in the log. */
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
    const told = tellRun(stream.slice("run/".length), intent, { _tag: "Operator" })
    Effect.runSync(told.pipe(Effect.provideService(RunLog, ledger.log), Effect.provideService(Clock.Clock, clock)))
  }

  #answer(): void {
    for (const [stream, run] of this.#world.ledger.runs) {
      const task = run.tasks.find(({ status }) => status === "escalated")
      if (task !== undefined) {
        const { answers } = this.#world.oracle(stream).rungs.get(task.id)!
        const answer = answers > 3 ? "skip" : this.#answers(`${task.id}/${answers}`)
        const text = answer === "guidance" ? "mind the gap" : ""
        this.#say(stream, { _tag: "Answer", taskId: task.id, answer, text }, `for ${task.id}: ${answer}`)
      } else if (run.phase === "finished" && !isOver(run)) {
        const answer = this.#seed.chance(0.5) ? "retry" : "skip"
        this.#say(stream, { _tag: "AnswerFinishing", answer }, `for the finishing step: ${answer}`)
      }
    }
  }

  #mend(cause: NonNullable<Run["paused"]>["cause"]): void {
    const { agents, processes, repository } = this.#world
    this.deeds++
    this.#world.tell(`a person puts right what a run is paused for: ${cause}`)
    if (cause === "not gone") for (const process of agents.flatMap(({ living }) => living)) processes.end(process)
    else repository.tidy()
  }

  /** Looks again and again, and acts late. */
  care(): void {
    const { disk, timeline } = this.#world
    const look = (): void => {
      if (!disk.full) this.#answer()
      for (const { paused } of this.#world.ledger.runs.values()) if (paused !== null) this.#mend(paused.cause)
      timeline.after(this.#seed.between(0, this.#seed.chance(0.2) ? 30 * minute : 2 * minute), look)
    }
    timeline.after(minute, look)
  }
}
