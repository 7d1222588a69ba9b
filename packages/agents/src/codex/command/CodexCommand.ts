import { type AgentKind, CommandRefused, leastPermission, type LiteralAgent } from "@souffleur/domain"
import { Option, Result } from "effect"
import { type FlagTable, readWords } from "../../kit/command/FlagTable.ts"
import { withoutCeiling } from "../../kit/command/WithoutCeiling.ts"
import { wordSet } from "../../kit/command/WordSet.ts"
import { codexFlags, interactiveFlags, ownProcess, sandboxFlag } from "./CodexFlags.ts"
import { isExec, isOtherVerb } from "./CodexVerb.ts"

/** Subcommands and questions of Codex that hold no conversation: they run as any other command. */
const errands = wordSet(
  "a apply archive completion delete doctor features help login logout mcp migrate-nfs-db migrate-rollouts plugin",
  "sandbox unarchive update -h --help -V --version"
)
const questions = wordSet("help -h --help")
const limited = "codex exec -- PROMPT"

const refused = (message: string) => Result.fail(new CommandRefused({ message }))

/** Takes the words of a Codex apart that works through turns. */
const takenApart = (
  program: string,
  table: FlagTable,
  words: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const print = table === codexFlags
  const read = readWords(table, words)
  if (Result.isFailure(read)) return refused(read.failure)
  const { args, behind, meaning, words: said } = read.success
  const [first = ""] = said
  if (!print && isExec(first)) return refused("the flags of exec come behind it: write codex exec -m MODEL -- PROMPT")
  if (!print && isOtherVerb(first))
    return withoutCeiling(
      `codex ${first}`,
      said.length === 1 && args.length + behind.length === 0
        ? `codex -- ${first} where that is your prompt`
        : "codex -- PROMPT"
    )
  const resumes = first === "resume"
  const [sessionId, ...more] = resumes ? [...said.slice(1), ...behind] : [undefined, ...said, ...behind]
  if (resumes && sessionId === undefined) return refused("resume must name a session, so that it can be watched")
  if (more.length > 1) return refused("the command has more than one prompt: quote it")
  const session = sessionId === undefined ? undefined : { _tag: "Resume" as const, sessionId }
  const { requested = leastPermission } = meaning
  const [prompt = ""] = more
  const agentCommand = { program, args: print ? args : [ownProcess, ...args] }
  return Result.succeed(
    Option.some({ agentCommand, session, print, requested, prompt: print && prompt === "-" ? "" : prompt })
  )
}

/** Takes a command of Codex apart. Another subcommand than `exec` and `resume` is refused. */
export const literalCodex: AgentKind["takeApart"] = ([program = "", ...words]) => {
  const [verb = "", first = ""] = words
  if (errands.has(verb) || (isExec(verb) && questions.has(first))) return Result.succeedNone
  if (isExec(verb) && (first === "fork" || first === "review")) return withoutCeiling(`codex exec ${first}`, limited)
  return isExec(verb) ? takenApart(program, codexFlags, words.slice(1)) : takenApart(program, interactiveFlags, words)
}

/** Returns the agent command of one of our launches: the words before those that each launch sets. */
export const codexOfLaunch: AgentKind["ofLaunch"] = ({ args, program }) => {
  const at = args.indexOf(sandboxFlag)
  const print = isExec(args[0])
  return at !== -1 && (print || args[0] === ownProcess)
    ? Option.some({ program, args: args.slice(print ? 1 : 0, at) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const codexMarks = wordSet(
  "CODEX_SESSION_ID CODEX_THREAD_ID CODEX_CI CODEX_TOOL_CALL_ID CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED"
)
