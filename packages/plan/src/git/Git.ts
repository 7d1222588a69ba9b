import type { ProgramFailed } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Runtime, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { gitIn } from "./GitProgram.ts"

/** git cannot say what is asked: there is no repository, no git, or it failed. `problem` is a sentence. */
export class GitUnusable extends Schema.TaggedError<GitUnusable>()("GitUnusable", {
  project: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.project}: ${this.problem}`
  }
}

/** What stands in the way of work, as `git status` says it. Files that git does not know are none. */
export interface Standing {
  readonly conflicts: ReadonlyArray<string>
  /** Changed or staged, and not committed. */
  readonly changed: ReadonlyArray<string>
  /** What is checked out; `null`: no branch. */
  readonly branch: string | null
}

const head = "# branch.head "
/** Reads `git status --porcelain=v2 --branch -z`. */
export const parseStatus = (text: string): Standing => {
  const [conflicts, changed]: [Array<string>, Array<string>] = [[], []]
  let branch: string | null = null
  const entries = text.split("\0")
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!
    // The path is the last field, and may hold spaces: u has ten before it, a rename nine and its old name after it.
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

const parts = (text: string, separator: "\0" | "\n") => text.split(separator).filter((one) => one !== "")

/** What is in git's own folder while that goes on. */
const operations = {
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_LOG: "a bisection"
} as const

/** All that differs, whatever the repository's configuration would have left out, told by names alone. */
const plainly = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=dirty"]

/** A commit's id, whole or as git abbreviates it: no option, no branch, no line more. */
const commitId = /^[0-9a-f]{7,64}$/iu

/**
 * One repository, asked through git itself, never through a shell. What is souffleur's own in it is not seen: `own`
 * names that from the repository's root on. All other names of files are relative to the project, as an agent or a
 * person there would write them.
 */
export const gitOf = Effect.fn("gitOf")(function* (project: string, own: (root: string) => ReadonlyArray<string>) {
  const services = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner>()
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const asked = yield* gitIn(project)
  const git = (args: ReadonlyArray<string>, stdin?: string) => Effect.provide(asked.git(args, stdin), services)
  const failed = (doing: string) => (error: ProgramFailed) =>
    new GitUnusable({ project, problem: `git could not tell ${doing}: ${error.message}` })
  const where = (what: "--show-toplevel" | "--show-prefix" | "--absolute-git-dir") =>
    Effect.map(git(["rev-parse", what]), (text) => text.replace(/\n$/u, ""))
  const root = yield* where("--show-toplevel").pipe(
    // No repository, no git, one that belongs to another user, a bare one: git alone knows which.
    Effect.mapError(
      ({ message }) =>
        new GitUnusable({
          project,
          problem: `git finds no work tree there: ${message}${message.includes("not a git repository") ? ": make one with git init" : ""}`
        })
    )
  )
  const ours = new Set(own(root))
  const folder = yield* Effect.mapError(where("--show-prefix"), failed("which folder of its repository this is"))
  const named = (files: ReadonlyArray<string>) => files.map((file) => path.relative(`/${folder}`, `/${file}`))
  const theirs = (files: ReadonlyArray<string>) => named(files.filter((file) => !ours.has(file)))
  const batch = (asked: string) => git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked)
  /** The commit that is checked out; `null` before the first, which git says itself: no answer is none. */
  const head = batch("HEAD\n").pipe(
    Effect.map((text): string | null => (text.endsWith(" commit\n") ? text.slice(0, text.indexOf(" ")) : null)),
    Effect.mapError(failed("which commit is checked out"))
  )
  return {
    /** Of its work tree. */
    root,
    head,
    // What is changed within a submodule is that one's own; that it was moved is seen.
    standing: asked
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
          return { branch, conflicts: named(conflicts), changed: theirs(changed) } satisfies Standing
        }),
        Effect.mapError(failed("whether the work tree is clean")),
        Effect.provide(services)
      ),
    /** What git is in the midst of, as its own folder says; `null`: nothing. */
    underWay: Effect.gen(function* () {
      const own = yield* Effect.mapError(where("--absolute-git-dir"), failed("where its folder is"))
      const at = yield* Effect.findFirst(Object.entries(operations), ([name]) => fs.exists(`${own}/${name}`))
      return Option.getOrNull(Option.map(at, ([, what]) => what))
    }),
    /** Commits after `base`, oldest first, and the files that differ from it. */
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
    /** Files that git neither knows nor ignores, in all of the repository. */
    untracked: git(["-C", root, "ls-files", "--others", "--exclude-standard", "-z"]).pipe(
      Effect.map((text) => theirs(parts(text, "\0"))),
      Effect.mapError(failed("which files it does not know"))
    ),
    /** Whether HEAD has a file of that very name. */
    has: Effect.fn("Git.has")(function* (file: string) {
      const listed = git(["ls-tree", "-z", "--name-only", "HEAD", "--", file])
      return (yield* Effect.mapError(listed, failed("which files there are"))) === `${file}\0`
    }),
    /**
     * Those of the commits that HEAD does not have; what is no commit's id is had by nobody, whatever git would take it
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
export type Git = Effect.Success<ReturnType<typeof gitOf>>
