import { AgentCommandRefused, type AgentProgram } from "@souffleur/domain"
import { Option, Result, Schema } from "effect"
import { type FlagTable, readArguments } from "./FlagTable.ts"

const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))

/** How an agent command begins. */
export interface ProgramWords {
  /** The agent's program, as a person writes it. */
  readonly program: string
  /** Returns whether a word is the program. */
  readonly is: (word: string | undefined) => boolean
  /** A word of every launch right behind the program, which the agent command may have too. */
  readonly verb?: (word: string | undefined) => boolean
}

/** Reads `AGENT_COMMAND`, a program or a JSON array of strings. Refuses each argument that is not understood. */
export const readAgentCommand =
  ({ is, program: usual, verb = () => false }: ProgramWords, table: FlagTable) =>
  (text: string): Result.Result<AgentProgram, AgentCommandRefused> => {
    const refused = (problem: string) => Result.fail(new AgentCommandRefused({ problem }))
    const decoded = text.trim().startsWith("[")
      ? Schema.decodeUnknownOption(JsonArray)(text)
      : Option.some([text.trim()])
    if (Option.isNone(decoded)) return refused("the agent command is not a JSON array of strings")
    const [program = "", ...words] = decoded.value
    if (!is(program)) return refused(`the agent command does not begin with ${usual}`)
    const rest = verb(words[0]) ? words.slice(1) : words
    return Result.match(readArguments(table, rest), {
      // The reason names only the position: an argument may hold a key.
      onFailure: ({ at, why }) =>
        refused(`part ${decoded.value.length - rest.length + at + 1} of the agent command ${why}`),
      onSuccess: (args) => Result.succeed({ program, args })
    })
  }
