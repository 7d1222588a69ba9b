import { AgentCommandRefused, type AgentProgram } from "@souffleur/domain"
import { isFlag, splitFlag } from "@souffleur/process"
import { Result, Schema } from "effect"
import { objection, objectionAnywhere, unknown, valuesOf } from "./AgentFlags.ts"
import { frontOf, baseName, startsPrograms } from "./CommandFront.ts"

/**
 * Returns the name of the agent: of its program, or of the file that its command runs (`nice node agent.js`: agent.js).
 */
export const agentName = ({ args, program }: AgentProgram): string => {
  const command = [program, ...args]
  return baseName(
    command[Result.match(frontOf(command), { onFailure: () => 1, onSuccess: ({ length }) => length }) - 1] ?? program
  )
}

const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))

/** Claude Code itself: every argument must be known. */
const objectionOfClaude = (word: string, rest: ReadonlyArray<string>): string | number => {
  if (!isFlag(word)) return "is neither a flag nor a flag's value: a prompt or an errand is not for every launch"
  const [flag, inline] = splitFlag(word)
  const refused = objection(word) ?? unknown(flag)
  if (refused !== undefined) return refused
  const values = valuesOf(flag, inline, rest)
  return typeof values === "string" ? values : values.length
}

/** Another program: its arguments must hold nothing that is forbidden, and start no other program. */
const objectionOfAnother = (word: string, program: string): string | number =>
  objection(word) ??
  (startsPrograms(word) || /\s-/u.test(word)
    ? `may be a command of its own, and what ${baseName(program)} makes of it is not understood: write a program of your own that does it`
    : 0)

/**
 * Parses a program, or a JSON array of a program and its first arguments. A bare program may hold spaces but no flags,
 * which only an array separates.
 * Refuses an argument that could lift the permission ceiling, choose another session, or be misread. `--model opus` is
 * fine, and `--settings x` is not. Refuses each argument that it does not understand.
 */
export const parseAgentCommand = (text: string): Result.Result<AgentProgram, AgentCommandRefused> => {
  const refused = (problem: string) => Result.fail(new AgentCommandRefused({ problem }))
  const trimmed = text.trim()
  if (trimmed === "") return refused("the agent command is empty")
  let command: ReadonlyArray<string> = [trimmed]
  if (trimmed.startsWith("[")) {
    const decoded = Schema.decodeUnknownResult(JsonArray)(trimmed)
    if (Result.isFailure(decoded)) return refused("the agent command is not a JSON array of strings")
    command = decoded.success
  } else if (/\s-/.test(trimmed)) {
    return refused('the agent command has arguments: write it as a JSON array, ["program", "argument"]')
  }
  const [program, ...args] = command
  if (program === undefined || program === "") return refused("the agent command names no program")
  if (program.startsWith("-")) return refused("the agent command begins with a flag")
  // The reason names only the position: an argument may hold a key.
  const part = (at: number, why: string) => refused(`part ${at + 1} of the agent command ${why}`)
  for (const [at, word] of command.entries()) {
    const why = objectionAnywhere(word)
    if (why !== undefined) return part(at, why)
  }
  const front = frontOf(command)
  if (Result.isFailure(front)) return refused(`the agent command ${front.failure.problem}`)
  const { claude, length } = front.success
  for (let at = length; at < command.length; at++) {
    const word = command[at]!
    const found = claude
      ? objectionOfClaude(word, command.slice(at + 1))
      : objectionOfAnother(word, command[length - 1]!)
    if (typeof found === "string") return part(at, found)
    at += found
  }
  return Result.succeed({ program, args })
}
