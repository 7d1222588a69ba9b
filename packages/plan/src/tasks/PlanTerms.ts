import { digestOf, Words } from "@souffleur/domain"
import { Effect } from "effect"
import type { PlanAgents, TaskOutline, TreeTerms } from "../run/RunFields.ts"
import type { Plan } from "./Plan.ts"
import { otherAgents } from "./PlanAgents.ts"
import type { PlannedTask } from "./PlannedTask.ts"

/** What a run understands of a plan: its tasks in their order, its finishing step, and its agents. */
export interface PlanTerms extends TreeTerms {
  readonly tasks: ReadonlyArray<TaskOutline>
  /** SHA-256 of the finishing step, in hex; `null`: the plan has none. */
  readonly finishingDigest: string | null
  /** The branch that its work gets, or `auto`; `null` or absent: the one that is checked out. */
  readonly branch?: string | null
  /** The agents that it chooses; absent: none. */
  readonly agents?: PlanAgents
  /** Ids of the tasks that it has as done, which changes nothing of what is to be done; absent: none. */
  readonly done?: ReadonlyArray<string>
}

/** A box that an agent ticks when it commits is no other word. */
const unticked = (text: string) => text.replaceAll(/^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)\[[xX~/]\]/gmu, "$1[ ]")

const outlined = Effect.fnUntraced(function* ({
  acceptanceCriteria,
  constraints,
  dependsOn,
  description,
  final,
  gate,
  id,
  referenceDocs,
  setup,
  title,
  touches
}: PlannedTask) {
  const common = constraints === undefined ? [] : [unticked(constraints)]
  const documents = referenceDocs.map((doc) => [doc.path, doc.description])
  return {
    id,
    title,
    dependsOn,
    digest: yield* digestOf(
      JSON.stringify([
        title,
        unticked(description),
        unticked(acceptanceCriteria),
        documents,
        ...common,
        ...(setup === undefined ? [] : [{ setup }])
      ])
    ),
    ...(touches === undefined ? {} : { touches }),
    ...(final === undefined ? {} : { final }),
    ...(gate === undefined ? {} : { gateDigest: yield* digestOf(JSON.stringify([gate.setup, gate.verify])) })
  }
})

/** Returns the terms of a plan. Neither the bytes of its file nor ticked boxes count. */
export const termsOf = Effect.fn("termsOf")(function* (plan: Plan) {
  const { agents, branch, finish, keepsGoing, parallel, tasks, worktrees } = plan
  return {
    tasks: yield* Effect.forEach(tasks, outlined),
    branch: branch ?? null,
    done: tasks.filter(({ done }) => done === true).map(({ id }) => id),
    finishingDigest: finish._tag === "None" ? null : yield* digestOf(JSON.stringify(finish)),
    ...(agents === undefined ? {} : { agents }),
    ...(worktrees === undefined ? {} : { worktrees }),
    ...(keepsGoing === undefined ? {} : { keepsGoing }),
    ...(parallel === undefined ? {} : { parallel })
  } satisfies PlanTerms
})

/** Number of tasks that are named. */
const maxNamed = 10

const named = (what: string, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length === 0
    ? []
    : [
        `${what} ${ids.slice(0, maxNamed).join(", ")}${ids.length > maxNamed ? ` and ${Words.many(ids.length - maxNamed, "other")}` : ""}`
      ]

const isOther = (a: TaskOutline, b: TaskOutline) =>
  a.title !== b.title ||
  a.digest !== b.digest ||
  a.gateDigest !== b.gateDigest ||
  a.dependsOn.join("\n") !== b.dependsOn.join("\n") ||
  a.touches?.join("\n") !== b.touches?.join("\n")

/** Says what another plan has that these terms have not, and the reverse. `undefined`: they mean the same. */
export const planDifference = (before: PlanTerms, after: PlanTerms): string | undefined => {
  const known = new Map(before.tasks.map((task) => [task.id, task]))
  const there = new Set(after.tasks.map(({ id }) => id))
  const added = after.tasks.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const gone = before.tasks.filter(({ id }) => !there.has(id)).map(({ id }) => id)
  const changed = after.tasks.filter((task) => isOther(task, known.get(task.id) ?? task)).map(({ id }) => id)
  const kept = (tasks: PlanTerms["tasks"], others: ReadonlyArray<string>) =>
    tasks.filter(({ id }) => !others.includes(id)).map(({ id }) => id)
  const moved = kept(before.tasks, gone).join("\n") !== kept(after.tasks, added).join("\n")
  const all = [
    ...named("added:", added),
    ...named("dropped:", gone),
    ...named("changed:", changed),
    ...(moved ? ["another order"] : []),
    ...((before.branch ?? null) === (after.branch ?? null) ? [] : ["another branch"]),
    ...(before.finishingDigest === after.finishingDigest ? [] : ["another finishing step"]),
    ...(before.worktrees === after.worktrees ? [] : [after.worktrees ? "a work tree a task" : "no work tree a task"]),
    ...(before.keepsGoing === after.keepsGoing ? [] : ["another on_escalation"]),
    ...((before.parallel ?? 1) === (after.parallel ?? 1) ? [] : ["another parallel"]),
    ...otherAgents(before.agents, after.agents)
  ]
  return all.length === 0 ? undefined : all.join("; ")
}
