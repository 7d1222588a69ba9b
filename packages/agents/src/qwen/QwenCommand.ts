import type { AgentKind, AgentOrder } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, Result } from "effect"
import type { AgentDialect } from "../kit/agent/AgentDialect.ts"
import { argsWithModel } from "../kit/command/ChosenModel.ts"
import { completeCommand } from "../kit/command/CompleteCommand.ts"
import { readWords } from "../kit/command/FlagTable.ts"
import { promptWords, readLiteral } from "../kit/command/OnePrompt.ts"
import { hasBegun } from "../kit/command/OwnLaunch.ts"
import { argumentsOfProgram } from "../kit/command/CommandFront.ts"
import { withoutCeiling } from "../kit/command/WithoutCeiling.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { qwenHeadless, qwenLimitsOf, qwenModelFlags, qwenFlags } from "./QwenFlags.ts"

/** Recognises Qwen Code's program, by its name or within its package. */
export const isQwen = (word = ""): boolean => /(?:^|\/)qwen$|(?:^|\/)@qwen-code\/qwen-code(?:\/|$)/u.test(word)

/**
 * Returns whether a process with these arguments ends after its turn. A prompt that is no flag's value runs one turn.
 */
export const qwenInPrintMode = (args: ReadonlyArray<string>): boolean =>
  args.includes(qwenHeadless[0]!) ||
  Result.match(readWords(qwenFlags, argumentsOfProgram(isQwen, args) ?? args), {
    onFailure: () => false,
    onSuccess: ({ meaning, words }) => meaning.print ?? words.length > 0
  })

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = wordSet(
  "auth board extensions hooks mcp sandbox sessions update -h --help -l --list-extensions -v --version"
)
/** Subcommands that hold conversations. Any other first word is a prompt. */
const conversing = wordSet("channel review serve")

/** Takes a command of Qwen Code apart. Below the highest permission it must be in print mode. */
export const literalQwen: AgentKind["takeApart"] = (command) => {
  const [, first = ""] = command
  if (errands.has(first)) return Result.succeedNone
  if (conversing.has(first)) return withoutCeiling(`qwen ${first}`, "qwen -p PROMPT")
  return readLiteral(qwenFlags, command, ({ print, requested }) =>
    !print && requested !== "bypassPermissions" ? interactive : undefined
  )
}

/** Also in safe mode a terminal runs the status line, which an edit may have left. */
const interactive =
  "a Qwen Code in a terminal runs the status line of the project, which it may write: give it its prompt with -p, or run it with --yolo"

/** Makes a session compact in place. It is an argument, by which its process is known. */
export const qwenCompactPrompt = "/compress"

/**
 * Builds `qwen <flags> --approval-mode MODE (--session-id | --resume) ID`, with the prompt on standard input. In a
 * window the prompt is the value of a flag, where it is never read as one. Its tools carry the id, and so does the
 * launch. Below the highest permission it is in print mode. Fails with `AgentNotFound` where there is no such program.
 */
export const qwenCommand = Effect.fn("qwenCommand")(function* (
  options: AgentOptions,
  { choice, permission, print, prompt, session }: AgentOrder,
  sessionFile: Parameters<AgentDialect["command"]>[1]
) {
  const { agentCommand, agentDir } = options
  const { sessionId } = session
  const limited = permission !== "bypassPermissions"
  const compacts = prompt === qwenCompactPrompt
  const window = !print && !limited
  const asked = promptWords({ compacts, prompt, window }, { flag: "--prompt-interactive", headless: qwenHeadless })
  const args = yield* argsWithModel(agentCommand, { choice }, qwenModelFlags)
  const begun = yield* hasBegun(session, sessionFile)
  return yield* completeCommand(options, variables, {
    ...asked,
    args: [...args, ...qwenLimitsOf(permission, args), begun ? "--resume" : "--session-id", sessionId, ...asked.args],
    environment: {
      // Settings and files of variables, which an edit may write, come after these.
      QWEN_HOME: agentDir,
      QWEN_RUNTIME_DIR: agentDir,
      ...(limited ? { QWEN_SANDBOX: "false" } : {}),
      QWEN_CODE_SESSION_ID: sessionId
    }
  })
})

/** Marks of a running session. They are never handed on. */
export const qwenMarks = wordSet(
  "QWEN_CODE QWEN_CODE_AGENT_ID QWEN_CODE_CLI QWEN_CODE_LAUNCHER_PID QWEN_CODE_MANAGED_NPM_PIN QWEN_CODE_MODEL",
  "QWEN_CODE_MODEL_IDENTITY QWEN_CODE_NO_RELAUNCH QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE QWEN_CODE_PROJECT_DIR",
  "QWEN_CODE_PROMPT_ID QWEN_CODE_RELAUNCH_ARGS QWEN_CODE_SESSION_ID QWEN_CODE_STARTUP_VERSION"
)
/** Variables by which a user gives the service more time for an answer. */
export const qwenLimitVariables = ["QWEN_CODE_API_TIMEOUT_MS", "QWEN_STREAM_IDLE_TIMEOUT_MS"] as const
const variables = {
  names: qwenLimitVariables,
  prefixes: ["OPENAI_", "DASHSCOPE_", "ANTHROPIC_", "GEMINI_"],
  marks: qwenMarks
}
