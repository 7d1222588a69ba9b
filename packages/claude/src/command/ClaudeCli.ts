import { AgentNotFound, type AgentOrder, type AgentProgram } from "@souffleur/domain"
import { type AgentOptions, splitFlag } from "@souffleur/process"
import { argsWithModel, completeCommand, type ModelFlags } from "@souffleur/session"
import { Effect } from "effect"
import { isSessionId } from "../session/SessionId.ts"
import { variablesOf } from "./ClaudeEnvironment.ts"
import { isClaude } from "./CommandFront.ts"

/**
 * Makes the one rule that lets a successor read its export, which is outside its project. Without the rule a print-mode
 * agent is refused, and another agent waits for a person (tried). A rule is a pattern in the style of gitignore; an
 * absolute path has one more slash.
 */
const mayRead = (file: string): string =>
  JSON.stringify({ permissions: { allow: [`Read(/${file.replaceAll(/[\\*?[\]!#()]/gu, String.raw`\$&`)})`] } })

/** Only Claude Code knows that flag. */
const namesClaude = ({ args, program }: AgentProgram): boolean => [program, ...args].some(isClaude)

const formFlag = "--json-schema"
/** Returns whether a launch may give its answer a form: the program knows that flag, and its user gives it none. */
export const takesForm = (agent: AgentProgram): boolean =>
  namesClaude(agent) && !agent.args.some((word) => splitFlag(word)[0] === formFlag)

/** The modes below every permission, in the words of `--permission-mode`. */
const modesHeldTo = { plan: "plan", asks: "default" } as const

/** It passes over an effort that it does not know. */
const modelFlags: ModelFlags = {
  model: ["--model"],
  effort: { words: (effort) => ["--effort", effort], levels: ["low", "medium", "high", "xhigh", "max"] }
}

/** Prompt that makes a session compact. */
export const compactPrompt = "/compact"

/**
 * Returns whether the prompt goes to standard input, where an agent in print mode reads it if no argument is a prompt.
 * In any other mode standard input belongs to a person. `/compact` stays an argument: it says nothing of the
 * conversation, and processes are recognised by it.
 */
const asInput = ({ print, prompt }: AgentOrder): boolean => print && prompt !== "" && prompt !== compactPrompt

/**
 * Builds `<agent command> [--resume ID | --session-id ID] [-p] --permission-mode <effective> -- <prompt>` (spec:
 * behaviour#launch). Without the `--` a prompt that begins with a dash would be read as a flag. Headless, the prompt is
 * on standard input and not an argument. A launch from an export begins with `--settings=…`, which allows reading that
 * one file and nothing else.
 * Fails with `AgentNotFound` when there is no such program, or the session id cannot be in a command line.
 */
export const claudeCommand = Effect.fn("claudeCommand")(function* (options: AgentOptions, order: AgentOrder) {
  const { agentCommand: agent, environment } = options
  const { session } = order
  if (!isSessionId(session.sessionId)) {
    return yield* new AgentNotFound({
      program: agent.program,
      problem: "the session id cannot be one, so it is not put in a command line"
    })
  }
  return yield* completeCommand(options, variablesOf(environment), {
    args: [
      ...(yield* argsWithModel(agent, order, modelFlags)),
      ...(order.reads === undefined || !namesClaude(agent) ? [] : [`--settings=${mayRead(order.reads)}`]),
      session._tag === "Resume" ? "--resume" : "--session-id",
      session.sessionId,
      ...(order.print ? ["-p"] : []),
      "--permission-mode",
      order.heldTo === undefined ? order.permission : modesHeldTo[order.heldTo],
      ...(order.form !== undefined && order.print && takesForm(agent) ? [formFlag, order.form.schema] : []),
      ...(order.prompt === "" || asInput(order) ? [] : ["--", order.prompt])
    ],
    ...(asInput(order) ? { input: order.prompt } : {}),
    ...(order.print ? {} : { window: true })
  })
})
