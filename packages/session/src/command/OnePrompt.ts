import { CommandRefused, leastPermission, type LiteralAgent } from "@souffleur/domain"
import { Option, Result } from "effect"
import { type FlagMeaning, type FlagTable, readWords } from "./FlagTable.ts"

/** Makes the flag whose value is the prompt. `print`: the agent ends after its turn. */
export const promptFlag = (print: boolean): FlagMeaning => ({
  takes: "one",
  read: (prompt) => ({ print, prompt })
})
/** Makes the flag whose value is the id of a session. */
export const sessionFlag = (_tag: "Fresh" | "Resume"): FlagMeaning => ({
  takes: "one",
  read: (sessionId) => ({ session: { _tag, sessionId } })
})

/**
 * Reads a literal command of an agent with one prompt. It is the value of a flag, or else a word, which is of one turn.
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
  const { print = prompts.length > 0, requested = leastPermission, session } = meaning
  const literal = { agentCommand: { program, args }, session, print, requested, prompt: prompts[0] ?? "" }
  const reason = against(literal)
  return reason === undefined ? Result.succeed(Option.some(literal)) : refused(reason)
}
