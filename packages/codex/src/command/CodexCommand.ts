import { type AgentProgram, CommandRefused, type LiteralAgent } from "@souffleur/domain"
import { identifiedBy, maySubcommand, readAgentCommand, readWords, withoutCeiling } from "@souffleur/session"
import { Option, Result } from "effect"
import { codexFlags, sandboxFlag } from "./CodexFlags.ts"

/** Holds if a word is Codex's program, by its name or in its package. */
export const isCodex = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)codex(?:\.exe)?$|(?:^|\/)@openai\/codex(?:[/@]|$)/u.test(word)

/** Holds if a command line is of a Codex that works through a turn and ends. */
export const runsCodex = (words: ReadonlyArray<string>): boolean => {
  const at = words.slice(0, 3).findIndex(isCodex)
  return at !== -1 && isExec(words[at + 1])
}

const isExec = (word: string | undefined): boolean => word === "exec" || word === "e"

/** Reads `AGENT_COMMAND`. */
export const parseCodexCommand = readAgentCommand({ program: "codex", is: isCodex, verb: isExec }, codexFlags)

/** Subcommands and questions of Codex that hold no conversation: they run as any other command. */
const errands = new Set([
  ..."login logout mcp plugin completion update doctor sandbox features help -h --help -V --version".split(" "),
  ..."a apply archive delete migrate-nfs-db migrate-rollouts unarchive".split(" ")
])
const questions = new Set(["help", "-h", "--help"])
const limited = "codex exec -- PROMPT"

/**
 * Parses a literal command that runs Codex. `None`: it is any other command, or an errand of Codex. Refuses an
 * interactive Codex, another subcommand, and each flag that lifts the ceiling or is not understood.
 */
export const literalCodex = (
  all: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  const [program = "", verb = "", ...rest] = all
  const [first = ""] = rest
  if (!isCodex(program) || errands.has(verb) || (isExec(verb) && questions.has(first))) return Result.succeedNone
  if (isExec(verb) && (first === "fork" || first === "review")) return withoutCeiling(`codex exec ${first}`, limited)
  if (!isExec(verb)) {
    return maySubcommand(verb) && verb !== "resume" && verb !== "fork"
      ? withoutCeiling(`codex ${verb}`, limited)
      : refused(
          `an interactive Codex works in a daemon of its own, which outlives it: write ${limited}, with its flags behind exec`
        )
  }
  const read = readWords(codexFlags, rest)
  if (Result.isFailure(read)) return refused(read.failure)
  const { args, behind, meaning, words: said } = read.success
  if (said.includes("-")) return refused("the prompt must be an argument: souffleur has no standard input for it")
  const resumes = said[0] === "resume"
  const [sessionId, ...more] = resumes ? [...said.slice(1), ...behind] : [undefined, ...said, ...behind]
  if (resumes && sessionId === undefined) return refused("resume must name a session, so that it can be watched")
  if (more.length > 1) return refused("the command has more than one prompt: quote it")
  const session = sessionId === undefined ? undefined : { _tag: "Resume" as const, sessionId }
  const { requested = "acceptEdits" } = meaning
  return Result.succeed(
    Option.some({ agentCommand: { program, args }, session, print: true, requested, prompt: more[0] ?? "" })
  )
}

/** Returns the agent command of one of our launches: the words between `exec` and those that each launch sets. */
export const codexOfLaunch = ({ args, program }: AgentProgram): Option.Option<AgentProgram> => {
  const at = args.indexOf(sandboxFlag)
  return isCodex(program) && isExec(args[0]) && at !== -1
    ? Option.some({ program, args: args.slice(1, at) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_CI",
  "CODEX_TOOL_CALL_ID",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED"
])

/** Identifies the session that runs a process with these variables. */
export const identity = identifiedBy("CODEX_SESSION_ID", "CODEX_THREAD_ID")
