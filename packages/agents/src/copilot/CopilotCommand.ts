import { type AgentKind, AgentNotFound, type AgentOrder } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, Result } from "effect"
import { argsWithModel } from "../kit/command/ChosenModel.ts"
import { completeCommand } from "../kit/command/CompleteCommand.ts"
import { promptWords, readLiteral } from "../kit/command/OnePrompt.ts"
import { maySubcommand, withoutCeiling } from "../kit/command/WithoutCeiling.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { copilotFlags, copilotHeadless, copilotLimitsOf, lookingFlags, copilotModelFlags } from "./CopilotFlags.ts"
import { trustsFolders } from "./TrustedFolders.ts"

/** Recognises Copilot's program, by its name or within its package. */
export const isCopilot = (word = ""): boolean =>
  /(?:^|\/)copilot$|(?:^|\/)@github\/copilot(?:-[\w-]+)?(?:\/|$)/u.test(word)

/** Returns whether a process with these arguments ends after its turn. */
export const copilotInPrintMode = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg === copilotHeadless || arg === "-p" || arg === "--prompt" || arg.startsWith("--prompt="))

/** Subcommands and questions that hold no conversation: they run as any other command. */
const errands = wordSet(
  "completion config help instruction login lsp mcp memories plugin sandbox sessions skill update version",
  "-h --help -v --version"
)

/** Takes a command of Copilot CLI apart. Below the highest permission it must be in print mode. */
export const literalCopilot: AgentKind["takeApart"] = (command) => {
  const [, first = ""] = command
  if (errands.has(first)) return Result.succeedNone
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
export const copilotCompactPrompt = "/compact"

/**
 * Builds `copilot <flags> <ceiling> --session-id ID`, which begins a session or resumes it. The prompt is on standard
 * input, or in a window the value of a flag, where it is never read as one. Its tools carry the id, and so does the
 * launch. Below the highest permission it is in print mode. Fails with `AgentNotFound` if there is no such program, and
 * below the highest permission also if Copilot trusts a folder.
 */
export const copilotCommand = Effect.fn("copilotCommand")(function* (
  options: AgentOptions,
  { choice, heldTo, permission, print, prompt, session: { sessionId } }: AgentOrder
) {
  const { agentCommand, agentDir } = options
  const { program } = agentCommand
  const limited = permission !== "bypassPermissions"
  if (limited && (yield* trustsFolders(agentDir)))
    return yield* new AgentNotFound({
      program,
      problem:
        "Copilot trusts a folder, whose hooks and servers of tools an edit may write: clear trustedFolders in its config.json, or set MAX_EXTERNAL_PERMISSION=bypassPermissions"
    })
  const args = yield* argsWithModel(agentCommand, { choice }, copilotModelFlags)
  const compacts = prompt === copilotCompactPrompt
  const window = !print && !limited
  const asked = promptWords({ compacts, prompt, window }, { flag: "--interactive", headless: [copilotHeadless] })
  return yield* completeCommand(options, variables, {
    ...asked,
    args: [
      ...args,
      ...(heldTo === undefined ? copilotLimitsOf(permission) : lookingFlags),
      "--session-id",
      sessionId,
      ...asked.args
    ],
    environment: { COPILOT_HOME: agentDir, COPILOT_AGENT_SESSION_ID: sessionId }
  })
})

/** Marks of a running session. They are never handed on. */
export const copilotMarks = wordSet(
  "COPILOT_AGENT_SESSION_ID COPILOT_CLI COPILOT_CLI_BINARY_VERSION COPILOT_CLI_RESOLVED_DIST_DIR COPILOT_LOADER_PID"
)
const variables = {
  names: [
    "COPILOT_AUTO_UPDATE",
    "COPILOT_GITHUB_TOKEN",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "GH_HOST",
    "GH_TOKEN",
    "GITHUB_TOKEN"
  ],
  prefixes: ["COPILOT_PROVIDER_"],
  marks: copilotMarks
}
