import type { CapKind, LiteralAgent } from "@souffleur/domain"
import { dashedPrompt, isFlag, splitFlag } from "@souffleur/process"
import { Result } from "effect"

/** The part of a literal command that a flag decides. Each launch sets it itself. */
export type Meaning = Partial<Pick<LiteralAgent, "print" | "prompt" | "requested" | "session">>
type Takes = "one" | "none"
/** A flag of a literal command that a launch sets itself. A text is the reason to refuse the value. */
export interface FlagMeaning {
  readonly takes: Takes
  readonly read: (value: string) => Meaning | string | undefined
}

/** The flags of an agent, by what they may do. Any other flag is unknown, and refused. */
export interface FlagTable {
  /** Flags that a user may choose for every launch: those that a value follows, and those without one. */
  readonly kept: Readonly<Record<Takes, ReadonlySet<string>>>
  /** Kept flags whose value may begin with one dash. Absent: there are none. */
  readonly dashed?: ReadonlySet<string>
  /** Kept flags by which a user caps the use of one process. Absent: there are none. */
  readonly caps?: Readonly<Record<string, CapKind>>
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

/** Reads a flag and its value. Returns the reason instead where the value is missing, or too much. */
const flagOf = (table: FlagTable, takes: Takes, word: string, next: string | undefined): Flag | string => {
  const [flag, inline] = split(word, table)
  if (takes === "none")
    return inline === undefined ? { flag, value: "", words: [word] } : "takes no value: leave the value out"
  const value = inline ?? next
  const dash = table.dashed?.has(flag) === true ? "--" : "-"
  if (value === undefined || value === "" || (inline === undefined && value.startsWith(dash)))
    return "must have a value: write it right behind"
  return { flag, value, words: inline === undefined ? [word, value] : [word] }
}

/** Reads a flag that every launch may keep. Returns a reason instead where it may not, or is not understood. */
const keptFlag = (table: FlagTable, word: string, next: string | undefined): Flag | string => {
  if (word.includes("\0")) return "holds a NUL"
  const [flag] = split(word, table)
  if (table.lifting.has(flag)) return "can lift the permission ceiling: leave it out"
  if (table.ours.has(flag) || table.means.has(flag)) return "is set by each launch, or leads elsewhere: leave it out"
  const takes = (["one", "none"] as const).find((one) => table.kept[one].has(flag))
  if (takes === undefined) return "is unknown, and souffleur cannot tell what it allows: leave it out"
  const found = flagOf(table, takes, word, next)
  return typeof found === "string" ? found : (table.against?.(flag, found.value) ?? found)
}

/** Reads the arguments of an agent command. Fails with the place of the first that is refused, and the reason. */
export const readArguments = (
  table: FlagTable,
  words: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, { readonly at: number; readonly why: string }> => {
  for (let at = 0; at < words.length;) {
    const kept = keptFlag(table, words[at]!, words[at + 1])
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
    const found =
      means === undefined ? keptFlag(table, word, all[at + 1]) : flagOf(table, means.takes, word, all[at + 1])
    const read = typeof found === "string" ? found : means?.read(found.value)
    if (typeof found === "string" || typeof read === "string") return Result.fail(`${flag} ${read as string}`)
    if (means === undefined) args.push(...found.words)
    else Object.assign(meaning, read)
    at += found.words.length
  }
  return Result.succeed({ args, meaning, words, behind: [] })
}
