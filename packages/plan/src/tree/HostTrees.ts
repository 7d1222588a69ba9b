import { Settings } from "@souffleur/domain"
import type { ProgramFailed } from "@souffleur/process"
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import { includeFiles, includeUnknown } from "../gate/IncludeFiles.ts"
import { gitOf } from "../git/Git.ts"
import { gitIn } from "../git/GitProgram.ts"
import { GitUnusable } from "../git/GitUnusable.ts"
import { projectLink, treesFolder } from "./ProjectOfTree.ts"
import type { TaskTree } from "./TaskTree.ts"

const refOf = (branch: string) => `refs/heads/${branch}`

/**
 * Makes the work trees of a project's tasks, in the state folder. `own`: souffleur's own files, as they are named from
 * the root of the project's work tree. `settings`: where the project has settings and instructions for its agents.
 * Those that git does not know must hold in each tree as well.
 */
export const hostTrees = Effect.fn("hostTrees")(function* (
  project: string,
  own: (root: string) => ReadonlyArray<string>,
  settings: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir } = yield* Settings
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof gitOf>>>()
  const asked = yield* gitIn(project)
  const all = path.join(stateDir, treesFolder)
  const failed = (doing: string) => (error: ProgramFailed | PlatformError.PlatformError) =>
    new GitUnusable({ project, problem: `the work tree of a task was not ${doing}: ${error.message}` })
  const line = (what: string) => Effect.map(asked.git(["rev-parse", what]), (text) => text.replace(/\n$/u, ""))
  const commitOf = (ref: string) =>
    Effect.map(asked.git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], `${ref}\n`), (text) =>
      text.endsWith(" commit\n") ? text.slice(0, text.indexOf(" ")) : null
    )

  /** Takes a folder of souffleur's own away, and git's note of it. */
  const away = Effect.fnUntraced(function* (folder: string) {
    // git takes no note away of a tree that is broken.
    yield* fs.remove(folder, { recursive: true, force: true })
    const known = (yield* asked.git(["worktree", "list", "--porcelain", "-z"])).split("\0")
    if (known.includes(`worktree ${folder}`)) yield* asked.git(["worktree", "remove", "--force", "--force", folder])
  })

  /** Checks the branch of a tree out in its folder: as it is, or else made at the commit that the tree begins from. */
  const checkout = Effect.fnUntraced(function* ({ base, branch, folder }: TaskTree) {
    yield* fs.makeDirectory(path.dirname(folder), { recursive: true, mode: 0o700 })
    yield* Effect.ignore(fs.symlink(project, path.join(path.dirname(folder), projectLink)))
    if ((yield* commitOf(refOf(branch))) === null)
      yield* asked.git(["update-ref", "--create-reflog", "-m", "begun", refOf(branch), base, ""])
    yield* asked.git(["worktree", "add", "--force", "--force", "--no-checkout", folder, branch])
    // The configuration that counts there may name other filters.
    yield* (yield* gitIn(folder)).filtered(["reset", "--hard", "--quiet"])
  })

  const include = Effect.fnUntraced(function* ({ folder }: TaskTree, files: ReadonlyArray<string>) {
    const [root, prefix] = yield* Effect.all([line("--show-toplevel"), line("--show-prefix")])
    yield* includeFiles(root, folder)
    const names = [
      ...settings.flatMap((name) => [name, `${prefix}${name}`]),
      ...files.map((name) => `${prefix}${name}`)
    ]
    yield* includeUnknown(
      root,
      folder,
      [...new Set(names.map((name) => path.normalize(name)))].filter(
        (name) => !name.startsWith("..") && !path.isAbsolute(name)
      )
    )
    // A folder of the project without a file that git knows is in no checkout.
    yield* fs.makeDirectory(path.join(folder, prefix), { recursive: true })
  })

  const open = Effect.fnUntraced(function* (tree: TaskTree) {
    const [root, prefix] = yield* Effect.all([line("--show-toplevel"), line("--show-prefix")])
    const git = yield* gitOf(path.join(tree.folder, prefix), () => own(root))
    if (git.root === tree.folder) return git
    return yield* new GitUnusable({ project: tree.folder, problem: `its work tree is ${git.root} to git` })
  })

  /** Says what in a tree is not in a commit of the project, as a clause; `null`: nothing. */
  const unlanded = Effect.fnUntraced(function* (
    tree: TaskTree,
    head: string | null,
    before: ReadonlyArray<string> | null
  ) {
    const isThere = yield* fs.exists(tree.folder)
    const git = isThere ? yield* open(tree) : undefined
    if (git !== undefined && (yield* git.status).changed.length > 0) return "it has changes that no commit has"
    if (git !== undefined && before !== null && (yield* git.untracked).some((file) => !before.includes(file)))
      return "it has files that git does not know"
    if (git !== undefined && (yield* git.underWay) !== null) return "git is in the midst of something there"
    const commits = [yield* commitOf(refOf(tree.branch)), git === undefined ? null : yield* git.head]
    const named = commits.flatMap((commit) => commit ?? [])
    if (named.length === 0) return null
    const beyond = yield* asked.git(
      ["rev-list", "--max-count=1", "--stdin"],
      [...named, ...(head === null ? [] : [`^${head}`])].map((one) => `${one}\n`).join("")
    )
    if (beyond !== "") return "it has commits that did not land"
    if (git === undefined) return null
    // git keeps the repositories of a tree's submodules with its note of the tree.
    const modules = (yield* (yield* gitIn(tree.folder)).git(["rev-parse", "--git-path", "modules"])).replace(/\n$/u, "")
    if (!(yield* fs.exists(path.resolve(tree.folder, modules)))) return null
    const moved = yield* Effect.forEach(named, (commit) => asked.git(["diff-tree", "-r", tree.base, commit]))
    return moved.some((text) => /^:\d+ 160000 /mu.test(text)) ? "it alone may have the commits of a submodule" : null
  })

  return {
    room: Effect.fn("hostTrees.room")(function* (run: string, name: string) {
      // git names its work trees by their real paths.
      const beside = path.join(all, run)
      yield* Effect.ignore(fs.makeDirectory(beside, { recursive: true, mode: 0o700 }))
      const folder = path.join(yield* Effect.orElseSucceed(fs.realPath(beside), () => beside), name)
      return (yield* Effect.orElseSucceed(fs.exists(folder), () => true)) ? undefined : folder
    }),
    make: Effect.fn("hostTrees.make")(
      function* (tree: TaskTree, files: ReadonlyArray<string>) {
        // One that a killed conductor began to make may be half there.
        yield* away(tree.folder)
        yield* checkout(tree)
        yield* include(tree, files)
      },
      Effect.mapError(failed("made")),
      Effect.provide(services)
    ),
    open: Effect.fn("hostTrees.open")(
      function* (tree: TaskTree) {
        if (!(yield* fs.exists(tree.folder))) {
          yield* away(tree.folder)
          yield* checkout(tree)
          yield* include(tree, [])
        }
        return yield* open(tree)
      },
      Effect.mapError((error) => (error instanceof GitUnusable ? error : failed("made again")(error))),
      Effect.provide(services)
    ),
    remove: Effect.fn("hostTrees.remove")(
      function* (tree: TaskTree, head: string | null, before: ReadonlyArray<string> | null) {
        const why = yield* Effect.catchTag(unlanded(tree, head, before), "GitUnusable", ({ problem }) =>
          Effect.succeed(problem)
        )
        if (why !== null) return why
        yield* away(tree.folder)
        const commit = yield* commitOf(refOf(tree.branch))
        if (commit !== null) yield* asked.git(["update-ref", "-d", refOf(tree.branch), commit])
        return null
      },
      Effect.mapError(failed("removed")),
      Effect.provide(services)
    )
  }
})
