import {
  type AgentCommand,
  AgentNotFound,
  type AgentOrder,
  type AgentProgram,
  CommandRefused,
  type LiteralAgent,
  type SessionFile,
  type SessionNotFound
} from "@souffleur/domain"
import { type AgentOptions, resolveProgram } from "@souffleur/process"
import { agentVariables, identifiedBy, readAgentCommand, readWords } from "@souffleur/session"
import { Effect, type FileSystem, Option, type Path, Result } from "effect"
import { limitsOf, piFlags, requestedBy, withoutLimits } from "./PiFlags.ts"

/** Holds if a word is pi's program, by its name or in its package. */
export const isPi = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)pi$|(?:^|\/)@earendil-works\/pi-coding-agent(?:\/|$)/u.test(word)

/** Holds if a command line is of pi. A pi that has begun overwrites its own with `pi`. */
export const runsPi = (words: ReadonlyArray<string>): boolean => words.slice(0, 2).some(isPi)

/** Reads `AGENT_COMMAND`. */
export const parsePiCommand = readAgentCommand({ program: "pi", is: isPi }, piFlags)

/** Subcommands of pi that hold no conversation: they run as any other command. */
const errands = new Set(["auth", "config", "install", "list", "remove", "uninstall", "update"])
const questions = new Set(["--help", "-h", "--list-models", "--version", "-v"])

/**
 * Parses a literal command that runs pi. `None`: it is any other command, or an errand of pi. Refuses each flag that
 * lifts the ceiling or is not understood.
 */
export const literalPi = ([program = "", ...all]: ReadonlyArray<string>): Result.Result<
  Option.Option<LiteralAgent>,
  CommandRefused
> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  if (!isPi(program) || errands.has(all[0] ?? "") || questions.has(all[0] ?? "")) return Result.succeedNone
  const read = readWords(piFlags, all)
  if (Result.isFailure(read)) return refused(read.failure)
  const { args, behind, meaning, words } = read.success
  const [prompt = "", ...more] = [...words, ...behind]
  if (more.length > 0) return refused("the command has more than one prompt: quote it")
  if (prompt.startsWith("@")) return refused("a word that begins with @ names a file to pi: name it within the prompt")
  const requested = requestedBy(args)
  const { print = false, session } = meaning
  return Result.succeed(Option.some({ agentCommand: { program, args }, session, print, requested, prompt }))
}

/** Begins a session of an id. */
const fresh = "--session-id"
/** Goes on with the session in a file, in its own folder. An id finds only a session of the present folder. */
const resumed = "--session"

/**
 * Builds `pi <flags> [-p] [--tools …] --session-id ID`, with the prompt on standard input. In a window the prompt is an
 * argument behind `--`. A session that has a file is resumed by its path. Its tools carry the id, and so does the
 * launch. Fails with `AgentNotFound` where there is no such program, or several files have the id.
 */
export const piCommand = Effect.fn("piCommand")(function* (
  { agentCommand, environment, environmentAllowed = [] }: AgentOptions,
  { permission, print, prompt, session }: AgentOrder,
  sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { args, program: name } = agentCommand
  const { sessionId } = session
  const file =
    session._tag === "Fresh"
      ? undefined
      : yield* sessionFile(sessionId).pipe(
          Effect.map(({ path }) => path),
          Effect.catchTag("SessionNotFound", ({ message, reason }) =>
            reason === "missing" ? Effect.undefined : new AgentNotFound({ program: name, problem: message })
          )
        )
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [
      ...args,
      ...(print ? ["-p"] : []),
      ...limitsOf(permission, args),
      ...(file === undefined ? [fresh, sessionId] : [resumed, file]),
      // A word that begins with @ names a file, also behind --.
      ...(!print && prompt !== "" ? ["--", prompt.startsWith("@") ? ` ${prompt}` : prompt] : [])
    ],
    ...(print ? { input: prompt } : { window: true }),
    environment: {
      ...agentVariables(environment, {
        names: [...environmentAllowed, "PI_CODING_AGENT_DIR", "PI_OFFLINE", "PI_TELEMETRY", "PI_PACKAGE_DIR"],
        prefixes: ["ANTHROPIC_", "OPENAI_", "AZURE_OPENAI_", "GEMINI_", "OPENROUTER_"],
        marks
      }),
      PI_SESSION_ID: sessionId
    }
  }
})

/** Returns the agent command of one of our launches: the user's own flags come first. */
export const piOfLaunch = ({ args, program }: AgentProgram, sessionId: string): Option.Option<AgentProgram> => {
  const at = args.findIndex((arg) => arg === fresh || arg === resumed)
  const named = args[at + 1]
  if (!isPi(program) || at === -1 || (named !== sessionId && named?.endsWith(`_${sessionId}.jsonl`) !== true))
    return Option.none()
  const kept = withoutLimits(args.slice(0, at))
  return Option.some({ program, args: kept.at(-1) === "-p" ? kept.slice(0, -1) : kept })
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "AI_AGENT",
  "PI_CODING_AGENT",
  "PI_SESSION_ID",
  "PI_SESSION_FILE",
  "PI_PROVIDER",
  "PI_MODEL",
  "PI_REASONING_LEVEL"
])

/** Identifies the session that runs a process with these variables. */
export const identity = identifiedBy("PI_SESSION_ID", "PI_CODING_AGENT")
