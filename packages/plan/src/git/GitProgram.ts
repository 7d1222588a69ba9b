import { ProgramFailed, runCheck, runProgram } from "@souffleur/process"
import { Config, type Duration, Effect, Option } from "effect"

/** The variables of our environment that git sees: no keys, and nothing that a hook of git was started with. */
const shared = [
  "HOME",
  "XDG_CONFIG_HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM"
]

/** git fetches nothing, asks no questions, and replaces no object by another. */
const alone = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null"
} as const

/** Options against the repository's own configuration: agents can write it, and it names programs. */
const safely = [
  "--no-pager",
  "-c",
  "core.fsmonitor=false",
  "--no-optional-locks",
  "-c",
  "core.hooksPath=/dev/null",
  // The file of grafts is our own, and a hint about it would stand before git's reason.
  "-c",
  "advice.graftFileDeprecated=false"
]

/** Returns those of souffleur's own variables that are set, with the absolute parts of `PATH`. */
export const variablesNamed = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const given = yield* Effect.forEach(["PATH", ...shared, ...names], (name) =>
    Effect.map(
      Effect.orDie(Config.option(Config.String(name))),
      (value) => [name, Option.getOrUndefined(value)] as const
    )
  )
  const all = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  // A relative part of PATH would find another program in each folder.
  const path = (all["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"))
  return { ...all, PATH: path.join(":") }
})

/**
 * Keys of programs that convert files for a commit, and back, or that merge them. Anybody may choose their names: also
 * an empty one, or one with a line separator.
 */
const programKey = /^(filter|merge)\.(.*)\.(?:clean|smudge|process|required|driver)$/su
const programsOff = (listed: string): Readonly<Record<string, string>> => {
  const words = listed.split("\0")
  const named = words.flatMap((scope, at) => {
    const [, kind, name] =
      at % 2 === 0 && (scope === "local" || scope === "worktree") ? (programKey.exec(words[at + 1] ?? "") ?? []) : []
    return name === undefined ? [] : [`${kind}.${name}`]
  })
  const pairs = [...new Set(named)].flatMap((key): ReadonlyArray<readonly [string, string]> =>
    key.startsWith("merge.")
      ? // A conflict, for a person to see to.
        [[`${key}.driver`, "false"]]
      : [...["clean", "smudge", "process"].map((what) => [`${key}.${what}`, ""] as const), [`${key}.required`, "false"]]
  )
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(pairs.length)],
    ...pairs.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value]
    ])
  ])
}

/** What a use of git may do beyond reading. */
interface GitTerms {
  /** Variables by which it reaches a remote. Absent: it reaches none. */
  readonly outward?: Readonly<Record<string, string>>
  /** How long one call may take. */
  readonly within?: Duration.Input
}

/**
 * Runs git in a folder, never through a shell. No program of the repository's own configuration runs. `filtered` is for
 * commands that compare files with commits, or write them, and `checked` for one that says by its exit code what it
 * found: the user's own filters (`git lfs install`) and merge drivers work there. Fails with `ProgramFailed` where git
 * ends with another code than 0, or takes too long.
 */
export const gitIn = Effect.fnUntraced(function* (folder: string, { outward, within = "60 seconds" }: GitTerms = {}) {
  const variables = { ...(yield* variablesNamed([])), ...alone, ...outward }
  const asked = (args: ReadonlyArray<string>, stdin: string, more: Readonly<Record<string, string>> = {}) =>
    runProgram({
      command: "git",
      args: ["-C", folder, ...safely, ...args],
      stdin,
      within,
      atMost: 32_000_000,
      heard: true,
      environment: { ...variables, ...more }
    })
  const git = (args: ReadonlyArray<string>, stdin = "", more?: Readonly<Record<string, string>>) =>
    asked(["--literal-pathspecs", ...args], stdin, more)
  /**
   * Returns the names that git ignores, whether they exist or not. This command alone refuses literal names, and it
   * ends with 1 for none.
   */
  const ignored = (files: ReadonlyArray<string>) =>
    asked(["check-ignore", "--no-index", "-z", "--stdin"], files.map((file) => `./${file}\0`).join("")).pipe(
      Effect.map((names) => new Set(names.split("\0").map((name) => name.slice(2)))),
      Effect.catchIf(
        ({ message }) => message === "it ended with exit code 1",
        () => Effect.succeed(new Set<string>())
      )
    )
  const off = git(["config", "--list", "--show-scope", "--name-only", "-z"]).pipe(
    Effect.map(programsOff),
    // A variable cannot hold bytes that are no UTF-8, so their program would stay on.
    Effect.filterOrFail(
      (settings) => !Object.values(settings).some((key) => key.includes("\uFFFD")),
      () => new ProgramFailed({ message: "its configuration names a filter in bytes that are no UTF-8", ran: false })
    )
  )
  const filtered = (args: ReadonlyArray<string>) => Effect.flatMap(off, (settings) => git(args, "", settings))
  const checked = (args: ReadonlyArray<string>) =>
    Effect.flatMap(off, (settings) =>
      runCheck({
        words: ["git", "-C", folder, ...safely, ...args],
        cwd: folder,
        environment: { ...variables, ...settings },
        within
      })
    )
  return { git, filtered, ignored, checked }
})
