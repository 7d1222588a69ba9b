import { type AgentKind, AgentNotFound, type AgentOrder, CommandRefused, freshHex } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, Option, Result } from "effect"
import { argsWithModel } from "../kit/command/ChosenModel.ts"
import { completeCommand } from "../kit/command/CompleteCommand.ts"
import { readLiteral } from "../kit/command/OnePrompt.ts"
import { argumentsOfProgram } from "../kit/command/CommandFront.ts"
import { maySubcommand, withoutCeiling } from "../kit/command/WithoutCeiling.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { asksOpenCodeRecords, openCodeModelFlags, openCodeFlags, openCodeRecords } from "./OpenCodeFlags.ts"

/** Recognises OpenCode's program, by its name or within its package. */
export const isOpenCode = (word = ""): boolean => /(?:^|\/)opencode(?:\.exe)?$|(?:^|\/)opencode-ai(?:\/|$)/u.test(word)
/** Recognises the word that runs one turn without a terminal. */
export const isRun = (word: string | undefined): boolean => word === "run"

/** Returns whether a process with these arguments ends after its turn. */
export const openCodeInPrintMode = (args: ReadonlyArray<string>): boolean =>
  isRun((argumentsOfProgram(isOpenCode, args) ?? args)[0])

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = wordSet(
  "auth completion db export import mcp models plug plugin providers session stats uninstall upgrade",
  "-h --help -v --version"
)

const interactive =
  "nothing tells which session an OpenCode in a terminal holds: write opencode run --auto -- PROMPT, with its flags behind run"
const unasked = "OpenCode runs each command without a question"
const limited = `${unasked}: run it with --auto, and set MAX_EXTERNAL_PERMISSION=bypassPermissions`

/** Takes a command of OpenCode apart. One in a terminal is refused, and each but with the highest permission. */
export const literalOpenCode: AgentKind["takeApart"] = (command) => {
  const [program = "", verb = "", ...rest] = command
  if (errands.has(verb)) return Result.succeedNone
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

/** The word of a command line that tells the session. */
export interface SessionWord {
  readonly _tag: "Session" | "Title"
  readonly value: string
}

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
  options: AgentOptions,
  { choice, heldTo, permission, prompt, session }: AgentOrder
) {
  const { program } = options.agentCommand
  if (heldTo !== undefined)
    return yield* new AgentNotFound({
      program,
      problem:
        "no person has approved the plan of its session, and OpenCode cannot be held to that: approve it in OpenCode, or run it with --agent"
    })
  if (permission !== "bypassPermissions")
    return yield* new AgentNotFound({
      program,
      problem: `${unasked}: it is launched with bypassPermissions alone, which MAX_EXTERNAL_PERMISSION=bypassPermissions allows`
    })
  const args = yield* argsWithModel(options.agentCommand, { choice }, openCodeModelFlags)
  const resumed = session._tag === "Resume"
  const named = resumed ? ["--session", session.sessionId] : [titled, `${beginning}${yield* freshHex(8)}`]
  return yield* completeCommand(options, variables, {
    args: ["run", ...args, launched, ...(asksOpenCodeRecords(args) ? [] : openCodeRecords), ...named],
    input: prompt,
    environment: {
      XDG_DATA_HOME: options.agentDir,
      ...(resumed ? { OPENCODE_SESSION_ID: session.sessionId } : {})
    }
  })
})

/** Returns the agent command of one of our launches: the user's own flags are between `run` and ours. */
export const openCodeOfLaunch: AgentKind["ofLaunch"] = ({ args, program }) => {
  const at = args.indexOf(launched)
  return isRun(args[0]) && at !== -1 ? Option.some({ program, args: args.slice(1, at) }) : Option.none()
}

/** Marks of a running session, and of another database. They are never handed on. */
export const openCodeMarks = wordSet(
  "OPENCODE OPENCODE_CLIENT OPENCODE_DB OPENCODE_PID OPENCODE_SERVER_PASSWORD OPENCODE_SERVER_USERNAME",
  "OPENCODE_SESSION_ID"
)
const variables = { names: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], prefixes: ["OPENCODE_"], marks: openCodeMarks }

/** Identifies the session that runs a process with these variables. */
export const openCodeIdentity: AgentKind["identity"] = (variables) => {
  const pid = Number(variables["OPENCODE_PID"] ?? "")
  return {
    sessionId: variables["OPENCODE_SESSION_ID"] ?? "",
    pid: Number.isSafeInteger(pid) && pid > 0 ? pid : undefined,
    project: "",
    mark: ["OPENCODE_PID", "OPENCODE"].find((name) => (variables[name] ?? "") !== "")
  }
}
