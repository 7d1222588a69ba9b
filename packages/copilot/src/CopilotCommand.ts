import {
  type AgentCommand,
  AgentNotFound,
  type AgentOrder,
  type AgentProgram,
  type CommandRefused,
  type LiteralAgent
} from "@souffleur/domain"
import { type AgentOptions, resolveProgram, type TrustedFiles } from "@souffleur/process"
import {
  agentVariables,
  argumentsOfProgram,
  identifiedBy,
  maySubcommand,
  readAgentCommand,
  readLiteral,
  withoutCeiling
} from "@souffleur/session"
import { Effect, type FileSystem, Option, type Path, Result } from "effect"
import { copilotFlags, headless, limitsOf, withoutLimits } from "./CopilotFlags.ts"
import { trustsFolders } from "./TrustedFolders.ts"

/** Holds if a word is Copilot's program, by its name or in its package. */
export const isCopilot = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)copilot$|(?:^|\/)@github\/copilot(?:-[\w-]+)?(?:\/|$)/u.test(word)

/** Holds if a command line is of Copilot CLI, its launcher included. */
export const runsCopilot = (words: ReadonlyArray<string>): boolean => argumentsOfProgram(isCopilot, words) !== undefined

/** Holds if a process with these arguments ends after its turn. */
export const inPrintMode = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg === headless || arg === "-p" || arg === "--prompt" || arg.startsWith("--prompt="))

/** Reads `AGENT_COMMAND`. */
export const parseCopilotCommand = readAgentCommand({ program: "copilot", is: isCopilot }, copilotFlags)

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = new Set(
  "completion config help instruction login lsp mcp memories plugin sandbox sessions skill update version -h --help -v --version".split(
    " "
  )
)

/**
 * Parses a literal command that runs Copilot CLI. `None`: it is any other command, or an errand of Copilot. Refuses
 * another subcommand, and each flag that lifts the ceiling or is not understood.
 */
export const literalCopilot = (
  command: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const [program, first = ""] = command
  if (!isCopilot(program) || errands.has(first)) return Result.succeedNone
  // It takes no prompt but by a flag: any other word is a subcommand.
  if (maySubcommand(first)) return withoutCeiling(`copilot ${first}`, "copilot -p PROMPT")
  return readLiteral(copilotFlags, command, ({ print, requested }) =>
    !print && requested !== "bypassPermissions" ? interactive : undefined
  )
}

/** In a terminal a person may trust the folder, whose hooks and servers of tools an edit may have left. */
const interactive =
  "a Copilot CLI in a terminal may run programs of the project, which it may write: give it its prompt with -p, or run it with --allow-all-tools"

/** Makes a session compact in place. It is an argument, by which its process is known. */
export const compactPrompt = "/compact"

/**
 * Builds `copilot <flags> <ceiling> --session-id ID`, which begins a session or goes on with it. The prompt is on
 * standard input. In a window it is the value of a flag, where it is never read as one. Its tools carry the id, and so
 * does the launch. Below the highest permission it is in print mode. Fails with `AgentNotFound` where there is no such
 * program. It fails below the highest permission too where Copilot trusts a folder.
 */
export const copilotCommand = Effect.fn("copilotCommand")(function* (
  { agentCommand, agentDir, environment, environmentAllowed = [] }: AgentOptions,
  { permission, print, prompt, session: { sessionId } }: AgentOrder
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path | TrustedFiles> {
  const { args, program: name } = agentCommand
  const refused = (problem: string) => new AgentNotFound({ program: name, problem })
  const limited = permission !== "bypassPermissions"
  if (limited && (yield* trustsFolders(agentDir)))
    return yield* refused(
      "Copilot trusts a folder, whose hooks and servers of tools an edit may write: clear trustedFolders in its config.json, or type souffleur setup --permission bypassPermissions"
    )
  const compacts = prompt === compactPrompt
  const window = !print && !limited && !compacts
  const typed = prompt === "" ? [] : [`--interactive=${prompt}`]
  const words = compacts ? ["-p", prompt] : window ? typed : [headless]
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [...args, ...limitsOf(permission), "--session-id", sessionId, ...words],
    ...(window ? { window } : compacts ? {} : { input: prompt }),
    environment: {
      ...agentVariables(environment, {
        names: [
          ...environmentAllowed,
          "COPILOT_AUTO_UPDATE",
          "COPILOT_GITHUB_TOKEN",
          "COPILOT_MODEL",
          "COPILOT_OFFLINE",
          "GH_HOST",
          "GH_TOKEN",
          "GITHUB_TOKEN"
        ],
        prefixes: ["COPILOT_PROVIDER_"],
        marks
      }),
      COPILOT_HOME: agentDir,
      COPILOT_AGENT_SESSION_ID: sessionId
    }
  }
})

/** Returns the agent command of one of our launches: the user's own flags come first. */
export const copilotOfLaunch = ({ args, program }: AgentProgram, sessionId: string): Option.Option<AgentProgram> => {
  const at = args.indexOf("--session-id")
  return isCopilot(program) && at !== -1 && args[at + 1] === sessionId
    ? Option.some({ program, args: withoutLimits(args.slice(0, at)) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "COPILOT_AGENT_SESSION_ID",
  "COPILOT_CLI",
  "COPILOT_CLI_BINARY_VERSION",
  "COPILOT_CLI_RESOLVED_DIST_DIR",
  "COPILOT_LOADER_PID"
])

/** Identifies the session that runs a process with these variables. */
export const identity = identifiedBy("COPILOT_AGENT_SESSION_ID", "COPILOT_CLI")
