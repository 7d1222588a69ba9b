import { gateOfPlan, isRunOver, type Plan, type PlanGate, type PlannedTask, type Run } from "@souffleur/plan"
import type { Seed } from "../Seed.ts"
import type { SimMachine } from "../SimMachine.ts"
import { StateWitness } from "./StateWitness.ts"

/** The part of a world that a plan touches. */
export interface PlannedWorld extends SimMachine {
  readonly ledger: { readonly runs: ReadonlyMap<string, Run> }
  readonly zombies: boolean
}

/** The program by which a plan judges its work. */
const gate: PlanGate = { setup: [], verify: [["/usr/bin/judge"]] }

const touching = (glob: string | undefined) => (glob === undefined ? {} : { touches: [glob] })

/** Returns a task, which its author may have as done. */
const planned = (seed: Seed, id: string, isGated: boolean, dependsOn: ReadonlyArray<string> = []): PlannedTask => ({
  ...touching(seed.pick([undefined, undefined, "a/*.ts", "a/b/**", "c.ts", "**"])),
  id,
  title: `Do ${id}`,
  description: "what is to be done",
  acceptanceCriteria: "it is done",
  referenceDocs: [],
  dependsOn,
  ...(isGated ? { gate } : {}),
  done: seed.chance(0.1)
})

/** Adds the review of all tasks together at the end, where the plan had one or is to have one. */
const reviewed = (name: string, tasks: ReadonlyArray<PlannedTask>, isFinal: boolean): ReadonlyArray<PlannedTask> => {
  const others = tasks.filter(({ final }) => final === undefined)
  if (!isFinal) return others
  const gate = gateOfPlan({ tasks: others })
  const isDone = others.every(({ done }) => done === true)
  const review: PlannedTask = {
    id: `${name}-final`,
    title: "Final review",
    description: "all of it",
    acceptanceCriteria: "it is done",
    referenceDocs: [],
    dependsOn: others.map(({ id }) => id),
    ...(gate === undefined ? {} : { gate }),
    done: isDone,
    final: true
  }
  return [...others, review]
}
const isReviewed = (tasks: ReadonlyArray<PlannedTask>) => tasks.some(({ final }) => final === true)

/** The service may refuse the agent of a role, and another is asked meanwhile. */
const withFallback = { models: [], fallback: { agent: "other" } }

/** Draws a plan of at most `most` tasks, each after another task or not. */
export const planOf = (seed: Seed, name: string, most: number): Plan => {
  const isGated = seed.chance(0.4)
  const branch = seed.pick([undefined, undefined, "auto", "auto", "auto", `feature/${name}`])
  const worktrees = seed.chance(0.5)
  const keepsGoing = worktrees && seed.chance(0.6)
  const parallel = worktrees && seed.chance(0.5) ? seed.between(2, 3) : 1
  const ids = Array.from({ length: seed.between(1, most) }, (_, at) => `${name}${at + 1}`)
  return {
    workflowId: name,
    tasks: reviewed(
      name,
      ids.map((id, at) =>
        planned(seed, id, isGated, at > 0 && seed.chance(0.5) ? [ids[seed.between(0, at - 1)]!] : [])
      ),
      seed.chance(0.4)
    ),
    ...(branch === undefined ? {} : { branch }),
    ...(worktrees ? { worktrees } : {}),
    ...(keepsGoing ? { keepsGoing } : {}),
    ...(parallel > 1 ? { parallel } : {}),
    finish: seed.pick<Plan["finish"]>([
      ...(branch === undefined ? [] : [{ _tag: "Merge" } as const, { _tag: "Merge" } as const]),
      { _tag: "Leave" },
      { _tag: "None" },
      { _tag: "Prompt", prompt: "put an end to it" },
      { _tag: "Command", command: ["/usr/bin/finish"] }
    ]),
    ...(seed.chance(0.4) ? { questions: true as const } : {}),
    ...(seed.chance(0.5) ? { agents: { implementer: withFallback, reviewer: withFallback } } : {})
  }
}

