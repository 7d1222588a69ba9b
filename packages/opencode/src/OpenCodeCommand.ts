import {
  type AgentCommand,
  AgentNotFound,
  type AgentOrder,
  type AgentProgram,
  CommandRefused,
  type LiteralAgent,
  type Variables
} from "@souffleur/domain"
import { type AgentOptions, resolveProgram } from "@souffleur/process"
import {
  agentVariables,
  argumentsOfProgram,
  maySubcommand,
  readAgentCommand,
  readLiteral,
  withoutCeiling
} from "@souffleur/session"
import { Effect, type FileSystem, Option, type Path, Random, Result } from "effect"
import { asksRecords, openCodeFlags, records } from "./OpenCodeFlags.ts"

/** Holds if a word is OpenCode's program, by its name or in its package. */
export const isOpenCode = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)opencode(?:\.exe)?$|(?:^|\/)opencode-ai(?:\/|$)/u.test(word)
const isRun = (word: string | undefined): boolean => word === "run"

/** Holds if a command line is of OpenCode. */
export const runsOpenCode = (words: ReadonlyArray<string>): boolean =>
  argumentsOfProgram(isOpenCode, words) !== undefined

/** Holds if a process with these arguments ends after its turn. */
export const inPrintMode = (args: ReadonlyArray<string>): boolean =>
  isRun((argumentsOfProgram(isOpenCode, args) ?? args)[0])

/** Reads `AGENT_COMMAND`. */
export const parseOpenCodeCommand = readAgentCommand(
  { program: "opencode", is: isOpenCode, verb: isRun },
  openCodeFlags
)

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = new Set(
  "auth completion db export import mcp models plug plugin providers session stats uninstall upgrade -h --help -v --version".split(
    " "
  )
)

const interactive =
  "nothing tells which session an OpenCode in a terminal holds: write opencode run --auto -- PROMPT, with its flags behind run"
const unasked = "OpenCode runs each command without a question"
const limited = `${unasked}: run it with --auto, after souffleur setup --permission bypassPermissions`

/**
 * Parses a literal command that runs OpenCode. `None`: it is any other command, or an errand of OpenCode. Refuses each
 * flag that is not understood, an OpenCode in a terminal, and each but with `--auto`.
 */
export const literalOpenCode = (
  command: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const [program = "", verb = "", ...rest] = command
  if (!isOpenCode(program) || errands.has(verb)) return Result.succeedNone
  if (maySubcommand(verb) && !isRun(verb)) return withoutCeiling(`opencode ${verb}`, "opencode run --auto -- PROMPT")
  if (!isRun(verb)) return Result.fail(new CommandRefused({ message: interactive }))
  const read = readLiteral(openCodeFlags, [program, ...rest], ({ requested }) =>
    requested === "bypassPermissions" ? undefined : limited
  )
  return Result.map(read, (found) => Option.map(found, (literal) => ({ ...literal, print: true })))
}

/** The first flag of a launch behind the user's own. */
const launched = "--auto"
const titled = "--title"
const beginning = "souffleur-"
const hex = Effect.map(Random.nextIntBetween(0, 2 ** 32, { halfOpen: true }), (n) => n.toString(16).padStart(8, "0"))

/** The word of a command line that tells the session. */
export type SessionWord = { readonly _tag: "Session" | "Title"; readonly value: string }

/** Returns the session in the command line of a process, or the title that one of our launches gave it. */
export const sessionWord = (words: ReadonlyArray<string>): SessionWord | undefined => {
  const args = argumentsOfProgram(isOpenCode, words) ?? []
  for (const [at, word] of args.entries()) {
    if (word === "--") return undefined
    const [flag, inline] = word.split(/=(.*)/su, 2) as [string, string | undefined]
    const value = inline ?? args[at + 1] ?? ""
    if (flag === "--session" || flag === "-s") return { _tag: "Session", value }
    if (flag === titled && value.startsWith(beginning)) return { _tag: "Title", value }
  }
  return undefined
}

/**
 * Builds `opencode run <flags> --auto --format json (--session ID | --title OURS)`, with the prompt on standard input.
 * OpenCode chooses the id of a session, and its tools do not carry it. So a launch is known by its title until then.
 * Fails with `AgentNotFound` where there is no such program, and below the highest permission. It takes no window,
 * since no person can type to it.
 */
export const openCodeCommand = Effect.fn("openCodeCommand")(function* (
  { agentCommand, agentDir, environment, environmentAllowed = [] }: AgentOptions,
  { permission, prompt, session }: AgentOrder
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { args, program: name } = agentCommand
  const refused = (problem: string) => new AgentNotFound({ program: name, problem })
  const resumed = session._tag === "Resume"
  if (permission !== "bypassPermissions")
    return yield* refused(
      `${unasked}: it is launched with bypassPermissions alone, after souffleur setup --permission bypassPermissions`
    )
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [
      "run",
      ...args,
      launched,
      ...(asksRecords(args) ? [] : records),
      ...(resumed ? ["--session", session.sessionId] : [titled, `${beginning}${yield* hex}${yield* hex}`])
    ],
    input: prompt,
    environment: {
      ...agentVariables(environment, {
        names: [...environmentAllowed, "ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
        prefixes: ["OPENCODE_"],
        marks
      }),
      XDG_DATA_HOME: agentDir,
      ...(resumed ? { OPENCODE_SESSION_ID: session.sessionId } : {})
    }
  }
})

/** Returns the agent command of one of our launches: the user's own flags are between `run` and ours. */
export const openCodeOfLaunch = ({ args, program }: AgentProgram): Option.Option<AgentProgram> => {
  const at = args.indexOf(launched)
  return isOpenCode(program) && isRun(args[0]) && at !== -1
    ? Option.some({ program, args: args.slice(1, at) })
    : Option.none()
}

/** Marks of a running session, and of another database. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "OPENCODE",
  "OPENCODE_CLIENT",
  "OPENCODE_DB",
  "OPENCODE_PID",
  "OPENCODE_SERVER_PASSWORD",
  "OPENCODE_SERVER_USERNAME",
  "OPENCODE_SESSION_ID"
])

/** Identifies the session that runs a process with these variables. */
export const identity = (variables: Variables) => {
  const pid = Number(variables["OPENCODE_PID"] ?? "")
  return {
    sessionId: variables["OPENCODE_SESSION_ID"] ?? "",
    pid: Number.isSafeInteger(pid) && pid > 0 ? pid : undefined,
    project: "",
    mark: ["OPENCODE_PID", "OPENCODE"].find((name) => (variables[name] ?? "") !== "")
  }
}
