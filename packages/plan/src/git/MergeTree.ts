import { ProgramFailed } from "@souffleur/process"
import { Effect } from "effect"
import type { gitIn } from "./GitProgram.ts"

type Asked = Effect.Success<ReturnType<typeof gitIn>>

/** What a merge comes to: a tree, or the files in which two commits are at odds. */
export type MergedTree = { readonly tree: string } | { readonly conflicts: string }

/** Merges two commits, given by their ids, apart from any work tree. */
export const mergedTree = Effect.fnUntraced(function* ({ checked }: Asked, ours: string, theirs: string) {
  const args = ["-c", "merge.renormalize=false", "merge-tree", "--write-tree", "--name-only", "--no-messages"]
  const { code, said } = yield* checked([...args, ours, theirs])
  // This command hints on standard error that the file of grafts is souffleur's own.
  const lines = said.split("\n").filter((one) => one !== "" && !one.startsWith("hint: "))
  const tree = lines.find((one) => /^[0-9a-f]{40,64}$/u.test(one))
  if (code === 0 && tree !== undefined) return { tree } satisfies MergedTree
  if (code === 1) return { conflicts: lines.filter((one) => one !== tree).join(", ") } satisfies MergedTree
  return yield* new ProgramFailed({ message: said.slice(0, 300), ran: true })
})

/** Makes a commit of a tree, by the user's own name, which no branch has yet. */
export const committedTree = ({ git }: Asked, tree: string, parents: ReadonlyArray<string>, message: string) =>
  Effect.map(git(["commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-F", "-"], message), (text) =>
    text.trimEnd()
  )