/**
 * A plan in its file, and the file of its state. A person, or an agent, may change the plan. A run takes the file as it
 * then is by a person's word alone.
 */
export class SimPlan {
  plan: Plan
  /** Edition of the file: another number is another text. */
  edition = 1
  readonly path: string
  readonly statePath: string
  /** Id of its run. */
  readonly id: string
  readonly witness: StateWitness
  readonly #world: PlannedWorld

  constructor(world: PlannedWorld, plan: Plan) {
    this.#world = world
    this.plan = plan
    this.id = `project-${plan.workflowId}`
    this.path = `/project/${plan.workflowId}.yaml`
    this.statePath = `/project/${plan.workflowId}.json`
    this.witness = new StateWitness(world, this.statePath)
  }

  get digest(): string {
    return `edition ${this.edition}`
  }

  get run(): Run | undefined {
    return this.#world.ledger.runs.get(`run/${this.id}`)
  }

  /** True if all tasks in the file are done. */
  get isDone(): boolean {
    const { run } = this
    if (run === undefined || !isRunOver(run)) return false
    // A plan that was put back is another edition of the same tasks.
    const ids = (tasks: ReadonlyArray<{ readonly id: string }>) => tasks.map(({ id }) => id).join(" ")
    return run.digest === this.digest || ids(run.tasks) === ids(this.plan.tasks)
  }

  /** Leaves a state file of this format, as if the plan was begun before there was a run. */
  begin(seed: Seed): void {
    const at = new Date(this.#world.timeline.wall).toISOString()
    const feedback = Array.from({ length: seed.between(0, 3) }, (_, n) => ({
      attempt: n + 1,
      summary: "not yet",
      issues: ["an issue"]
    }))
    const done = new Set<string>()
    const tasks = this.plan.tasks.map(({ dependsOn, id }) => {
      // By the order of the plan, a task with an open dependency has not begun.
      const ready = dependsOn.every((other) => done.has(other))
      const status = ready
        ? seed.pick(["completed", "completed", "in_progress", "pending", "escalated"] as const)
        : "pending"
      if (status === "completed") done.add(id)
      const minor = seed.pick([undefined, ["a long name"]])
      return { id, status, attempts: feedback.length, feedback, minor, started_at: at }
    })
    const gone = seed.chance(0.3) ? [{ id: "gone", status: "pending" }] : []
    const state = {
      workflow_id: this.plan.workflowId,
      phase: "implementation",
      current_task: null,
      created_at: at,
      updated_at: at
    }
    this.witness.spoil(JSON.stringify({ ...state, tasks: [...tasks, ...gone] }))
  }

  /** Adds tasks to the plan. */
  grow(seed: Seed): void {
    this.edition++
    const more = Array.from({ length: seed.between(1, 3) }, (_, at) =>
      planned(seed, `${this.plan.workflowId}${this.edition}-${at}`, this.plan.tasks[0]?.gate !== undefined)
    )
    const { tasks, workflowId } = this.plan
    this.plan = { ...this.plan, tasks: reviewed(workflowId, [...tasks, ...more], isReviewed(tasks)) }
  }

  /** Adds a task, removes one whatever became of it, or changes a title. */
  edit(seed: Seed): void {
    const { tasks } = this.plan
    const [how, one] = [seed.pick(["add", "take away", "rename"] as const), seed.between(0, tasks.length - 1)]
    if (how === "add") return this.grow(seed)
    const { id } = tasks[one]!
    const left = tasks.filter((task) => task.id !== id)
    if (how === "take away" && left.every(({ final }) => final === true)) return
    this.edition++
    if (how === "rename")
      this.plan = {
        ...this.plan,
        tasks: tasks.map((task, at) => (at === one ? { ...task, title: `Do ${this.edition}` } : task))
      }
    else
      this.plan = {
        ...this.plan,
        tasks: left.map((task) => ({ ...task, dependsOn: task.dependsOn.filter((other) => other !== id) }))
      }
  }
}
