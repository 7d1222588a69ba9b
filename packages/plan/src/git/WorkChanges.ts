import { agentsOwn } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { type Duration, Effect, FileSystem, Path } from "effect"
import { commitId } from "./Git.ts"
import { gitIn } from "./GitProgram.ts"
import { GitUnusable } from "./GitUnusable.ts"

/** The most files that are named, and of these the most whose lines are read. */
const [maxFiles, maxRead] = [500, 100] as const
/** Lines that differ in one file, and in all of them together, whose text is read. */
const [maxLinesOfFile, maxLines] = [1_500, 6_000] as const
/** UTF-16 units of the text of one file. */
const maxText = 100_000
/** Bytes of a file that git does not know. */
const maxBytes = 64_000

/** A file that differs from how it was. */
export interface ChangedFile {
  /** From the root of the work tree. */
  readonly path: string
  /** Lines that came and went; `null`: they are not counted, as of a picture. */
  readonly added: number | null
  readonly removed: number | null
  /** True if git does not know the file. */
  readonly untracked: boolean
  /** The difference in lines, as git writes it without its head; `null`: it is not shown. */
  readonly patch: string | null
}

/** How a work tree differs from the commit that it had at a moment. */
export interface WorkChanges {
  /** The last commit of HEAD that was made before that moment; `null`: there is none. */
  readonly base: string | null
  readonly files: ReadonlyArray<ChangedFile>
  /** Files beyond those that are named. */
  readonly more: number
}

/** Keys of a repository's configuration that say what a file is, and name no program. */
const ofFiles = /^core\.(?:autocrlf|eol|filemode|ignorecase|symlinks)$/u

/** No configuration of the user's changes the form. */
const plainly = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--no-relative",
  "--submodule=short",
  "--ignore-submodules=dirty",
  "--src-prefix=a/",
  "--dst-prefix=b/"
]

const counted = (word = ""): number | null => (/^\d+$/u.test(word) ? Number(word) : null)

/** Reads `git diff --numstat -z`. */
const parseCounts = (text: string) =>
  text.split("\0").flatMap((entry) => {
    const [, added, removed, path] = /^(\S+)\t(\S+)\t(.+)$/su.exec(entry) ?? []
    return path === undefined ? [] : [{ path, added: counted(added), removed: counted(removed) }]
  })

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\"
}

/** Writes a name as git does in the head of a difference. */
const inHead = (name: string): string => {
  // oxlint-disable-next-line no-control-regex
  const quoted = name.replaceAll(/[\u0000-\u001f"\\\u007f]/gu, (one) => {
    const code = escapes[one] ?? one.codePointAt(0)!.toString(8).padStart(3, "0")
    return `\\${code}`
  })
  return quoted === name ? name : `"${quoted}"`
}

/** Returns the lines of each file in `git diff -p`, by the names in its head. No line of a file begins as a head. */
const parsePatches = (text: string): ReadonlyMap<string, string> => {
  const patches = new Map<string, string>()
  for (const one of `\n${text}`.split("\ndiff --git ").slice(1)) {
    const names = one.slice(0, one.indexOf("\n"))
    const from = one.indexOf("\n@@ ") + 1
    // A file that became a link goes and comes, in two parts.
    if (from > 0) patches.set(names, [patches.get(names) ?? [], one.slice(from)].flat().join("\n"))
  }
  return patches
}

/** Chooses the files whose lines are few enough to be read, in their order. */
const readable = <File extends Pick<ChangedFile, "added" | "removed">>(files: ReadonlyArray<File>) => {
  let left = maxLines
  return files
    .filter(({ added, removed }) => {
      const lines = (added ?? 0) + (removed ?? 0)
      if (added === null || lines > Math.min(left, maxLinesOfFile)) return false
      left -= lines
      return true
    })
    .slice(0, maxRead)
}

/**
 * Compares the work tree of a project from a repository of our own, with the project's index and objects. Its
 * configuration can be written by an agent at any moment, and only what it says of files is taken over.
 */
