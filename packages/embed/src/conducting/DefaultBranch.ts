import type { Git } from "@souffleur/plan"
import { Effect } from "effect"

/** Returns the default branch of a repository where it is checked out; `null`: another one is, or git does not say. */
export const defaultBranchOut = Effect.fn("defaultBranchOut")(function* ({ branches, status }: Git) {
  const branch = yield* Effect.orElseSucceed(
    Effect.map(status, ({ branch }) => branch),
    () => null
  )
  return branch !== null && (yield* branches.defaults).includes(branch) ? branch : null
})

/** Says that the commits of a plan go to the default branch. */
export const defaultBranchNote = (branch: string): string =>
  `its commits go to ${branch} itself; "branch: auto" in the plan makes a branch`
