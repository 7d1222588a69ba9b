import {
  type AgentCommand,
  AgentNotFound,
  type AgentOrder,
  type AgentProgram,
  type CommandRefused,
  type LiteralAgent,
  type SessionFile,
  type SessionNotFound
} from "@souffleur/domain"
import { type AgentOptions, resolveProgram } from "@souffleur/process"
import {
  agentVariables,
  argumentsOfProgram,
  identifiedBy,
  readAgentCommand,
  readLiteral,
  readWords
} from "@souffleur/session"
import { Effect, type FileSystem, Option, type Path, Result } from "effect"
import { asksRecords, geminiFlags, launchFlags, records } from "./GeminiFlags.ts"

/** Holds if a word is Gemini CLI's program, by its name or in its package. */
export const isGemini = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)gemini$|(?:^|\/)@google\/gemini-cli(?:\/|$)/u.test(word)

/** Holds if a command line is of Gemini CLI, its launcher included. */
export const runsGemini = (words: ReadonlyArray<string>): boolean => argumentsOfProgram(isGemini, words) !== undefined

/** Holds if a process with these arguments ends after its turn. */
export const inPrintMode = (args: ReadonlyArray<string>): boolean =>
  Result.match(readWords(geminiFlags, argumentsOfProgram(isGemini, args) ?? args), {
    onFailure: () => false,
    onSuccess: ({ meaning }) => meaning.print ?? asksRecords(args)
  })

/** Reads `AGENT_COMMAND`. */
export const parseGeminiCommand = readAgentCommand({ program: "gemini", is: isGemini }, geminiFlags)

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = new Set(
  "extension extensions gemma hook hooks mcp skill skills -h --help -l --list-extensions --list-sessions -v --version".split(
    " "
  )
)

const interactive =
  "a Gemini CLI in a terminal leaves no record of the end of its turn: give it its prompt with -p, and --yolo"
const limited =
  "Gemini CLI runs what the settings of a folder say that it may edit: run it with --yolo, after souffleur setup --permission bypassPermissions"

/**
 * Parses a literal command that runs Gemini CLI. `None`: it is any other command, or an errand of Gemini CLI. Refuses
 * each flag that is not understood, a Gemini CLI in a terminal, and each but with `--yolo`.
 */
export const literalGemini = (
  command: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const [program, first = ""] = command
  if (!isGemini(program) || errands.has(first)) return Result.succeedNone
  return readLiteral(geminiFlags, command, ({ print, requested }) =>
    !print ? interactive : requested === "bypassPermissions" ? undefined : limited
  )
}

/**
 * Builds `gemini <flags> --approval-mode yolo … (--session-id | --resume) ID`, with the prompt on standard input. Its
 * tools carry the id, and so does the launch. Fails with `AgentNotFound` where there is no such program,
 * and below the highest permission. It takes no window: it tells the end of
 * its turn in its output alone.
 */
export const geminiCommand = Effect.fn("geminiCommand")(function* (
  { agentCommand, agentDir, environment, environmentAllowed = [] }: AgentOptions,
  { permission, prompt, session }: AgentOrder,
  sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { args, program: name } = agentCommand
  const { sessionId } = session
  const refused = (problem: string) => new AgentNotFound({ program: name, problem })
  if (permission !== "bypassPermissions") return yield* refused(limited)
  // It goes on with no session that it has not begun, and begins none twice.
  const begun = session._tag === "Resume" && Option.isSome(yield* Effect.option(sessionFile(sessionId)))
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [
      ...args,
      ...launchFlags,
      ...(asksRecords(args) ? [] : records),
      begun ? "--resume" : "--session-id",
      sessionId
    ],
    input: prompt,
    environment: {
      ...agentVariables(environment, { names: environmentAllowed, prefixes: ["GEMINI_", "GOOGLE_"], marks }),
      GEMINI_CLI_HOME: agentDir,
      GEMINI_SESSION_ID: sessionId
    }
  }
})

/** Returns the agent command of one of our launches: the user's own flags come first. */
export const geminiOfLaunch = ({ args, program }: AgentProgram, sessionId: string): Option.Option<AgentProgram> => {
  const at = args.indexOf(launchFlags[0])
  return isGemini(program) && at !== -1 && args.at(-1) === sessionId
    ? Option.some({ program, args: args.slice(0, at) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "GEMINI_CLI",
  "GEMINI_CLI_NO_RELAUNCH",
  "GEMINI_CLI_TRUST_WORKSPACE",
  "GEMINI_CWD",
  "GEMINI_PROJECT_DIR",
  "GEMINI_SESSION_ID"
])

/** Identifies the session that runs a process with these variables. */
export const identity = identifiedBy("GEMINI_SESSION_ID", "GEMINI_CLI")
