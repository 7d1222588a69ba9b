import { type Trust } from "@souffleur/domain"
import { lookTrusted, readTrusted } from "@souffleur/process"
import { Effect, Path } from "effect"

/** A commit's name, in full: SHA-1 or SHA-256. */
const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u

/** A repository may be its group's: who may commit there may say which commit is checked out. */
const shared = { others: "write as its group" } as const satisfies Trust
/** Bytes of a file that names one thing, and of the list of all branches. */
const [small, large] = [1_000_000, 16_000_000]

const textOf = (file: string, atMost: number) =>
  Effect.map(readTrusted(file, { ...shared, atMost }), (bytes) => new TextDecoder().decode(bytes).trim())

/** The folder of git's files: `.git` itself, or where the file of that name points (a worktree, a submodule). */
const gitFolder = Effect.fnUntraced(function* (project: string) {
  const path = yield* Path.Path
  for (let folder = project; ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git")
    const named = yield* Effect.result(textOf(git, small))
    if (named._tag === "Success") {
      const target = path.resolve(folder, named.success.replace(/^gitdir: /u, ""))
      yield* lookTrusted(target, { ...shared, folder: true })
      return target
    }
    // What is there and is not to be trusted hides what is above it, as it does for git.
    if (!named.failure.missing) {
      yield* lookTrusted(git, { ...shared, folder: true })
      return git
    }
    if (folder === path.dirname(folder)) return yield* named.failure
  }
})

/**
 * The commit that is checked out in a project, as `git rev-parse HEAD` says it: read from git's own files, so that a
 * poll starts no process. Empty where there is none, or no repository. Fails where what is there may be somebody else's
 * word, or is no file.
 */
export const commitAt = Effect.fn("commitAt")(function* (project: string) {
  const path = yield* Path.Path
  const git = yield* Effect.catchIf(
    gitFolder(project),
    ({ missing }) => missing,
    () => Effect.succeed("")
  )
  if (git === "") return ""
  const read = (folder: string, name: string, atMost = small) =>
    Effect.catchIf(
      textOf(path.join(folder, name), atMost),
      ({ missing }) => missing,
      () => Effect.succeed("")
    )
  const head = yield* read(git, "HEAD")
  if (commit.test(head)) return head
  const ref = head.replace(/^ref: /u, "")
  if (!ref.startsWith("refs/") || ref.split("/").includes("..")) return ""
  // Branches of a worktree are its repository's.
  const common = path.resolve(git, (yield* read(git, "commondir")) || ".")
  for (const folder of [git, common]) {
    const found = yield* Effect.orElseSucceed(read(folder, ref), () => "")
    if (commit.test(found)) return found
  }
  const packed = (yield* read(common, "packed-refs", large)).split("\n").find((line) => line.endsWith(` ${ref}`))
  return packed?.split(" ", 1)[0] ?? ""
})

/** {@link commitAt}, and nothing where that fails: `doctor` tells it. */
export const headOf = (project: string) => Effect.orElseSucceed(commitAt(project), () => "")
