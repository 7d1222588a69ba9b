import { Effect } from "effect"
import type { gitIn } from "./GitProgram.ts"
import { committedTree, mergedTree } from "./MergeTree.ts"

/** Commits that take others back, oldest first, and the commit with all of it; or why there are none, as a clause. */
export type Reverted =
  | { readonly _tag: "Made"; readonly to: string; readonly made: ReadonlyArray<string> }
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
  "--no-overwrite-ignore",
  "--no-stat",
  "--quiet"
]

/**
 * Makes the commits that take others back, each as `git revert` does, without touching the work tree: nothing is left
 * of a try that ends before its last commit.
 */
export const revertingOf = (asked: Effect.Success<ReturnType<typeof gitIn>>) => {
  const one = (args: ReadonlyArray<string>) => Effect.map(asked.git(args), (text) => text.trimEnd())
  const commitTree = (tree: string, parent: string, message: string) => committedTree(asked, tree, [parent], message)

  /** Makes the commit after `head` that takes `commit` back. */
  const takenBack = Effect.fnUntraced(function* (commit: string, head: string) {
    const [fields = "", subject = ""] = (yield* asked.git(["cat-file", "commit", commit])).split("\n\n", 2)
    const parents = [...fields.matchAll(/^parent ([0-9a-f]+)$/gmu)].map(([, id]) => id!)
    const short = commit.slice(0, 12)
    const refused = (why: string): Reverted => ({ _tag: "Refused", message: `commit ${short} ${why}` })
    if (parents.length > 1) return refused("is a merge")
    const before = parents[0] === undefined ? yield* one(["mktree"]) : `${parents[0]}^{tree}`
    // The tree before the commit, merged into the present one with the commit as their common ancestor.
    const ours = yield* commitTree(`${head}^{tree}`, commit, "ours")
    const theirs = yield* commitTree(before, commit, "theirs")
    const merged = yield* mergedTree(asked, ours, theirs)
    if ("conflicts" in merged) return refused("conflicts with what came after it")
    if (merged.tree === (yield* one(["rev-parse", "--verify", "--end-of-options", `${head}^{tree}`])))
      return { _tag: "Made", to: head, made: [] } satisfies Reverted
    const [title = ""] = subject.split("\n", 1)
    const to = yield* commitTree(merged.tree, head, `Revert "${title}"\n\nThis reverts commit ${commit}.\n`)
    return { _tag: "Made", to, made: [to] } satisfies Reverted
  })

  return {
    /** Makes them on top of a commit. `commits`: oldest first. */
    made: Effect.fnUntraced(function* (commits: ReadonlyArray<string>, onto: string) {
      let to = onto
      const all: Array<string> = []
      for (const commit of commits.toReversed()) {
        const made = yield* takenBack(commit, to)
        if (made._tag === "Refused") return made
        to = made.to
        all.push(...made.made)
      }
      return { _tag: "Made", to, made: all } satisfies Reverted
    }),
    /** Moves the branch and the work tree forward to a commit. */
    forward: (to: string) => asked.filtered([...forwarding, to])
  }
}
