import { type EffectivePermission, flagsOf } from "@souffleur/domain"
import {
  type Assignment,
  freshTask,
  gateOfPlan,
  GitPort,
  implementerPrompt,
  type LoadedPlan,
  orderOf,
  type Plan,
  programLines,
  reviewerPrompt
} from "@souffleur/plan"
import { Effect, Option } from "effect"
import { defaultBranchOut } from "../conducting/DefaultBranch.ts"
import { finishingOf } from "../conducting/FinishingCommand.ts"
import { programsTrusted } from "../conducting/PlanPrograms.ts"
import { castOf, namedPlan } from "../conducting/NamedPlan.ts"
import type { PreflightCheck } from "../preflight/PreflightCheck.ts"
import type { PlanOrder } from "../SouffleurOptions.ts"
import { Parts } from "../world/Parts.ts"

/** An agent that a run would launch. */
export interface ForeseenAgent {
  readonly role: Assignment["role"]
  readonly agent: string
  /** Its models, from the first on. Empty: its own. */
  readonly models: ReadonlyArray<string>
  /** `null`: its own. */
  readonly effort: string | null
  /** True if it is asked only while the service refuses the agent of its role. */
  readonly fallback: boolean
  readonly permission: EffectivePermission
  /** The flag that holds it to reading, such as `-s read-only`; `null`: its permission alone holds it. */
  readonly held_by: string | null
}

/** A task of a plan, with the prompts of its first agents. `WORD` is in place of the word of each launch. */
export interface ForeseenTask {
  readonly id: string
  readonly title: string
  readonly depends_on: ReadonlyArray<string>
  /** Its line in the plan; `null`: unknown. */
  readonly line: number | null
  /** True if the plan has it as done, so that a new run skips it. */
  readonly done: boolean
  readonly implementer_prompt: string
  readonly reviewer_prompt: string
}

/** The run that `conduct` would make of a plan. */
export interface PlanPreview {
  readonly workflow_id: string
  /** The form of another tool that the plan has, in words; `null`: souffleur's own. */
  readonly form: string | null
  /** What of the plan is no task, and why. */
  readonly left_out: ReadonlyArray<string>
  /** The id of the run that would be resumed; `null` for a new one. */
  readonly goes_on: string | null
  /** The agents of the roles that are still needed. */
  readonly agents: ReadonlyArray<ForeseenAgent>
  /** What the run needs before its first agent. */
  readonly preflight: ReadonlyArray<PreflightCheck>
  /** The tasks in their order. */
  readonly tasks: ReadonlyArray<ForeseenTask>
  /** The programs of its gates, each as a line. */
  readonly gate: ReadonlyArray<string>
  /** Those that make the work trees ready, where no gate does. */
  readonly setup: ReadonlyArray<string>
  readonly finish: Plan["finish"]
  /** True if a reviewer is asked what is unclear in it, before its first task. */
  readonly questions: boolean
  /** The branch that its work gets, or `auto`; `null`: the one that is checked out. */
  readonly branch: string | null
  /** True if each task has a work tree of its own. */
  readonly worktrees: boolean
  /** How many tasks are at work at once. */
  readonly parallel: number
  /** The default branch, where the commits would go to that itself; `null`: they would not, or it is unknown. */
  readonly default_branch: string | null
}

/** In place of the word that each launch is given. */
const word = "WORD"

/** Returns the tasks of a plan in their order, with the prompts of their first agents. */
const foreseenTasks = ({ plan, understood }: LoadedPlan): ReadonlyArray<ForeseenTask> =>
  orderOf(plan).map((task) => {
    const { dependsOn, done = false, id, title } = task
    const fresh = freshTask({ id, title, dependsOn })
    return {
      id,
      title,
      depends_on: dependsOn,
      line: understood.lines[plan.tasks.indexOf(task)] ?? null,
      done,
      implementer_prompt: implementerPrompt(task, fresh, word),
      reviewer_prompt: reviewerPrompt(task, fresh, word)
    }
  })

/**
 * Says what a run of this plan would be. It writes and starts nothing, and keeps no trust. Fails as `conduct` does, but
 * for what git and the claims say.
 */
export const previewPlan = Effect.fn("previewPlan")(function* (order: PlanOrder) {
  const parts = yield* Parts
  const { limits = {}, project } = order
  const named = yield* namedPlan(order)
  const { known, loaded } = named
  const settings = yield* parts.wouldConduct({ project, limits: flagsOf(limits), known })
  const cast = yield* castOf(named, order)(settings)
  yield* finishingOf(loaded, { project, variables: parts.variables })
  const { branch = null } = loaded.plan
  const isGated = gateOfPlan(loaded.plan) !== undefined
  const git = branch === null ? yield* Effect.option((yield* GitPort).open(project, () => [])) : Option.none()
  return {
    workflow_id: loaded.plan.workflowId,
    form: loaded.understood.form,
    left_out: loaded.understood.leftOut,
    goes_on: known?.id ?? null,
    agents: cast.map(({ agent, effort = null, fallback = false, heldBy, models, permission, role }) => ({
      role,
      agent,
      models,
      effort,
      fallback,
      permission,
      held_by: heldBy
    })),
    preflight: yield* parts.preflight({
      project,
      settings,
      plan: loaded.plan,
      cast,
      isNew: known === undefined,
      trusted: yield* programsTrusted(loaded, settings.stateDir)
    }),
    tasks: foreseenTasks(loaded),
    gate: isGated ? programLines(loaded.plan) : [],
    setup: isGated ? [] : programLines(loaded.plan),
    finish: loaded.plan.finish,
    questions: known === undefined && loaded.plan.questions === true && order.questions !== false,
    branch,
    worktrees: loaded.plan.worktrees === true,
    parallel: order.parallel ?? loaded.plan.parallel ?? 1,
    default_branch: Option.isSome(git) ? yield* defaultBranchOut(git.value) : null
  } satisfies PlanPreview
})
