import { Effect, FileSystem, Path } from "effect"

/** A commit's name, in full: SHA-1 or SHA-256. */
const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u

/** The folder of git's files: `.git` itself, or where the file of that name points (a worktree, a submodule). */
const gitFolder = Effect.fnUntraced(function* (project: string) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  for (let folder = project; ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git")
    const info = yield* Effect.option(fs.stat(git))
    if (info._tag === "Some" && info.value.type === "Directory") return git
    if (info._tag === "Some") return path.resolve(folder, (yield* fs.readFileString(git)).replace(/^gitdir: /u, "").trim())
    if (folder === path.dirname(folder)) return yield* Effect.fail("no repository")
  }
})

/**
 * The commit that is checked out in a project, as `git rev-parse HEAD` says it: read from git's own files, so that a poll starts no
 * process. Empty where there is none, or no repository.
 */
export const headOf = Effect.fn("Commits.head")(
  function* (project: string) {
    const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
    const git = yield* gitFolder(project)
    const read = (folder: string, name: string) =>
      Effect.map(
        Effect.orElseSucceed(fs.readFileString(path.join(folder, name)), () => ""),
        (text) => text.trim()
      )
    const head = yield* read(git, "HEAD")
    if (commit.test(head)) return head
    const ref = head.replace(/^ref: /u, "")
    if (!ref.startsWith("refs/")) return ""
    // Branches of a worktree are its repository's.
    const common = path.resolve(git, (yield* read(git, "commondir")) || ".")
    for (const folder of [git, common]) {
      const found = yield* read(folder, ref)
      if (commit.test(found)) return found
    }
    const packed = (yield* read(common, "packed-refs")).split("\n").find((line) => line.endsWith(` ${ref}`))
    return packed?.split(" ", 1)[0] ?? ""
  },
  Effect.orElseSucceed(() => "")
)
