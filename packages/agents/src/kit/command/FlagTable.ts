import type { CapKind, LiteralAgent } from "@souffleur/domain"
import { Result } from "effect"
import { dashedPrompt, isFlag, splitFlag } from "./FlagWord.ts"

/** The part of a literal command that a flag decides. Each launch sets it itself. */
export type Meaning = Partial<Pick<LiteralAgent, "print" | "prompt" | "requested" | "session">>
/** Values of a flag: one, every word up to the next flag, an optional value, or none. */
export type Takes = "one" | "many" | "maybe" | "none"
/** A flag of a literal command that a launch sets itself. A text is the reason to refuse the value. */
export interface FlagMeaning {
  readonly takes: Takes
  readonly read: (value: string) => Meaning | string | undefined
}

/** The flags of an agent, by what they may do. Any other flag is unknown, and refused. */
export interface FlagTable {
  /** Flags that a user may choose for every launch, by their values. */
  readonly kept: Readonly<Record<"one" | "none", ReadonlySet<string>>> &
    Readonly<Partial<Record<Takes, ReadonlySet<string>>>>
  /** Kept flags whose value may begin with one dash. Absent: there are none. */
  readonly dashed?: ReadonlySet<string>
  /** Kept flags by which a user caps the use of one process. Absent: there are none. */
  readonly caps?: Readonly<Record<string, CapKind>>
  /** Variables that do so where no flag does. Absent: there are none. */
  readonly capVariables?: Readonly<Record<string, CapKind>>
  /** Flags that lift the ceiling, or run what the agent itself does not confine. */
  readonly lifting: ReadonlySet<string>
  /** Flags that a launch sets itself, and that a literal command may have. */
  readonly means: ReadonlyMap<string, FlagMeaning>
  /** Other flags that a launch sets itself, or that lead to another folder or session. */
  readonly ours: ReadonlySet<string>
  /** Returns the reason to refuse the value of a flag that is kept. */
  readonly against?: (flag: string, value: string) => string | undefined
  /** True if the agent reads `--flag=value`. */
  readonly inline: boolean
  /** True if a prompt alone begins a conversation that waits for a person. Absent: it is of one turn. */
  readonly waits?: boolean
}

/** The words of a literal command, read by its agent's flags. */
export interface WordsRead {
  /** Flags of the user's own choice, for every launch. */
  readonly args: ReadonlyArray<string>
  readonly meaning: Meaning
  /** Words that are no flags, before `--`. */
  readonly words: ReadonlyArray<string>
  /** Words behind `--`. */
  readonly behind: ReadonlyArray<string>
}

/** Splits `--flag=value`, where the agent reads that. `undefined`: there is no value in the word. */
const split = (word: string, { inline }: FlagTable) => (inline ? splitFlag(word) : ([word, undefined] as const))

/** A flag with its value, and how many of the next words belong to it. */
interface Flag {
  readonly flag: string
  readonly value: string
  readonly words: ReadonlyArray<string>
}

/** Reads a flag and its values. Returns the reason instead where a value is missing, or too much. */
const flagOf = (table: FlagTable, takes: Takes, word: string, rest: ReadonlyArray<string>): Flag | string => {
  const [flag, inline] = split(word, table)
  if (takes === "none")
    return inline === undefined ? { flag, value: "", words: [word] } : "takes no value: leave the value out"
  if (takes !== "one") {
    const free = rest.findIndex(isFlag)
    const values = rest.slice(0, free === -1 ? rest.length : free)
    const own = inline !== undefined ? [] : takes === "many" ? values : values.slice(0, 1)
    return { flag, value: own[0] ?? "", words: [word, ...own] }
  }
  const value = inline ?? rest[0]
  // No flag has white space.
  const dash = table.dashed?.has(flag) !== true ? /^-/u : /^--\S*$/u
  if (value === undefined || value === "") return "must have a value: write it right behind"
  if (inline === undefined && dash.test(value))
    return `must have a value${table.inline && flag.startsWith("--") ? `, which may be taken for a flag here: write ${flag}=VALUE` : ": write it right behind"}`
  return { flag, value, words: inline === undefined ? [word, value] : [word] }
}

/** Reads a flag that every launch may keep. Returns a reason instead where it may not, or is not understood. */
const keptFlag = (table: FlagTable, word: string, rest: ReadonlyArray<string>): Flag | string => {
  if (word.includes("\0")) return "holds a NUL"
  const [flag] = split(word, table)
  if (table.lifting.has(flag)) return "can lift the permission ceiling: leave it out"
  if (table.ours.has(flag) || table.means.has(flag)) return "is set by each launch, or leads elsewhere: leave it out"
  const takes = (["one", "many", "maybe", "none"] as const).find((one) => table.kept[one]?.has(flag))
  if (takes === undefined) return "is unknown, and souffleur cannot tell what it allows: leave it out"
  const found = flagOf(table, takes, word, rest)
  return typeof found === "string" ? found : (table.against?.(flag, found.value) ?? found)
}

/** Reads the arguments of an agent command. Fails with the place of the first that is refused, and the reason. */
export const readArguments = (
  table: FlagTable,
  words: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, { readonly at: number; readonly why: string }> => {
  for (let at = 0; at < words.length;) {
    const kept = keptFlag(table, words[at]!, words.slice(at + 1))
    if (typeof kept === "string") return Result.fail({ at, why: kept })
    at += kept.words.length
  }
  return Result.succeed(words)
}

/** Reads the words of a literal command behind its program. Fails with a sentence for a person. */
export const readWords = (table: FlagTable, all: ReadonlyArray<string>): Result.Result<WordsRead, string> => {
  const args: Array<string> = []
  const words: Array<string> = []
  const meaning: Meaning = {}
  for (let at = 0; at < all.length;) {
    const word = all[at]!
    if (word === "--") return Result.succeed({ args, meaning, words, behind: all.slice(at + 1) })
    if (!isFlag(word)) {
      words.push(word)
      at += 1
      continue
    }
    const dashed = dashedPrompt(word)
    if (dashed !== undefined) return Result.fail(dashed)
    const [flag] = split(word, table)
    const means = table.means.get(flag)
    const rest = all.slice(at + 1)
    const found = means === undefined ? keptFlag(table, word, rest) : flagOf(table, means.takes, word, rest)
    const read = typeof found === "string" ? found : means?.read(found.value)
    if (typeof found === "string" || typeof read === "string") return Result.fail(`${flag} ${read as string}`)
    if (meaning.session !== undefined && (read as Meaning | undefined)?.session !== undefined)
      return Result.fail("the command names a session twice")
    if (means === undefined) args.push(...found.words)
    else Object.assign(meaning, read)
    at += found.words.length
  }
  return Result.succeed({ args, meaning, words, behind: [] })
}
