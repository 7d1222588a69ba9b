import { AgentCommandRefused, type AgentKind, type AgentProgram, CommandRefused } from "@souffleur/domain"
import { Option, Result, Schema } from "effect"
import { frontOf, type IsProgram } from "./CommandFront.ts"
import { type FlagTable, readArguments } from "./FlagTable.ts"

const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))

/** Why a word of an agent command is refused, and where it is. */
export interface WordRefused {
  readonly at: number
  readonly why: string
}

/** How the commands of an agent begin. */
export interface ProgramWords {
  /** The agent's program, as a person writes it. */
  readonly program: string
  readonly is: IsProgram
  /** The variables that name the agent's own folder. */
  readonly folder: { readonly variables: ReadonlyArray<string> }
  /** A word of every launch right behind the program, which the agent command may have too. */
  readonly verb?: (word: string | undefined) => boolean
  /**
   * Judges another program that stands for the agent: the words, and how many of them are the program's. `undefined`:
   * it may. Absent: no other program may.
   */
  readonly others?: (words: ReadonlyArray<string>, length: number) => WordRefused | undefined
}

/** Reads `AGENT_COMMAND`, a program or a JSON array of strings. Refuses each argument that is not understood. */
export const readAgentCommand =
  (agent: ProgramWords, table: FlagTable) =>
  (text: string): Result.Result<AgentProgram, AgentCommandRefused> => {
    const { folder, is, others, program: usual, verb = () => false } = agent
    const refused = (problem: string) => Result.fail(new AgentCommandRefused({ problem }))
    // The reason names only the position: an argument may hold a key.
    const refusedAt = ({ at, why }: WordRefused) => refused(`part ${at + 1} of the agent command ${why}`)
    const trimmed = text.trim()
    const isArray = trimmed.startsWith("[")
    const decoded = isArray ? Schema.decodeUnknownOption(JsonArray)(text) : Option.some([trimmed])
    if (Option.isNone(decoded)) return refused("the agent command is not a JSON array of strings")
    if (!isArray && /\s-/u.test(trimmed))
      return refused('the agent command has arguments: write it as a JSON array, ["program", "argument"]')
    const words = decoded.value
    if (words[0]?.startsWith("-") === true) return refused("the agent command begins with a flag")
    const front = frontOf(is, words, folder.variables)
    if (Result.isFailure(front)) {
      const why = others?.(words, words.length)
      return why === undefined ? refused(`the agent command ${front.failure.problem}`) : refusedAt(why)
    }
    const { agent: isAgent, length } = front.success
    const [program = "", ...args] = words
    if (!isAgent) {
      if (others === undefined) return refused(`the agent command does not run ${usual}`)
      const why = others(words, length)
      return why === undefined ? Result.succeed({ program, args }) : refusedAt(why)
    }
    const flags = [...table.lifting, ...table.means.keys()].filter((one) => one.startsWith("--"))
    const holds = words.slice(0, length - 1).findIndex((word) => flags.some((flag) => word.includes(flag)))
    if (holds !== -1) return refusedAt({ at: holds, why: "holds a flag of the agent" })
    const from = verb(words[length]) ? length + 1 : length
    return Result.match(readArguments(table, words.slice(from)), {
      onFailure: ({ at, why }) => refusedAt({ at: from + at, why }),
      onSuccess: (own) => Result.succeed({ program, args: [...words.slice(1, length), ...own] })
    })
  }

/** A command of an agent without the words that lead to its program. */
export interface Behind {
  /** Those words: programs that become the agent or run it, with their options. */
  readonly front: ReadonlyArray<string>
  readonly own: AgentProgram
}

/** Parts the words that lead to an agent's program from its own. A command of another program has none. */
export const behindFront = ({ is }: Pick<ProgramWords, "is">, { args, program }: AgentProgram): Behind => {
  const words = [program, ...args]
  const found = Result.getOrElse(frontOf(is, words), () => ({ length: 1, agent: false }))
  const at = found.agent ? found.length - 1 : 0
  return { front: words.slice(0, at), own: { program: words[at]!, args: words.slice(at + 1) } }
}

/** Puts the words back that lead to an agent's program. */
const withFront = (front: ReadonlyArray<string>, { args, program }: AgentProgram): AgentProgram => {
  const [first = program, ...rest] = [...front, program]
  return { program: first, args: [...rest, ...args] }
}

/**
 * Makes the reading of literal commands and of launches behind the words that lead to the agent's program. A command
 * that names the agent behind words that are not understood is the agent's, and is refused.
 */
export const behindFronts = (
  agent: ProgramWords,
  inner: Pick<AgentKind, "ofLaunch" | "takeApart">
): Pick<AgentKind, "ofLaunch" | "owns" | "takeApart"> => {
  const { folder, is, others } = agent
  const front = (words: ReadonlyArray<string>) => frontOf(is, words, folder.variables)
  const isNamed = (words: ReadonlyArray<string>) => words.some((word) => is(word.split(/\s/u, 1)[0]!))
  return {
    owns: (words) =>
      Result.match(front(words), {
        onFailure: ({ shell }) => !shell && isNamed(words),
        onSuccess: (found) => found.agent
      }),
    takeApart: (words, configured) => {
      const found = front(words)
      const chosen = [configured.program, ...configured.args]
      const isChosen = others !== undefined && chosen.every((word, at) => words[at] === word)
      const length =
        Result.isSuccess(found) && found.success.agent ? found.success.length : isChosen ? chosen.length : 0
      if (length === 0)
        return Result.isFailure(found) && !found.failure.shell && isNamed(words)
          ? Result.fail(new CommandRefused({ message: `the command ${found.failure.problem}` }))
          : Result.succeedNone
      const read = inner.takeApart(words.slice(length - 1), configured)
      return Result.map(
        read,
        Option.map((literal) => ({
          ...literal,
          agentCommand: withFront(words.slice(0, length - 1), literal.agentCommand)
        }))
      )
    },
    ofLaunch: (command, sessionId) => {
      const { front: before, own } = behindFront(agent, command)
      if (others === undefined && !is(own.program)) return Option.none()
      return Option.map(inner.ofLaunch(own, sessionId), (found) => withFront(before, found))
    }
  }
}
