import { Result } from "effect"
import { wordSet } from "../../kit/command/WordSet.ts"

/** Recognises Claude Code's program, by its name or within its package. */
export const isClaude = (word: string): boolean =>
  /(?:^|\/)claude(?:\.exe)?$|(?:^|\/)@anthropic-ai\/claude-code(?:[/@]|$)/u.test(word)

/** An option that may precede the program: a pattern, and whether the next word is its value. */
type Option = readonly [look: RegExp, value?: "value"]

/**
 * Programs that become the program named after them, so their process is the agent's. Each has the options that are
 * understood.
 */
const becoming: Readonly<Record<string, ReadonlyArray<Option>>> = {
  env: [[/^[A-Za-z_][A-Za-z0-9_]*=/u], [/^-u$/u, "value"], [/^--unset=./u]],
  nice: [[/^-n$/u, "value"], [/^-n-?\d+$/u], [/^-\d+$/u], [/^--adjustment=-?\d+$/u]],
  ionice: [[/^-[cn]$/u, "value"], [/^-[cn]\d$/u], [/^-t$/u]],
  nohup: []
}

const shells = wordSet("sh ash bash dash fish ksh zsh")
const verbs: Option = [/^(?:exec|dlx|x|run)$/u]
const yes: Option = [/^(?:-y|--yes)$/u]
const fetching: ReadonlyArray<Option> = [yes, [/^(?:-p|--package)$/u, "value"], [/^--package=./u]]
const node: ReadonlyArray<Option> = [
  [/^--max-old-space-size=\d+$/u],
  [/^--(?:no-warnings|no-deprecation|enable-source-maps|use-system-ca)$/u]
]

/** Programs that run a file or a package named after them. */
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
 * Programs that run another one as a separate process, or read its words from elsewhere. It would be unclear which
 * process to watch.
 */
const foreign = wordSet(
  "busybox chroot command doas eval flock nsenter parallel runuser script setsid stdbuf strace su sudo",
  "systemd-run time timeout unshare watch xargs"
)

/** Returns the last part of a path. */
export const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)
/** Returns whether a program that is not understood may start another program by this word. */
export const startsPrograms = (word: string): boolean => {
  const name = baseName(word)
  return isClaude(word) || foreign.has(name) || Object.hasOwn(becoming, name) || Object.hasOwn(running, name)
}

/** The words before the agent's own arguments. */
export interface CommandFront {
  /** Number of words, with the program and its file. */
  readonly length: number
  /** True if these words start Claude Code. */
  readonly claude: boolean
}

/** Why the words are not understood. `shell`: only a shell could understand them. */
export interface FrontRefused {
  readonly problem: string
  readonly shell: boolean
}

/** Returns a flag without its value, which may be a key. */
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
 * Parses the words before an agent's arguments, by what is known of each program there. A program becomes the next one,
 * or runs a file. Words that are not understood are refused, because they may hide a flag.
 */
export const frontOf = (words: ReadonlyArray<string>): Result.Result<CommandFront, FrontRefused> => {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined || word === "") return Result.fail({ problem: "names no program", shell: false })
    const name = baseName(word)
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
      // Without a file, the words of the launch itself follow the program.
      return Result.succeed(
        file === undefined ? { length: next, claude: false } : { length: next + 1, claude: isClaude(file) }
      )
    }
    at = next
  }
}
