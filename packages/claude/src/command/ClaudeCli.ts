import { type AgentCommand, AgentNotFound, type AgentOrder, type AgentProgram, type Variables } from "@souffleur/domain"
import { resolveProgram } from "@souffleur/process"
import { Effect, type FileSystem, type Path } from "effect"
import { isClaude } from "./CommandFront.ts"
import { agentEnvironment } from "./ClaudeEnvironment.ts"
import { isSessionId } from "../session/SessionId.ts"

/**
 * The one rule that lets a successor read its export, which lies outside its project: without it a print-mode agent is
 * refused, and another waits for a person (tried). A rule is a pattern in the style of gitignore, absolute with one
 * slash more.
 */
const mayRead = (file: string): string =>
  JSON.stringify({ permissions: { allow: [`Read(/${file.replaceAll(/[\\*?[\]!#()]/gu, String.raw`\$&`)})`] } })

/** Claude by its name or out of its package, or a program that is told to run it: only it knows that flag. */
const namesClaude = ({ args, program }: AgentProgram): boolean => [program, ...args].some(isClaude)

/** The command of a session that compacts. */
export const compactPrompt = "/compact"

/**
 * In print mode the agent reads its prompt on standard input where no argument is one. A word that says nothing stays
 * where processes are told by it.
 */
const asInput = ({ print, prompt, window = false }: AgentOrder): boolean =>
  print && !window && prompt !== "" && prompt !== compactPrompt

/**
 * `<agent command> [--resume ID | --session-id ID] [-p] --permission-mode <effective> -- <prompt>` (spec:
 * behaviour#launch). Without the `--` a prompt that begins with a dash would be read as a flag. Headless, the prompt is
 * on standard input, and no argument. A launch from an export begins with `--settings=…`, which allows reading that one
 * file and nothing else. Fails with `AgentNotFound` when there is no such program, or the session id cannot stand in a
 * command line.
 */
export const agentCommand = Effect.fn("agentCommand")(function* (
  agent: AgentProgram,
  environment: Variables,
  environmentAllowed: ReadonlyArray<string>,
  order: AgentOrder
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { session } = order
  if (!isSessionId(session.sessionId)) {
    return yield* new AgentNotFound({
      program: agent.program,
      problem: "the session id cannot be one, so it is not put in a command line"
    })
  }
  const program = yield* resolveProgram(agent.program, environment["PATH"] ?? "")
  return {
    program,
    args: [
      ...agent.args,
      ...(order.reads === undefined || !namesClaude(agent) ? [] : [`--settings=${mayRead(order.reads)}`]),
      session._tag === "Resume" ? "--resume" : "--session-id",
      session.sessionId,
      ...(order.print ? ["-p"] : []),
      "--permission-mode",
      order.permission,
      ...(order.prompt === "" || asInput(order) ? [] : ["--", order.prompt])
    ],
    ...(asInput(order) ? { input: order.prompt } : {}),
    environment: agentEnvironment(environment, environmentAllowed)
  }
})
