import type { ProgramFailed } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { gitBranches } from "./GitBranches.ts"
import { gitIn } from "./GitProgram.ts"
import { GitUnusable } from "./GitUnusable.ts"
import { revertingOf } from "./Reverting.ts"

/** The hindrances of work, by `git status`. Files that git does not know are none. */
export interface GitStatus {
  readonly conflicts: ReadonlyArray<string>
  /** Changed or staged, and not committed. */
  readonly changed: ReadonlyArray<string>
  /** The branch that is checked out; `null`: none. */
  readonly branch: string | null
}

const head = "# branch.head "
/** Reads `git status --porcelain=v2 --branch -z`. */
export const parseStatus = (text: string): GitStatus => {
  const [conflicts, changed]: [Array<string>, Array<string>] = [[], []]
  let branch: string | null = null
  const entries = text.split("\0")
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!
    // The path is the last field, and may hold spaces. `u` has ten fields before it, a rename nine. A rename's old name
    // follows.
    const path = (fields: number) => entry.split(" ").slice(fields).join(" ")
    if (entry.startsWith(head)) branch = entry === `${head}(detached)` ? null : entry.slice(head.length)
    else if (entry.startsWith("u ")) conflicts.push(path(10))
    else if (entry.startsWith("1 ")) changed.push(path(8))
    else if (entry.startsWith("2 ")) {
      changed.push(path(9))
      at += 1
    }
  }
  return { conflicts, changed, branch }
}

const parts = (text: string, separator: "\0" | "\n") => text.split(separator).filter((part) => part !== "")

/** Files in git's own folder while an operation is in progress. */
const operations = {
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_LOG: "a bisection"
} as const

/** Options for the names of all files that differ, whatever the repository's configuration would leave out. */
const plainly = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=dirty"]

/** Matches a commit's id, whole or abbreviated by git: no option, no branch, no second line. */
export const commitId = /^[0-9a-f]{7,64}$/iu

/**
 * Asks one repository through git itself, never through a shell. souffleur's own files are left out: `own` names them,
 * relative to the repository's root. All other names of files are relative to the project, as an agent or a person
 * there would write them. Fails with `GitUnusable` where git finds no work tree; so does each question that git cannot
 * answer.
 */
