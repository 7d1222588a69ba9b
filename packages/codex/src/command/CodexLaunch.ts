import type { AgentCommand, AgentNotFound, AgentOrder } from "@souffleur/domain"
import { type AgentOptions, resolveProgram } from "@souffleur/process"
import { agentVariables } from "@souffleur/session"
import { Effect, type FileSystem, type Path } from "effect"
import { marks } from "./CodexCommand.ts"
import { asksRecords, ceilingOf, records } from "./CodexFlags.ts"

/**
 * Builds `codex exec <flags> -s <sandbox> [--json] [resume ID] -`, with the prompt on standard input. A resumed session
 * would fall to `read-only` without its sandbox. It takes no window, since no person can type to it.
 * Fails with `AgentNotFound` where there is no such program.
 */
export const codexCommand = Effect.fn("codexCommand")(function* (
  { agentCommand, environment, environmentAllowed = [] }: AgentOptions,
  { permission, prompt, session }: AgentOrder
): Effect.fn.Return<AgentCommand, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const { args, program: name } = agentCommand
  return {
    program: yield* resolveProgram(name, environment["PATH"] ?? ""),
    args: [
      "exec",
      ...args,
      ...ceilingOf(permission),
      ...(asksRecords(args) ? [] : [records]),
      ...(session._tag === "Resume" ? ["resume", session.sessionId] : []),
      "-"
    ],
    input: prompt,
    environment: agentVariables(environment, {
      names: [...environmentAllowed, "CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
      prefixes: ["OPENAI_", "AZURE_OPENAI_"],
      marks
    })
  }
})
