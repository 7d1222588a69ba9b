import type { ProgramFailed } from "@souffleur/process"
import { Effect } from "effect"

/** Runs git in the work tree of a run. */
type Runs<R> = (args: ReadonlyArray<string>, stdin?: string) => Effect.Effect<string, ProgramFailed, R>

/** Commits that take others back, the last of them named; or why there are none, as a clause. */
export type Reverted =
  | { readonly _tag: "Made"; readonly to: string }
  | { readonly _tag: "Refused"; readonly message: string }

/** Options of `git merge` by which it moves the branch, whatever the repository's configuration adds to it. */
const forwarding = [
  ...["gc.auto=0", "maintenance.auto=false", "submodule.recurse=false"].flatMap((setting) => ["-c", setting]),
  "merge",
  "--ff-only",
  "--commit",
  "--no-squash",
  "--no-verify-signatures",
  "--no-autostash",
  "--no-stat",
  "--quiet"
]

/** Begins the words on a git that found conflicts. */
const conflicting = /^it ended with exit code 1\b/u

/**
 * Makes the commits that take others back, each as \`git revert\` does, without touching the work tree: nothing is left
 * of a try that ends before its last commit. `filtered` runs no program of the repository's own configuration.
 */
export const revertingOf = <R>(filtered: Runs<R>) => {
  const one = (args: ReadonlyArray<string>, stdin?: string) =>
    Effect.map(filtered(args, stdin), (text) => text.trimEnd())
  const commitTree = (tree: string, parent: string, message: string) =>
    one(["commit-tree", tree, "-p", parent, "-F", "-"], message)

  /** Makes the commit after `head` that takes `commit` back. */
  const takenBack = Effect.fnUntraced(function* (commit: string, head: string) {
    const [fields = "", subject = ""] = (yield* filtered(["cat-file", "commit", commit])).split("\n\n", 2)
    const parents = [...fields.matchAll(/^parent ([0-9a-f]+)$/gmu)].map(([, id]) => id!)
    const short = commit.slice(0, 12)
    const refused = (why: string): Reverted => ({ _tag: "Refused", message: `commit ${short} ${why}` })
    if (parents.length > 1) return refused("is a merge")
    const before = parents[0] === undefined ? yield* one(["mktree"]) : `${parents[0]}^{tree}`
    // The tree before the commit, merged into the present one with the commit as their common ancestor.
    const ours = yield* commitTree(`${head}^{tree}`, commit, "ours")
    const theirs = yield* commitTree(before, commit, "theirs")
    const merged = yield* one(["merge-tree", "--write-tree", "--no-messages", ours, theirs]).pipe(
      Effect.catchIf(
        ({ message }) => conflicting.test(message),
        () => Effect.succeed(undefined)
      )
    )
    if (merged === undefined) return refused("conflicts with what came after it")
    if (merged === (yield* one(["rev-parse", "--verify", "--end-of-options", `${head}^{tree}`])))
      return { _tag: "Made", to: head } satisfies Reverted
    const [title = ""] = subject.split("\n", 1)
    const to = yield* commitTree(merged, head, `Revert "${title}"\n\nThis reverts commit ${commit}.\n`)
    return { _tag: "Made", to } satisfies Reverted
  })

  return {
    /** Makes them on top of a commit. `commits`: oldest first. */
    made: Effect.fnUntraced(function* (commits: ReadonlyArray<string>, onto: string) {
      let to = onto
      for (const commit of commits.toReversed()) {
        const made = yield* takenBack(commit, to)
        if (made._tag === "Refused") return made
        to = made.to
      }
      return { _tag: "Made", to } satisfies Reverted
    }),
    /** Moves the branch and the work tree forward to a commit. */
    forward: (to: string) => filtered([...forwarding, to])
  }
}
