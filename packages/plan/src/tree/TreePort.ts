import { Context, Effect } from "effect"
import type { Git } from "../git/Git.ts"
import { GitUnusable } from "../git/GitUnusable.ts"
import type { TaskTree } from "./TaskTree.ts"

/**
 * Makes and removes the work trees of tasks, in the state folder. A tree that is gone is made again from its branch, or
 * else from the commit that it began from. By default there are none.
 */
export const TreePort = Context.Reference<{
  /** Returns the folder of a tree by its name in a run; `undefined`: something is there. */
  readonly room: (run: string, name: string) => Effect.Effect<string | undefined>
  /** Makes a tree anew, with what `.worktreeinclude` names, the settings of agents, and these files of the project. */
  readonly make: (tree: TaskTree, files: ReadonlyArray<string>) => Effect.Effect<void, GitUnusable>
  /** Returns the git of a tree, in its folder of the project. */
  readonly open: (tree: TaskTree) => Effect.Effect<Git, GitUnusable>
  /**
   * Removes a tree and its branch, unless something in it is not in this commit: returns what, as a clause. `before`:
   * files that git did not know when its task began; `null`: unknown.
   */
  readonly remove: (
    tree: TaskTree,
    head: string | null,
    before: ReadonlyArray<string> | null
  ) => Effect.Effect<string | null, GitUnusable>
}>("@souffleur/plan/TreePort", {
  defaultValue: () => {
    const none = ({ folder }: TaskTree) =>
      Effect.fail(new GitUnusable({ project: folder, problem: "no work tree is made here" }))
    return {
      room: () => Effect.undefined,
      make: none,
      open: none,
      remove: none
    }
  }
})
