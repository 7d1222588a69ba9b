import {
  type AgentCommand,
  type AgentNotFound,
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
  readWords,
  withoutCeiling
} from "@souffleur/session"
import { Effect, type FileSystem, Option, type Path, Result } from "effect"
import { headless, limitsOf, qwenFlags, withoutLimits } from "./QwenFlags.ts"

/** Holds if a word is Qwen Code's program, by its name or in its package. */
export const isQwen = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)qwen$|(?:^|\/)@qwen-code\/qwen-code(?:\/|$)/u.test(word)

/** Holds if a command line is of Qwen Code, its launcher included: `node --expose-gc …/cli.js`. */
export const runsQwen = (words: ReadonlyArray<string>): boolean => argumentsOfProgram(isQwen, words) !== undefined

/** Holds if a process with these arguments ends after its turn. A prompt that is no flag's value is of one turn. */
export const inPrintMode = (args: ReadonlyArray<string>): boolean =>
  args.includes(headless[0]) ||
  Result.match(readWords(qwenFlags, argumentsOfProgram(isQwen, args) ?? args), {
    onFailure: () => false,
    onSuccess: ({ meaning, words }) => meaning.print ?? words.length > 0
  })

/** Reads `AGENT_COMMAND`. */
export const parseQwenCommand = readAgentCommand({ program: "qwen", is: isQwen }, qwenFlags)

/** Subcommands of Qwen Code that hold no conversation: they run as any other command. */
const errands = new Set(
  "auth board extensions hooks mcp sandbox sessions update -h --help -l --list-extensions -v --version".split(" ")
)

/** Subcommands that hold conversations. Any other first word is a prompt. */
const conversing = new Set(["channel", "review", "serve"])

/**
 * Parses a literal command that runs Qwen Code. `None`: it is any other command, or an errand of Qwen Code. Refuses
 * each flag that lifts the ceiling or is not understood.
 */
export const literalQwen = (
  command: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const [program, first = ""] = command
  if (!isQwen(program) || errands.has(first)) return Result.succeedNone
  if (conversing.has(first)) return withoutCeiling(`qwen ${first}`, "qwen -p PROMPT")
  return readLiteral(qwenFlags, command, ({ print, requested }) =>
    !print && requested !== "bypassPermissions" ? interactive : undefined
  )
}

/** Also in safe mode a terminal runs the status line, which an edit may have left. */
const interactive =
  "a Qwen Code in a terminal runs the status line of the project, which it may write: give it its prompt with -p, or run it with --yolo"

/** Makes a session compact in place. It is an argument, by which its process is known. */
export const compactPrompt = "/compress"

/**
 * Builds `qwen <flags> --approval-mode MODE (--session-id | --resume) ID`, with the prompt on standard input. In a
 * window the prompt is the value of a flag, where it is never read as one. Its tools carry the id, and so does the
 * launch. Below the highest permission it is in print mode. Fails with `AgentNotFound` where there is no such program.
 */
export const qwenCommand = Effect.fn("qwenCommand")(function* (
  { agentCommand, agentDir, environment, environmentAllowed = [] }: AgentOptions,
  { permission, print, prompt, session }: AgentOrder,
  sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { args, program: name } = agentCommand
  const { sessionId } = session
  const limited = permission !== "bypassPermissions"
  // It goes on with no session that it has not begun, and begins none twice.
  const begun = session._tag === "Resume" && Option.isSome(yield* Effect.option(sessionFile(sessionId)))
  const flags = [...args, ...limitsOf(permission, args), begun ? "--resume" : "--session-id", sessionId]
  const compacts = prompt === compactPrompt
  const window = !print && !limited && !compacts
  const typed = prompt === "" ? [] : [`--prompt-interactive=${prompt}`]
  const words = compacts ? ["-p", prompt] : window ? typed : headless
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [...flags, ...words],
    ...(window ? { window } : compacts ? {} : { input: prompt }),
    environment: {
      ...agentVariables(environment, {
        names: environmentAllowed,
        prefixes: ["OPENAI_", "DASHSCOPE_", "ANTHROPIC_", "GEMINI_"],
        marks
      }),
      // Settings and files of variables, which an edit may write, come after these.
      QWEN_HOME: agentDir,
      QWEN_RUNTIME_DIR: agentDir,
      ...(limited ? { QWEN_SANDBOX: "false" } : {}),
      QWEN_CODE_SESSION_ID: sessionId
    }
  }
})

/** Returns the agent command of one of our launches: the user's own flags come first. */
export const qwenOfLaunch = ({ args, program }: AgentProgram, sessionId: string): Option.Option<AgentProgram> => {
  const at = args.findIndex((arg) => arg === "--session-id" || arg === "--resume")
  return isQwen(program) && at !== -1 && args[at + 1] === sessionId
    ? Option.some({ program, args: withoutLimits(args.slice(0, at)) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "QWEN_CODE",
  "QWEN_CODE_AGENT_ID",
  "QWEN_CODE_CLI",
  "QWEN_CODE_LAUNCHER_PID",
  "QWEN_CODE_MANAGED_NPM_PIN",
  "QWEN_CODE_MODEL",
  "QWEN_CODE_MODEL_IDENTITY",
  "QWEN_CODE_NO_RELAUNCH",
  "QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE",
  "QWEN_CODE_PROJECT_DIR",
  "QWEN_CODE_PROMPT_ID",
  "QWEN_CODE_RELAUNCH_ARGS",
  "QWEN_CODE_SESSION_ID",
  "QWEN_CODE_STARTUP_VERSION"
])

/** Identifies the session that runs a process with these variables. */
export const identity = identifiedBy("QWEN_CODE_SESSION_ID", "QWEN_CODE")
