import { Context, Effect } from "effect"
import type { Remote } from "../git/GitBranches.ts"
import type { Delivered } from "../run/RunFields.ts"

/** Work that is to be pushed. */
export interface PushedWork {
  readonly branch: string
  /** The commit that the branch is pushed at. */
  readonly commit: string
  readonly remote: Remote
}

/** Work that is to be proposed to others. */
export interface ProposedWork extends PushedWork {
  /** The id of its run. */
  readonly id: string
  /** The branch that it is meant for; `null`: unknown. */
  readonly onto: string | null
  readonly title: string
  readonly body: string
}

/** Pushes a branch, and opens a pull request for it, or says why not. By default nothing goes out. */
export const PullRequestPort = Context.Reference<{
  readonly propose: (work: ProposedWork) => Effect.Effect<Delivered | { readonly problem: string }>
}>("@souffleur/plan/PullRequestPort", {
  defaultValue: () => ({ propose: () => Effect.succeed({ problem: "nothing is pushed here" }) })
})
