import { type AgentKind, AgentNotFound, type AgentOrder, CommandRefused } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, Option, Result } from "effect"
import type { AgentDialect } from "../kit/agent/AgentDialect.ts"
import { argsWithModel } from "../kit/command/ChosenModel.ts"
import { completeCommand } from "../kit/command/CompleteCommand.ts"
import { readWords } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { piModelFlags, piFlags } from "./PiFlags.ts"
import { isTrustedInPi } from "./PiTrust.ts"

/** Recognises pi's program, by its name or within its package. */
export const isPi = (word = ""): boolean => /(?:^|\/)pi$|(?:^|\/)@earendil-works\/pi-coding-agent(?:\/|$)/u.test(word)

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = wordSet("auth config install list mcp remove uninstall update --help -h --list-models --version -v")

/** A list of tools bounds nothing: `write` may replace what `grep` runs, or leave a command in `models.json`. */
const limited =
  "pi runs what its own files say, and edits any file: it is launched with bypassPermissions alone, which MAX_EXTERNAL_PERMISSION=bypassPermissions allows"

/** Takes a command of pi apart. Without a flag of its own a prompt is for a pi that waits for a person. */
export const literalPi: AgentKind["takeApart"] = ([program = "", ...all]) => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  if (errands.has(all[0] ?? "")) return Result.succeedNone
  const read = readWords(piFlags, all)
  if (Result.isFailure(read)) return refused(read.failure)
  const { args, behind, meaning, words } = read.success
  const [prompt = "", ...more] = [...words, ...behind]
  if (more.length > 0) return refused("the command has more than one prompt: quote it")
  if (prompt.startsWith("@")) return refused("a word that begins with @ names a file to pi: name it within the prompt")
  const { print = false, session } = meaning
  const agentCommand = { program, args }
  return Result.succeed(Option.some({ agentCommand, session, print, requested: "bypassPermissions", prompt }))
}

/** Begins a session of an id. */
const fresh = "--session-id"
/** Resumes the session in a file, in its own folder. An id finds only a session of the present folder. */
const resumed = "--session"

/**
 * Builds `pi <flags> [-p] --session-id ID`, with the prompt on standard input. In a window the prompt is an argument
 * behind `--`, and pi asks for no trust in the folder. A session that has a file is resumed by its path. Its tools
 * carry the id, and so does the launch. Fails with `AgentNotFound` where there is no such program, where several files
 * have the id, and below the highest permission.
 */
export const piCommand = Effect.fn("piCommand")(function* (
  options: AgentOptions,
  { choice, folder, permission, print, prompt, session }: AgentOrder,
  sessionFile: Parameters<AgentDialect["command"]>[1]
) {
  const { program } = options.agentCommand
  const { sessionId } = session
  if (permission !== "bypassPermissions") return yield* new AgentNotFound({ program, problem: limited })
  const file =
    session._tag === "Fresh"
      ? undefined
      : yield* sessionFile(sessionId).pipe(
          Effect.map(({ path }) => path),
          Effect.catchTag("SessionNotFound", ({ message, reason }) =>
            reason === "missing" ? Effect.undefined : new AgentNotFound({ program, problem: message })
          )
        )
  const args = yield* argsWithModel(options.agentCommand, { choice }, piModelFlags)
  const isAlone = !print && prompt !== "" && folder !== undefined
  const asks = isAlone && !(yield* isTrustedInPi(options.agentDir, folder))
  return yield* completeCommand(options, variables, {
    args: [
      ...args,
      ...(print ? ["-p"] : []),
      ...(file === undefined ? [fresh, sessionId] : [resumed, file]),
      // Nobody may be there to answer. An unanswered question leaves the project's own settings out as well.
      ...(asks ? ["--no-approve"] : []),
      // A word that begins with @ names a file, also behind --.
      ...(!print && prompt !== "" ? ["--", prompt.startsWith("@") ? ` ${prompt}` : prompt] : [])
    ],
    ...(print ? { input: prompt } : { window: true }),
    environment: { PI_SESSION_ID: sessionId }
  })
})

/** Returns the agent command of one of our launches: the user's own flags come first. */
export const piOfLaunch: AgentKind["ofLaunch"] = ({ args, program }, sessionId) => {
  const at = args.findIndex((arg) => arg === fresh || arg === resumed)
  const named = args[at + 1]
  if (at === -1 || (named !== sessionId && named?.endsWith(`_${sessionId}.jsonl`) !== true)) return Option.none()
  const kept = args.slice(0, at)
  return Option.some({ program, args: kept.at(-1) === "-p" ? kept.slice(0, -1) : kept })
}

/** Marks of a running session. They are never handed on. */
export const piMarks = wordSet(
  "AI_AGENT PI_CODING_AGENT PI_MODEL PI_PROVIDER PI_REASONING_LEVEL PI_SESSION_FILE PI_SESSION_ID"
)
const variables = {
  names: ["PI_CODING_AGENT_DIR", "PI_OFFLINE", "PI_TELEMETRY", "PI_PACKAGE_DIR"],
  prefixes: ["ANTHROPIC_", "OPENAI_", "AZURE_OPENAI_", "GEMINI_", "OPENROUTER_"],
  marks: piMarks
}
