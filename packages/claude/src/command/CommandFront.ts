import { Result } from "effect"

/** A word that is Claude Code's program: by its name, or out of its package. */
export const isClaude = (word: string): boolean =>
  /(?:^|\/)claude(?:\.exe)?$|(?:^|\/)@anthropic-ai\/claude-code(?:[/@]|$)/u.test(word)

/** A word that may stand before the program: by its look, and whether a value follows as the next word. */
type Option = readonly [look: RegExp, value?: "value"]

/**
 * Programs that become the one that is named behind them, so that their process is the agent's, with what of them is
 * understood.
 */
const becoming: Readonly<Record<string, ReadonlyArray<Option>>> = {
  env: [[/^[A-Za-z_][A-Za-z0-9_]*=/u], [/^-u$/u, "value"], [/^--unset=./u]],
  nice: [[/^-n$/u, "value"], [/^-n-?\d+$/u], [/^-\d+$/u], [/^--adjustment=-?\d+$/u]],
  ionice: [[/^-[cn]$/u, "value"], [/^-[cn]\d$/u], [/^-t$/u]],
  nohup: []
}

const shells = new Set(["sh", "ash", "bash", "dash", "fish", "ksh", "zsh"])
const verbs: Option = [/^(?:exec|dlx|x|run)$/u]
const yes: Option = [/^(?:-y|--yes)$/u]
const fetching: ReadonlyArray<Option> = [yes, [/^(?:-p|--package)$/u, "value"], [/^--package=./u]]
const node: ReadonlyArray<Option> = [
  [/^--max-old-space-size=\d+$/u],
  [/^--(?:no-warnings|no-deprecation|enable-source-maps|use-system-ca)$/u]
]

/** Programs that run a file or a package which is named behind them. */
const running: Readonly<Record<string, ReadonlyArray<Option>>> = {
  node,
  bun: [verbs],
  deno: [verbs, [/^-A$/u]],
  npx: fetching,
  bunx: fetching,
  pnpx: fetching,
  npm: [verbs, ...fetching],
  pnpm: [verbs, ...fetching],
  yarn: [verbs, ...fetching],
  python: [],
  python3: [],
  ...Object.fromEntries([...shells].map((shell) => [shell, []]))
}

/**
 * Programs that run another one as a process of its own, or read its words from elsewhere: whose process would be
 * watched?
 */
const foreign = new Set(
  "busybox chroot command doas eval flock nsenter parallel runuser script setsid stdbuf strace su sudo systemd-run time timeout unshare watch xargs".split(
    " "
  )
)

export const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1)
/** A word by which a program that is not understood may start another one. */
export const startsPrograms = (word: string): boolean => {
  const name = nameOf(word)
  return isClaude(word) || foreign.has(name) || Object.hasOwn(becoming, name) || Object.hasOwn(running, name)
}

/** What stands in front of the agent's own arguments. */
export interface CommandFront {
  /** Words, the program and its file included. */
  readonly length: number
  /** What is started there is Claude Code. */
  readonly claude: boolean
}

/** Why it is not understood; `shell`: it is for a shell to understand. */
export interface FrontRefused {
  readonly problem: string
  readonly shell: boolean
}

/** A flag as it may be told: never its value, which may be a key. */
const flagOf = (word: string): string => (word.startsWith("--") ? word.split("=", 1)[0]! : word.slice(0, 2))

const skipped = (words: ReadonlyArray<string>, from: number, options: ReadonlyArray<Option>): number => {
  let at = from
  for (;;) {
    const option = words[at] === undefined ? undefined : options.find(([look]) => look.test(words[at]!))
    if (option === undefined) return at
    at += option[1] === "value" ? 2 : 1
  }
}

/**
 * Takes the words before an agent's arguments apart, by what is known of each program there: it becomes the next one,
 * or runs a file. What is not understood may carry a flag where nobody sees it, and is refused.
 */
export const frontOf = (words: ReadonlyArray<string>): Result.Result<CommandFront, FrontRefused> => {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined || word === "") return Result.fail({ problem: "names no program", shell: false })
    const name = nameOf(word)
    const no = (problem: string) => Result.fail({ problem, shell: shells.has(name) })
    if (isClaude(word)) return Result.succeed({ length: at + 1, claude: true })
    if (foreign.has(name))
      return no(`begins with ${name}, which does not become the agent: its process would be another than the agent's`)
    const [becomes, runs] = [becoming, running].map((table) => (Object.hasOwn(table, name) ? table[name] : undefined))
    if (becomes === undefined && runs === undefined) return Result.succeed({ length: at + 1, claude: false })
    const next = skipped(words, at + 1, becomes ?? runs ?? [])
    if (words.slice(at + 1, next).some((option) => option.startsWith("CLAUDE_CONFIG_DIR=")))
      return no("sets CLAUDE_CONFIG_DIR for the agent alone: set it for souffleur itself, which looks there too")
    if (words[next]?.startsWith("-") === true)
      return no(
        `has ${name} ${flagOf(words[next])}, which is not understood: leave it out, or write a program of your own that does it`
      )
    if (becomes === undefined) {
      const file = words[next]
      // Without one the launch's own words are its.
      return Result.succeed(
        file === undefined ? { length: next, claude: false } : { length: next + 1, claude: isClaude(file) }
      )
    }
    at = next
  }
}
