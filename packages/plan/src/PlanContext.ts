import type { AgentCommand, Permission } from "@souffleur/domain"
import { Context, type Effect } from "effect"
import type { Git } from "./git/Git.ts"
import type { LaunchWords } from "./agent/LaunchWords.ts"
import type { Plan, PlanInvalid } from "./tasks/Plan.ts"
import type { TaskTree } from "./tree/TaskTree.ts"
import type { RunRef } from "./run/RunRef.ts"

/** The agents of the roles of a run, by the names of their programs, such as `pi`. */
export interface RoleAgents {
  readonly implementer?: string | undefined
  readonly reviewer?: string | undefined
}

/** A plan as its file has it, with what is made of it. */
export interface PlanNow {
  readonly plan: Plan
  /** The first words of a prompt that runs the plan's finishing skill. Absent: it names none. */
  readonly skillPrompt?: string
  /** The finishing command, resolved; `null` where the plan has none. */
  readonly finishing: AgentCommand | null
}

/** The context of one plan's steps, beside the ports. */
export class PlanContext extends Context.Service<
  PlanContext,
  PlanNow & {
    readonly ref: RunRef
    /** Reads the plan again. */
    readonly read: Effect.Effect<PlanNow, PlanInvalid>
    /** The git of the project, or of the work tree of the task that a step is of. */
    readonly git: Git
    /** That work tree. Absent: the step is in the project. */
    readonly tree?: TaskTree
    readonly words: LaunchWords
    /** Absolute path. */
    readonly statePath: string
    /** The permission that agents should get, before the ceiling applies. */
    readonly requested: Permission
    /** The programs of the agents that a person chose for roles. A role without one has the plan's choice. */
    readonly agents: RoleAgents
    /** True if a person is there, whom questions about the plan wait for. */
    readonly attended?: boolean
    /** The setting that lets the implementer commit (`AgentKind.commitSetting`). */
    readonly commitSetting: string
  }
>()("@souffleur/plan/PlanContext") {}
