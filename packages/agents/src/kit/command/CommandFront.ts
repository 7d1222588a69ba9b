import { Result } from "effect"
import { wordSet } from "./WordSet.ts"

/** Returns whether a word is the program of an agent, by its name or within its package. */
export type IsProgram = (word: string) => boolean

/** An option that may precede the program: a pattern, and whether the next word is its value. */
type Option = readonly [look: RegExp, value?: "value"]

const verb: Option = [/^(?:exec|x)$/u]
const tool: Option = [/^[\w./:-]+@[\w.-]+$/u]
const end: Option = [/^--$/u]

/**
 * Programs that become the program named after them, so their process is the agent's. Each has the options that are
 * understood.
 */
const becoming: Readonly<Record<string, ReadonlyArray<Option>>> = {
  env: [[/^[A-Za-z_][A-Za-z0-9_]*=/u], [/^-u$/u, "value"], [/^--unset=./u]],
  nice: [[/^-n$/u, "value"], [/^-n-?\d+$/u], [/^-\d+$/u], [/^--adjustment=-?\d+$/u]],
  ionice: [[/^-[cn]$/u, "value"], [/^-[cn]\d$/u], [/^-t$/u]],
  nohup: [],
  // Managers of versions.
  mise: [verb, tool, end],
  asdf: [verb],
  nodenv: [verb]
}

const shells = wordSet("sh ash bash dash fish ksh zsh")
const verbs: Option = [/^(?:exec|dlx|x|run)$/u]
const yes: Option = [/^(?:-y|--yes)$/u]
const fetching: ReadonlyArray<Option> = [yes, [/^(?:-p|--package)$/u, "value"], [/^--package=./u]]
const version: Option = [/^--(?:node|using)$/u, "value"]
const node: ReadonlyArray<Option> = [
  [/^--max-old-space-size=\d+$/u],
  [/^--(?:no-warnings|no-deprecation|enable-source-maps|use-system-ca)$/u]
]

/** Programs that run a file, a package or a program named after them. */
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
  volta: [verbs, version],
  fnm: [verbs, version, [/^--using=./u], end],
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
const at = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
/** Returns whether a program that is not understood may start another program by this word. */
export const startsPrograms = (word: string): boolean => {
  const name = baseName(word)
  return foreign.has(name) || at(becoming, name) !== undefined || at(running, name) !== undefined
}

/** The words before the agent's own arguments. */
export interface CommandFront {
  /** Number of words, with the program and its file. */
  readonly length: number
  /** True if these words start the agent. */
  readonly agent: boolean
}

/** Why the words are not understood. `shell`: only a shell could understand them. */
export interface FrontRefused {
  readonly problem: string
  readonly shell: boolean
}

/** Returns a flag without its value, which may be a key. */
const flagOf = (word: string): string => (word.startsWith("--") ? word.split("=", 1)[0]! : word.slice(0, 2))

const skipped = (words: ReadonlyArray<string>, from: number, options: ReadonlyArray<Option>): number => {
  let next = from
  for (;;) {
    const word = words[next]
    const option = word === undefined ? undefined : options.find(([look]) => look.test(word))
    if (option === undefined) return next
    next += option[1] === "value" ? 2 : 1
  }
}

/**
 * Parses the words before an agent's arguments, by what is known of each program there. A program becomes the next one,
 * or runs a file. Words that are not understood are refused, because they may hide a flag. `folders`: the variables
 * that name the agent's own folder.
 */
export const frontOf = (
  is: IsProgram,
  words: ReadonlyArray<string>,
  folders: ReadonlyArray<string> = []
): Result.Result<CommandFront, FrontRefused> => {
  let from = 0
  for (;;) {
    const word = words[from]
    if (word === undefined || word === "") return Result.fail({ problem: "names no program", shell: false })
    const name = baseName(word)
    const no = (problem: string) => Result.fail({ problem, shell: shells.has(name) })
    if (is(word)) return Result.succeed({ length: from + 1, agent: true })
    if (foreign.has(name))
      return no(`begins with ${name}, which does not become the agent: its process would be another than the agent's`)
    const [becomes, runs] = [at(becoming, name), at(running, name)]
    if (becomes === undefined && runs === undefined) return Result.succeed({ length: from + 1, agent: false })
    const next = skipped(words, from + 1, becomes ?? runs ?? [])
    const folder = folders.find((one) => words.slice(from + 1, next).some((option) => option.startsWith(`${one}=`)))
    if (folder !== undefined)
      return no(`sets ${folder} for the agent alone: set it for souffleur itself, which looks there too`)
    if (words[next]?.startsWith("-") === true)
      return no(
        `has ${name} ${flagOf(words[next])}, which is not understood: leave it out, or write a program of your own that does it`
      )
    if (becomes === undefined) {
      const file = words[next]
      // Without a file, the words of the launch itself follow the program.
      return Result.succeed(file === undefined ? { length: next, agent: false } : { length: next + 1, agent: is(file) })
    }
    from = next
  }
}

/** Options of runtimes with a value, which a person may have started an agent with. */
const valued: Option = [
  /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/u,
  "value"
]
const flag: Option = [/^-/u]

/**
 * Returns the arguments of a program, which others may run or become. `undefined`: the command line is of another. A
 * word elsewhere in it may be a file, or a model of that name.
 */
export const argumentsOfProgram = (is: IsProgram, words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  for (let from = 0; ;) {
    const word = words[from] ?? ""
    if (is(word)) return words.slice(from + 1)
    const name = baseName(word)
    const [becomes, runs] = [at(becoming, name), at(running, name)]
    if (becomes === undefined && runs === undefined) return undefined
    from = skipped(words, from + 1, [...(becomes ?? runs ?? []), valued, flag])
    if (becomes === undefined) return is(words[from] ?? "") ? words.slice(from + 1) : undefined
  }
}
