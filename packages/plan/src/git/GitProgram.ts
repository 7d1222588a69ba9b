import { runProgram } from "@souffleur/process"
import { Config, Effect, Option } from "effect"

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

const environment = Effect.gen(function* () {
  const given = yield* Effect.forEach(["PATH", ...shared], (name) =>
    Effect.map(
      Effect.orDie(Config.option(Config.String(name))),
      (value) => [name, Option.getOrUndefined(value)] as const
    )
  )
  const all = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  // A relative part of PATH would find another program in each folder.
  const path = (all["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"))
  return { ...all, PATH: path.join(":"), ...alone }
})

/** Keys of programs that convert files for a commit, and back, or merge them. Anybody may choose their names. */
const filter = /^filter\.(.+)\.(?:clean|smudge|process|required)$/u
const merger = /^merge\.(.+)\.driver$/u
const filtersOff = (listed: string): Readonly<Record<string, string>> => {
  const words = listed.split("\0")
  const named = (key: RegExp) =>
    new Set(
      words.flatMap((scope, at) => {
        const [, name] =
          at % 2 === 0 && (scope === "local" || scope === "worktree") ? (key.exec(words[at + 1] ?? "") ?? []) : []
        return name === undefined ? [] : [name]
      })
    )
  const pairs = [
    ...[...named(filter)].flatMap((name) => [
      ...["clean", "smudge", "process"].map((what) => [`filter.${name}.${what}`, ""]),
      [`filter.${name}.required`, "false"]
    ]),
    // A merge by it is a conflict.
    ...[...named(merger)].map((name) => [`merge.${name}.driver`, "false"])
  ]
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(pairs.length)],
    ...pairs.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value]
    ])
  ])
}

/**
 * Runs git in a folder, never through a shell. No program of the repository's own configuration runs. `filtered` is for
 * commands that compare files with commits, or write them: the user's own filters (`git lfs install`) work there. Fails
 * with `ProgramFailed` where git ends with another code than 0, or takes too long.
 */
export const gitIn = Effect.fnUntraced(function* (folder: string) {
  const variables = yield* environment
  const asked = (args: ReadonlyArray<string>, stdin: string, more: Readonly<Record<string, string>> = {}) =>
    runProgram({
      command: "git",
      args: ["-C", folder, ...safely, ...args],
      stdin,
      within: "60 seconds",
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
  const filtered = (args: ReadonlyArray<string>, stdin = "") =>
    Effect.flatMap(git(["config", "--list", "--show-scope", "--name-only", "-z"]), (listed) =>
      git(args, stdin, filtersOff(listed))
    )
  return { git, filtered, ignored }
})
