import { LaunchFailed } from "@souffleur/domain"
import { PlatformError } from "effect"
import { GitUnusable } from "../git/GitUnusable.ts"
import { PlanInvalid } from "../tasks/Plan.ts"
import { StateForeign } from "../state/StateStore.ts"

/** An error of the loop that a person can put right: git, the plan, the state file, the disk, the launches. */
export type Hindrance = GitUnusable | LaunchFailed | PlanInvalid | StateForeign | PlatformError.PlatformError

/** Recognises an error that a person can put right. */
export const isHindrance = (error: unknown): error is Hindrance =>
  [GitUnusable, LaunchFailed, PlanInvalid, StateForeign, PlatformError.PlatformError].some(
    (kind) => error instanceof kind
  )
