import { FileRefused, lookTrusted, readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Path, type PlatformError, Result } from "effect"
import { gitIn } from "./GitProgram.ts"
import { backupOf } from "../state/StateStore.ts"

/** The comment above souffleur's own lines, once. */
const mark = "# souffleur's own, for its runs"

/** Maximum bytes of a file of exclusions. */
const maxBytes = 1_000_000

/** This user or their group may write the file, as the rest of `.git`. */
const ours = { own: true, others: "write as its group" } as const

/** Returns a pattern that matches this path alone. */
const literally = (file: string) =>
  `/${file.replaceAll(/[\\*?[\]]/gu, String.raw`\$&`).replace(/ +$/u, (blanks) => String.raw`\ `.repeat(blanks.length))}`

/** Reads a file of exclusions and its mode. It is checked before git reads it, since git waits at a pipe. */
const read = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.result(readTrusted(path, { ...ours, atMost: maxBytes }))
  if (Result.isFailure(found)) return found.failure.missing ? { text: "", mode: 0o644 } : yield* found.failure
  return { text: new TextDecoder().decode(found.success), mode: (yield* fs.stat(path)).mode & 0o777 }
})

/** Adds the lines that are missing, and returns them. The file is there whole with them, or as it was. */
const added = Effect.fnUntraced(function* (
  path: string,
  { mode, text }: Effect.Success<ReturnType<typeof read>>,
  patterns: Array<string>
) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const lines = text.split(/\r?\n/u)
  const fresh = patterns.filter((pattern) => !lines.includes(pattern))
  if (fresh.length === 0) return fresh
  yield* fs.makeDirectory(paths.dirname(path), { recursive: true })
  yield* lookTrusted(paths.dirname(path), { ...ours, folder: true })
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`
  yield* replaceDurably(path, `${before}${[...(lines.includes(mark) ? [] : [mark]), ...fresh].join("\n")}\n`, mode)
  return fresh
})

/**
 * Returns whether the repository of a work tree is its own. It is a folder there, or names this work tree in turn, as
 * git keeps it for a linked work tree and for a submodule. Any program may write a `.git` that names another
 * repository.
 */
const isOwn = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { git } = yield* gitIn(root)
  const [top = "", repository = ""] = (yield* git(["rev-parse", "--show-toplevel", "--absolute-git-dir"])).split("\n")
  if (path.relative(top, repository) === ".git") return true
  const said = yield* Effect.orElseSucceed(fs.readFileString(path.join(repository, "gitdir")), () => "")
  if (path.resolve(repository, said.trim()) === path.join(top, ".git")) return true
  const config = ["config", "--file", path.join(repository, "config"), "core.worktree"]
  const named = yield* Effect.orElseSucceed(git(config), () => "")
  return named !== "" && path.resolve(repository, named.trim()) === top
})

const refused = (error: FileRefused | PlatformError.PlatformError) =>
  error instanceof FileRefused ? error.problem : error.message

/**
 * Keeps souffleur's files out of the commits of agents that add everything. These are the state file, the files beside
 * it, and `others`, such as comms. They go into git's own `info/exclude` where no rule ignores them yet; no
 * `.gitignore` is touched. Returns sentences to be told. A file that cannot be written is a warning only.
 */
export const excludeOwn = Effect.fn("excludeOwn")(
  function* (root: string, statePath: string, others: ReadonlyArray<string>) {
    const path = yield* Path.Path
    const { git, ignored } = yield* gitIn(root)
    /**
     * Returns a file's name in the work tree and its pattern. `beside`: the pattern's end, for all files that begin so.
     * `such`: the end of one such name.
     */
    const named = (file: string, beside = "", such = "") => {
      const name = path.relative(root, file)
      return name.startsWith("..") || name.includes("\n")
        ? []
        : [{ name: `${name}${such}`, pattern: `${literally(name)}${beside}` }]
    }
    const own = [
      ...named(statePath),
      ...named(backupOf(statePath)),
      ...[statePath, backupOf(statePath)].flatMap((file) => named(file, ".kept-*", ".kept-0")),
      // A conductor that is killed leaves what it was writing.
      ...named(statePath, ".*.tmp", ".0.tmp"),
      ...others.flatMap((file) => [...named(file), ...named(file, "-*", "-wal")])
    ]
    if (own.length === 0) return []
    const [where = ""] = (yield* git(["rev-parse", "--git-path", "info/exclude"])).split("\n")
    const exclude = path.resolve(root, where)
    const tracked = (yield* git(["ls-files", "-z", "--", ...own.map(({ name }) => name)]))
      .split("\0")
      .filter((name) => name !== "")
    const excluded = yield* Effect.gen(function* () {
      if (!(yield* isOwn(root)))
        return [
          `warning: ${path.join(root, ".git")} names a repository that does not name this work tree in turn: nothing is excluded there, and an agent that adds everything commits souffleur's files`
        ]
      const before = yield* read(exclude)
      const known = yield* ignored(own.map(({ name }) => name))
      const fresh = own.filter(({ name }) => !known.has(name)).map(({ pattern }) => pattern)
      const now = yield* added(exclude, before, fresh)
      return now.length === 0 ? [] : [`souffleur's files are excluded in ${exclude}: ${now.join(", ")}`]
    }).pipe(
      Effect.catchTag(["FileRefused", "PlatformError"], (error) =>
        Effect.succeed([`warning: ${exclude}: ${refused(error)}; an agent that adds everything commits these files`])
      )
    )
    return [
      ...tracked.map(
        (name) => `warning: git tracks ${name}, so agents commit it with their work: git -C ${root} rm --cached ${name}`
      ),
      ...excluded
    ]
  },
  Effect.catchTag("ProgramFailed", ({ message }) =>
    Effect.succeed([`warning: git does not say what of souffleur's own it ignores: ${message}`])
  )
)
