import type { AgentCommand, Permission } from "@souffleur/domain"
import { Context } from "effect"
import type { Git } from "./git/Git.ts"
import type { LaunchWords } from "./agent/LaunchWords.ts"
import type { Plan } from "./tasks/Plan.ts"
import type { RunRef } from "./run/RunRef.ts"

/** The context of one plan's steps, beside the ports. */
export class PlanContext extends Context.Service<
  PlanContext,
  {
    readonly ref: RunRef
    readonly plan: Plan
    readonly git: Git
    readonly words: LaunchWords
    /** Absolute path. */
    readonly statePath: string
    /** The permission that agents should get, before the ceiling applies. */
    readonly requested: Permission
    /** The setting that lets the agent commit (`AgentKind.commitSetting`). */
    readonly commitSetting: string
    /** The finishing command, resolved; `null` where the plan has none. */
    readonly finishing: AgentCommand | null
    /** SHA-256 of the plan's own words of that command, in hex; `null`: there is none. */
    readonly finishingDigest: string | null
  }
>()("@souffleur/plan/PlanContext") {}
