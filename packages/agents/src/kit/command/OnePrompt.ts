import { type AgentCommand, CommandRefused, leastPermission, type LiteralAgent } from "@souffleur/domain"
import { Option, Result } from "effect"
import { type FlagTable, readWords } from "./FlagTable.ts"

/**
 * Reads a literal command of an agent with one prompt. It is the value of a flag, or else a word.
 * `against` returns a reason to refuse the whole command.
 */
export const readLiteral = (
  table: FlagTable,
  [program = "", ...all]: ReadonlyArray<string>,
  against: (literal: LiteralAgent) => string | undefined
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  const read = readWords(table, all)
  if (Result.isFailure(read)) return refused(read.failure)
  const { args, behind, meaning, words } = read.success
  const prompts = [...(meaning.prompt === undefined ? [] : [meaning.prompt]), ...words, ...behind]
  if (prompts.length > 1) return refused("the command has more than one prompt: quote it")
  const { print = table.waits !== true && prompts.length > 0, requested = leastPermission, session } = meaning
  const literal = { agentCommand: { program, args }, session, print, requested, prompt: prompts[0] ?? "" }
  const reason = against(literal)
  return reason === undefined ? Result.succeed(Option.some(literal)) : refused(reason)
}

/**
 * Returns the words by which a launch gets its prompt: on standard input, with `headless`. In a window it is the value
 * of `flag`, where it is never read as one.
 */
export const promptWords = (
  { compacts, prompt, window }: { readonly compacts: boolean; readonly prompt: string; readonly window: boolean },
  { flag, headless }: { readonly flag: string; readonly headless: ReadonlyArray<string> }
): Pick<AgentCommand, "args" | "input" | "window"> => {
  // Its process is known by that argument.
  if (compacts) return { args: ["-p", prompt] }
  return window ? { args: prompt === "" ? [] : [`${flag}=${prompt}`], window } : { args: headless, input: prompt }
}
