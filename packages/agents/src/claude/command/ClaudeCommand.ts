import type { AgentOrder, AgentProgram } from "@souffleur/domain"
import { Effect } from "effect"
import { argsWithModel } from "../../kit/command/ChosenModel.ts"
import { completeCommand, type LaunchOptions } from "../../kit/command/CompleteCommand.ts"
import { splitFlag } from "../../kit/command/FlagWord.ts"
import { variablesOf } from "./ClaudeEnvironment.ts"
import { fresh, claudeModelFlags, resumed } from "./ClaudeFlags.ts"
import { isClaude } from "./ClaudeLiteral.ts"

/**
 * Makes the one rule that lets a successor read its export, which is outside its project. Without the rule a print-mode
 * agent is refused, and another agent waits for a person (tried). A rule is a pattern in the style of gitignore; an
 * absolute path has one more slash.
 */
const mayRead = (file: string): string =>
  JSON.stringify({ permissions: { allow: [`Read(/${file.replaceAll(/[\\*?[\]!#()]/gu, String.raw`\$&`)})`] } })

/** Only Claude Code knows that flag. */
const namesClaude = ({ args, program }: AgentProgram): boolean => [program, ...args].some(isClaude)

const schemaFlag = "--json-schema"
/** Returns whether a launch may give its answer a form: the program knows that flag, and its user gives it none. */
export const claudeTakesForm = (agent: AgentProgram): boolean =>
  namesClaude(agent) && !agent.args.some((word) => splitFlag(word)[0] === schemaFlag)

/** The modes below every permission, in the words of `--permission-mode`. */
const modesHeldTo = { plan: "plan", asks: "default" } as const

/** Prompt that makes a session compact. */
export const claudeCompactPrompt = "/compact"

/**
 * Returns whether the prompt goes to standard input, where an agent in print mode reads it if no argument is a prompt.
 * In any other mode standard input belongs to a person. `/compact` stays an argument: it says nothing of the
 * conversation, and processes are recognised by it.
 */
const asInput = ({ print, prompt }: AgentOrder): boolean => print && prompt !== "" && prompt !== claudeCompactPrompt

/**
 * Builds `<agent command> [--resume ID | --session-id ID] [-p] --permission-mode <effective> -- <prompt>` (spec:
 * behaviour#launch). Without the `--` a prompt that begins with a dash would be read as a flag. Headless, the prompt is
 * on standard input and not an argument. A launch from an export begins with `--settings=…`, which allows reading that
 * one file and nothing else.
 * Fails with `AgentNotFound` when there is no such program.
 */
export const claudeCommand = Effect.fn("claudeCommand")(function* (options: LaunchOptions, order: AgentOrder) {
  const { agentCommand: agent, environment } = options
  const { session } = order
  return yield* completeCommand(options, variablesOf(environment), {
    args: [
      ...(yield* argsWithModel(agent, order, claudeModelFlags)),
      ...(order.reads === undefined || !namesClaude(agent) ? [] : [`--settings=${mayRead(order.reads)}`]),
      session._tag === "Resume" ? resumed : fresh,
      session.sessionId,
      ...(order.print ? ["-p"] : []),
      "--permission-mode",
      order.heldTo === undefined ? order.permission : modesHeldTo[order.heldTo],
      ...(order.form !== undefined && order.print && claudeTakesForm(agent) ? [schemaFlag, order.form.schema] : []),
      ...(order.prompt === "" || asInput(order) ? [] : ["--", order.prompt])
    ],
    ...(asInput(order) ? { input: order.prompt } : {}),
    ...(order.print ? {} : { window: true })
  })
})