export const gitOf = Effect.fn("gitOf")(function* (project: string, own: (root: string) => ReadonlyArray<string>) {
  const services = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner>()
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const asked = yield* gitIn(project)
  const git = (args: ReadonlyArray<string>, stdin?: string) => Effect.provide(asked.git(args, stdin), services)
  const failed = (doing: string) => (error: ProgramFailed) =>
    new GitUnusable({ project, problem: `git could not tell ${doing}: ${error.message}` })
  const places = ["--show-toplevel", "--show-prefix", "--absolute-git-dir"]
  const where = (...what: ReadonlyArray<string>) =>
    Effect.map(git(["rev-parse", ...what]), (text) => text.replace(/\n$/u, ""))
  const [root = "", folder = "", gitFolder = ""] = yield* where(...places).pipe(
    Effect.map((text) => text.split("\n")),
    // A folder may have a line break in its name. Then each answer is asked for alone.
    Effect.flatMap((found) =>
      found.length === places.length ? Effect.succeed(found) : Effect.forEach(places, (one) => where(one))
    ),
    // git alone knows the cause: no repository, no git, another user's, a bare one.
    Effect.mapError(
      ({ message }) =>
        new GitUnusable({
          project,
          problem: `git finds no work tree there: ${message}${message.includes("not a git repository") ? ": make one with git init" : ""}`
        })
    )
  )
  const ours = new Set(own(root))
  const named = (files: ReadonlyArray<string>) => files.map((file) => path.relative(`/${folder}`, `/${file}`))
  const theirs = (files: ReadonlyArray<string>) => named(files.filter((file) => !ours.has(file)))
  const reverting = revertingOf(asked)
  const batch = (asked: string) => git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked)
  /**
   * The commit that is checked out. `null`: git itself says that there is none yet. Without an answer of git it fails.
   */
  const head = batch("HEAD\n").pipe(
    Effect.map((text): string | null => (text.endsWith(" commit\n") ? text.slice(0, text.indexOf(" ")) : null)),
    Effect.mapError(failed("which commit is checked out"))
  )
  return {
    /** The root of the work tree. */
    root,
    /** The folder of the project in it. */
    folder: project,
    head,
    branches: gitBranches({ asked, failed, services }),
    // A submodule's own changes are left out. A submodule at another commit is seen.
    status: asked
      .filtered([
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "--untracked-files=no",
        "--ignore-submodules=dirty"
      ])
      .pipe(
        Effect.map((text) => {
          const { branch, changed, conflicts } = parseStatus(text)
          return { branch, conflicts: named(conflicts), changed: theirs(changed) } satisfies GitStatus
        }),
        Effect.mapError(failed("whether the work tree is clean")),
        Effect.provide(services)
      ),
    /** The operation that git is in the midst of, such as a rebase, by git's own folder; `null`: none. */
    underWay: Effect.map(
      Effect.findFirst(Object.entries(operations), ([name]) => fs.exists(`${gitFolder}/${name}`)),
      (at) => Option.getOrNull(Option.map(at, ([, what]) => what))
    ),
    /** Returns the commits after `base`, oldest first, and the files that differ from it. `null`: all of HEAD. */
    since: Effect.fn("Git.since")(function* (base: string | null) {
      if ((yield* head) === null) return { commits: [], files: [] }
      const range = base === null ? "HEAD" : `${base}..HEAD`
      const commits = yield* Effect.mapError(
        git(["rev-list", "--reverse", "--end-of-options", range, "--"]),
        failed("which commits were made")
      )
      const files = yield* Effect.mapError(
        git(
          base === null
            ? ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]
            : ["diff", "--name-only", "-z", ...plainly, "--end-of-options", base, "HEAD", "--"]
        ),
        failed("which files were changed")
      )
      return { commits: parts(commits, "\n"), files: theirs(parts(files, "\0")) }
    }),
    /** Files of the whole repository that git neither knows nor ignores. */
    untracked: git(["-C", root, "ls-files", "--others", "--exclude-standard", "-z"]).pipe(
      Effect.map((text) => theirs(parts(text, "\0"))),
      Effect.mapError(failed("which files it does not know"))
    ),
    /** Returns those of these files that are there, and that git does not know, ignored ones too. */
    unknown: Effect.fn("Git.unknown")(function* (files: ReadonlyArray<string>) {
      if (files.length === 0) return []
      const listed = git(["ls-files", "--others", "-z", "--", ...files])
      return parts(yield* Effect.mapError(listed, failed("which files it does not know")), "\0")
    }),
    /** Returns whether HEAD has a file of exactly this name. */
    has: Effect.fn("Git.has")(function* (file: string) {
      const listed = git(["ls-tree", "-z", "--name-only", "HEAD", "--", file])
      return (yield* Effect.mapError(listed, failed("which files there are"))) === `${file}\0`
    }),
    /**
     * Makes the commits that take others back on top of a commit, each as `git revert` does. Nothing is changed but for
     * commits that no branch has yet. `commits`: oldest first.
     */
    reverted: (commits: ReadonlyArray<string>, onto: string) =>
      reverting
        .made(commits, onto)
        .pipe(Effect.mapError(failed("what takes those commits back")), Effect.provide(services)),
    /** Moves the branch that is checked out forward to a commit, and the work tree with it. */
    forward: (to: string) =>
      reverting.forward(to).pipe(Effect.asVoid, Effect.mapError(failed("how to move on")), Effect.provide(services)),
    /**
     * Returns the commits that HEAD does not have. A text that is no commit's id is missing, whatever git would take it
     * for.
     */
    missing: Effect.fn("Git.missing")(function* (commits: ReadonlyArray<string>) {
      const ids = commits.filter((commit) => commitId.test(commit))
      if (ids.length === 0) return commits
      const found = yield* Effect.mapError(batch(`${ids.join("\n")}\n`), failed("which commits there are"))
      const whole = found.split("\n").map((line) => (line.endsWith(" commit") ? line.split(" ")[0]! : undefined))
      const there = whole.filter((hash) => hash !== undefined)
      const unreachable = new Set(
        there.length === 0
          ? []
          : parts(
              yield* Effect.mapError(
                git(["rev-list", "--stdin"], `${there.join("\n")}\n^HEAD\n`),
                failed("which commits HEAD has")
              ),
              "\n"
            )
      )
      const had = new Set(ids.filter((_, index) => whole[index] !== undefined && !unreachable.has(whole[index])))
      return commits.filter((commit) => !had.has(commit))
    })
  }
})
/** The git of one project. */
export type Git = Effect.Success<ReturnType<typeof gitOf>>
