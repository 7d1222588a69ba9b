import { type Trust } from "@souffleur/domain"
import { type FileRefused, lookTrusted, readTrusted } from "@souffleur/process"
import { Effect, Path, Result } from "effect"

/** The full name of a commit: SHA-1 or SHA-256. */
const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u

/** A repository may belong to its group. A member who may commit there may choose the commit that is checked out. */
const shared = { others: "write as its group" } as const satisfies Trust
/** Most bytes of a file with one name, and of the list of all branches. */
const [maxNameBytes, maxListBytes] = [1_000_000, 16_000_000]

/** UTF-16 units of the names of reftables, of which the newest are the last. */
const maxTables = 1000

const textOf = (file: string, maxBytes: number) =>
  Effect.map(readTrusted(file, { ...shared, atMost: maxBytes }), (bytes) => new TextDecoder().decode(bytes).trim())

/**
 * Finds the folder of git's files. It is `.git` itself, or the target of a file of that name (a worktree, a submodule).
 */
const gitFolder = Effect.fnUntraced(function* (project: string) {
  const path = yield* Path.Path
  for (let folder = project; ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git")
    const named = yield* Effect.result(textOf(git, maxNameBytes))
    if (named._tag === "Success") {
      const target = path.resolve(folder, named.success.replace(/^gitdir: /u, ""))
      yield* lookTrusted(target, { ...shared, folder: true })
      return target
    }
    // An untrusted `.git` hides the folders above it, as it does for git.
    if (!named.failure.missing) {
      yield* lookTrusted(git, { ...shared, folder: true })
      return git
    }
    if (folder === path.dirname(folder)) return yield* named.failure
  }
})

/**
 * Reads the commit that is checked out in a project, as `git rev-parse HEAD` prints it. It reads git's own files, so a
 * poll starts no process. Of reftables, which only git reads, it returns their names. Returns an empty text without a
 * commit or a repository. Fails with `FileRefused` when a file there cannot be trusted or is not a regular file.
 */
export const commitAt = Effect.fnUntraced(function* (project: string) {
  const path = yield* Path.Path
  const git = yield* Effect.catchIf(
    gitFolder(project),
    ({ missing }) => missing,
    () => Effect.succeed("")
  )
  if (git === "") return ""
  const read = (folder: string, name: string, maxBytes = maxNameBytes) =>
    Effect.catchIf(
      textOf(path.join(folder, name), maxBytes),
      ({ missing }) => missing,
      () => Effect.succeed("")
    )
  const head = yield* read(git, "HEAD")
  if (commit.test(head)) return head
  const ref = head.replace(/^ref: /u, "")
  // A repository with reftables has this in place of its branches. The list of its tables changes with each commit.
  if (ref === "refs/heads/.invalid") {
    const common = path.resolve(git, (yield* read(git, "commondir")) || ".")
    const lists = yield* Effect.forEach(new Set([git, common]), (folder) => read(folder, "reftable/tables.list"))
    return lists.join("\n").trim().replaceAll(/\s+/gu, ",").slice(-maxTables)
  }
  if (!ref.startsWith("refs/") || ref.split("/").includes("..")) return ""
  // A worktree has its branches in its repository.
  const common = path.resolve(git, (yield* read(git, "commondir")) || ".")
  let refused: FileRefused | undefined
  for (const folder of [git, common]) {
    const found = yield* Effect.result(read(folder, ref))
    if (Result.isFailure(found)) refused = found.failure
    else if (commit.test(found.success)) return found.success
  }
  const packed = (yield* read(common, "packed-refs", maxListBytes)).split("\n").find((line) => line.endsWith(` ${ref}`))
  // An emptied folder may have the name of a packed branch. Without that branch, the refusal counts.
  if (packed === undefined && refused !== undefined) return yield* refused
  return packed?.split(" ", 1)[0] ?? ""
})