const comparing = Effect.fnUntraced(function* (root: string, within: Duration.Input) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { git } = yield* gitIn(root, { within })
  const line = (...args: ReadonlyArray<string>) =>
    Effect.map(git(["rev-parse", ...args]), (text) => text.replace(/\n$/u, ""))
  const place = (name: string) => Effect.map(line("--git-path", name), (file) => path.resolve(root, file))
  const listed = (yield* git(["config", "--list", "-z"])).split("\0").map((entry) => entry.split("\n", 2))
  const kept = listed.flatMap(([key = "", value = "true"]) => (ofFiles.test(key) ? ["-c", `${key}=${value}`] : []))
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-look-" })
  const apart = yield* gitIn(folder, {
    within,
    outward: {
      GIT_DIR: folder,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: yield* place("index"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(yield* place("objects"))
    }
  })
  const format = yield* line("--show-object-format")
  const own = yield* gitIn(folder, { within })
  yield* own.git(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`])
  return (args: ReadonlyArray<string>) =>
    apart.git([...kept, "-c", "core.quotePath=false", "-C", root, "diff", ...plainly, ...args])
})

/** Reads a new file as the lines that came. */
const newFile = Effect.fnUntraced(function* (root: string, name: string) {
  const path = yield* Path.Path
  const bytes = yield* Effect.option(readTrusted(path.join(root, name), { ...agentsOwn, atMost: maxBytes }))
  const text = bytes._tag === "None" || bytes.value.includes(0) ? null : new TextDecoder().decode(bytes.value)
  const lines = text === null ? [] : text.replace(/\n$/u, "").split("\n")
  return {
    path: name,
    added: text === null ? null : text === "" ? 0 : lines.length,
    removed: text === null ? null : 0,
    untracked: true,
    patch: text === null || text === "" ? null : lines.map((line) => `+${line}`).join("\n")
  } satisfies ChangedFile
})

type Diff = Effect.Success<ReturnType<typeof comparing>>

/** Returns the files between commits, or since one, with the lines of those that are short. */
const differing = Effect.fnUntraced(function* (diff: Diff, range: ReadonlyArray<string>) {
  const all = parseCounts(yield* diff(["--numstat", "-z", ...range, "--"]))
  const files = all.slice(0, maxFiles)
  const read = readable(files)
  const patches = yield* read.length === 0
    ? Effect.succeed("")
    : // Without the text of all of them, the names are told.
      Effect.orElseSucceed(
        // With the counts, the width of its context would bring the text of all files.
        diff(["-p", "--unified=3", ...range, "--", ...read.map(({ path }) => path)]),
        () => ""
      )
  const patchOf = parsePatches(patches)
  const patched = files.map((one): ChangedFile => ({
    ...one,
    untracked: false,
    patch: patchOf.get(`${inHead(`a/${one.path}`)} ${inHead(`b/${one.path}`)}`)?.slice(0, maxText) ?? null
  }))
  return { files: patched, more: all.length - files.length }
})

/** How long one question to git may take. */
const within = "20 seconds"

const rooted = Effect.fnUntraced(function* (project: string) {
  const root = (yield* (yield* gitIn(project, { within })).git(["rev-parse", "--show-toplevel"])).replace(/\n$/u, "")
  const { git } = yield* gitIn(root, { within })
  const empty = Effect.map(git(["hash-object", "-t", "tree", "--stdin"]), (text) => text.trim())
  return { empty, git, root }
})

const untold =
  (project: string) =>
  ({ message }: { readonly message: string }) =>
    new GitUnusable({ project, problem: `git does not tell what changed: ${message}` })

/**
 * Returns how the work tree of a project differs from the last commit that HEAD had before a moment (epoch ms). It is
 * bounded for any difference, and runs no program that the repository names. Fails with `GitUnusable` where git cannot
 * tell.
 */
export const workChanges = Effect.fn("workChanges")(
  function* (project: string, since: number) {
    const { empty, git, root } = yield* rooted(project)
    const found = git(["rev-list", "-1", "--first-parent", `--min-age=${Math.floor(since / 1000)}`, "HEAD", "--"])
    // A repository without a commit has no HEAD.
    const base = (yield* Effect.orElseSucceed(found, () => "")).trim()
    const { files, more } = yield* differing(yield* comparing(root, within), [base === "" ? yield* empty : base])
    const unknown = (yield* git(["ls-files", "--others", "--exclude-standard", "-z"])).split("\0").filter(Boolean)
    const named = unknown.slice(0, maxFiles - files.length)
    const fresh = yield* Effect.forEach(named.slice(0, maxRead), (name) => newFile(root, name))
    const shown = readable(fresh)
    return {
      base: base === "" ? null : base,
      files: [
        ...files,
        ...fresh.map((one) => ({ ...one, patch: shown.includes(one) ? one.patch : null })),
        ...named.slice(maxRead).map((path) => ({ path, added: null, removed: null, untracked: true, patch: null }))
      ],
      more: more + unknown.length - named.length
    } satisfies WorkChanges
  },
  Effect.scoped,
  (effect, project) => Effect.mapError(effect, untold(project))
)

/**
 * Returns how a commit differs from the one that its work began from, on the terms of {@link workChanges}. `base`:
 * `null`: there was none. `head`: `null`: the commit that is checked out in that folder.
 */
export const commitChanges = Effect.fn("commitChanges")(
  function* (folder: string, { base, head }: { readonly base: string | null; readonly head: string | null }) {
    const { empty, git, root } = yield* rooted(folder)
    const whole = Effect.fnUntraced(function* (name: string) {
      if (name !== "HEAD" && !commitId.test(name)) return yield* Effect.fail({ message: `${name} is no commit` })
      return (yield* git(["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`])).trim()
    })
    const from = base === null ? yield* empty : yield* whole(base)
    const range = [from, yield* whole(head ?? "HEAD")]
    return { base, ...(yield* differing(yield* comparing(root, within), range)) } satisfies WorkChanges
  },
  Effect.scoped,
  (effect, folder) => Effect.mapError(effect, untold(folder))
)
