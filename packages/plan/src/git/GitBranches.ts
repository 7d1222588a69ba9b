import type { ProgramFailed } from "@souffleur/process"
import { type Context, Effect } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import type { gitIn } from "./GitProgram.ts"
import { committedTree, mergedTree } from "./MergeTree.ts"
import type { GitUnusable } from "./GitUnusable.ts"

/** A branch of a repository. */
export interface Head {
  readonly name: string
  readonly commit: string
  /** The work tree that has it checked out; empty: none. */
  readonly workTree: string
}

const refOf = (branch: string) => `refs/heads/${branch}`
/** A remote that work may be pushed to. */
export interface Remote {
  readonly name: string
  /** Its address, as the configuration has it. */
  readonly url: string
}

const line = (text: string) => text.replace(/\n$/u, "")

interface Asking {
  readonly asked: Effect.Success<ReturnType<typeof gitIn>>
  readonly services: Context.Context<ChildProcessSpawner.ChildProcessSpawner>
  readonly failed: (doing: string) => (error: ProgramFailed) => GitUnusable
}

/** Asks a repository for its branches, and makes, moves and checks out those that souffleur may. */
export const gitBranches = ({ asked, failed, services }: Asking) => {
  const git = (args: ReadonlyArray<string>) => Effect.provide(asked.git(args), services)
  const setting = (args: ReadonlyArray<string>) => Effect.orElseSucceed(Effect.map(git(args), line), () => "")
  return {
    /** Every branch. */
    heads: git(["for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", "refs/heads/"]).pipe(
      Effect.map((text) =>
        text.split("\n").flatMap((entry): ReadonlyArray<Head> => {
          const [ref = "", commit = "", workTree = ""] = entry.split("\0")
          return ref === "" ? [] : [{ name: ref.slice(refOf("").length), commit, workTree }]
        })
      ),
      Effect.mapError(failed("which branches there are"))
    ),
    /** The names that the default branch may have, by origin, else by git's settings. */
    defaults: Effect.gen(function* () {
      const there = "refs/remotes/origin/"
      const theirs = yield* setting(["symbolic-ref", "--quiet", `${there}HEAD`])
      if (theirs.startsWith(there)) return [theirs.slice(there.length)]
      const ours = yield* setting(["config", "--get", "init.defaultBranch"])
      return ours === "" ? ["main", "master"] : [ours]
    }),
    /** The remote that work is pushed to: `origin`, or the only one with one address. `undefined`: there is none. */
    remote: Effect.gen(function* () {
      const names = (yield* Effect.mapError(git(["remote"]), failed("which remotes there are"))).trim().split("\n")
      const name = names.includes("origin") ? "origin" : names[0]
      if (name === undefined || name === "" || (name !== "origin" && names.length > 1)) return undefined
      const own = yield* setting(["config", "--get-all", `remote.${name}.pushurl`])
      const url = own === "" ? yield* setting(["config", "--get-all", `remote.${name}.url`]) : own
      return url === "" || url.includes("\n") ? undefined : ({ name, url } satisfies Remote)
    }),
    /**
     * Makes a branch at the commit that is checked out, and checks it out: no file changes. `head`: that commit;
     * `null`: there is none yet. `before`: the commit that the branch has; `null`: it must not be there.
     */
    begin: Effect.fn("GitBranches.begin")(function* (name: string, head: string | null, before: string | null) {
      const refused = Effect.mapError(failed(`whether branch ${name} can be made`))
      if (head !== null && head !== before)
        yield* refused(git(["update-ref", "--create-reflog", "-m", "begun", refOf(name), head, before ?? ""]))
      yield* refused(git(["symbolic-ref", "-m", "begun", "HEAD", refOf(name)]))
    }),
    /** Returns whether a commit is another one, or one before it. Both are ids. */
    isIn: (commit: string, other: string) =>
      Effect.mapBoth(git(["rev-list", "--max-count=1", commit, `^${other}`, "--"]), {
        onSuccess: (text) => text === "",
        onFailure: failed("what a branch holds")
      }),
    /** Merges two commits, given by their ids, apart from any work tree. */
    merge: (ours: string, theirs: string) =>
      mergedTree(asked, ours, theirs).pipe(Effect.mapError(failed("what a merge comes to")), Effect.provide(services)),
    /** Makes a commit of a tree, by the user's own name. */
    commit: (tree: string, parents: readonly [string, string], message: string) =>
      committedTree(asked, tree, parents, message).pipe(
        Effect.mapError(failed("whether a merge can be committed")),
        Effect.provide(services)
      ),
    /** Moves a branch from one commit to another. Fails where it is at another one by now. */
    move: (name: string, to: string, from: string) =>
      Effect.mapBoth(git(["update-ref", "-m", "merged", refOf(name), to, from]), {
        onSuccess: (): void => undefined,
        onFailure: failed(`whether branch ${name} can be moved`)
      }),
    /** Checks a branch out. Nothing that git does not have is written over. */
    checkout: (name: string) =>
      asked
        .filtered(["checkout", "--quiet", "--no-recurse-submodules", "--no-overwrite-ignore", name, "--"])
        .pipe(
          Effect.asVoid,
          Effect.mapError(failed(`whether branch ${name} can be checked out`)),
          Effect.provide(services)
        )
  }
}
