import type { AgentCommand, Permission } from "@souffleur/domain"
import { Context } from "effect"
import type { Git } from "./git/Git.ts"
import type { LaunchWords } from "./agent/LaunchWords.ts"
import type { Plan } from "./tasks/Plan.ts"
import type { RunRef } from "./run/RunRef.ts"

/** One plan as it is conducted now: what its steps need beside the ports. */
export class PlanContext extends Context.Service<
  PlanContext,
  {
    readonly ref: RunRef
    readonly plan: Plan
    readonly git: Git
    readonly words: LaunchWords
    /** Absolute. */
    readonly statePath: string
    /** What agents are asked to be launched with; the ceiling is applied to it. */
    readonly requested: Permission
    /** The finishing command, resolved; `null` where the plan has none. */
    readonly finishing: AgentCommand | null
    /** SHA-256 of it as it stands in the plan; `null` where there is none. */
    readonly finishingDigest: string | null
  }
>()("@souffleur/plan/PlanContext") {}
