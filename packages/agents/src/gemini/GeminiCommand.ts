import { type AgentKind, AgentNotFound, type AgentOrder } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, Result } from "effect"
import type { AgentDialect } from "../kit/agent/AgentDialect.ts"
import { argsWithModel } from "../kit/command/ChosenModel.ts"
import { completeCommand } from "../kit/command/CompleteCommand.ts"
import { readWords } from "../kit/command/FlagTable.ts"
import { readLiteral } from "../kit/command/OnePrompt.ts"
import { hasBegun } from "../kit/command/OwnLaunch.ts"
import { argumentsOfProgram } from "../kit/command/CommandFront.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { asksGeminiRecords, geminiFlags, launchFlags, geminiModelFlags, geminiRecords } from "./GeminiFlags.ts"

/** Recognises Gemini CLI's program, by its name or within its package. */
export const isGemini = (word = ""): boolean => /(?:^|\/)gemini$|(?:^|\/)@google\/gemini-cli(?:\/|$)/u.test(word)

/** Returns whether a process with these arguments ends after its turn. */
export const geminiInPrintMode = (args: ReadonlyArray<string>): boolean =>
  Result.match(readWords(geminiFlags, argumentsOfProgram(isGemini, args) ?? args), {
    onFailure: () => false,
    onSuccess: ({ meaning }) => meaning.print ?? asksGeminiRecords(args)
  })

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = wordSet(
  "extension extensions gemma hook hooks mcp skill skills",
  "-h --help -l --list-extensions --list-sessions -v --version"
)

const interactive =
  "a Gemini CLI in a terminal leaves no record of the end of its turn: give it its prompt with -p, and --yolo"
const limited =
  "Gemini CLI runs what the settings of a folder say that it may edit: run it with --yolo, and set MAX_EXTERNAL_PERMISSION=bypassPermissions"

/** Takes a command of Gemini CLI apart. Each but with the highest permission, and in print mode, is refused. */
export const literalGemini: AgentKind["takeApart"] = (command) => {
  const [, first = ""] = command
  if (errands.has(first)) return Result.succeedNone
  return readLiteral(geminiFlags, command, ({ print, requested }) =>
    !print ? interactive : requested === "bypassPermissions" ? undefined : limited
  )
}

/**
 * Builds `gemini <flags> --approval-mode yolo … (--session-id | --resume) ID`, with the prompt on standard input. Its
 * tools carry the id, and so does the launch. Fails with `AgentNotFound` where there is no such program, and below the
 * highest permission. It takes no window: it tells the end of its turn in its output alone.
 */
export const geminiCommand = Effect.fn("geminiCommand")(function* (
  options: AgentOptions,
  { choice, permission, prompt, session }: AgentOrder,
  sessionFile: Parameters<AgentDialect["command"]>[1]
) {
  const { program } = options.agentCommand
  const { sessionId } = session
  if (permission !== "bypassPermissions") return yield* new AgentNotFound({ program, problem: limited })
  const args = yield* argsWithModel(options.agentCommand, { choice }, geminiModelFlags)
  const begun = yield* hasBegun(session, sessionFile)
  return yield* completeCommand(options, variables, {
    args: [
      ...args,
      ...launchFlags,
      ...(asksGeminiRecords(args) ? [] : geminiRecords),
      begun ? "--resume" : "--session-id",
      sessionId
    ],
    input: prompt,
    environment: { GEMINI_CLI_HOME: options.agentDir, GEMINI_SESSION_ID: sessionId }
  })
})

/** Marks of a running session. They are never handed on. */
export const geminiMarks = wordSet(
  "GEMINI_CLI GEMINI_CLI_NO_RELAUNCH GEMINI_CLI_TRUST_WORKSPACE GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_SESSION_ID"
)
const variables = { prefixes: ["GEMINI_", "GOOGLE_"], marks: geminiMarks }
