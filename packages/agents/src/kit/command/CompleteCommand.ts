import type { AgentCommand } from "@souffleur/domain"
import { type AgentOptions, resolveProgram } from "@souffleur/process"
import { Effect } from "effect"
import { agentVariables } from "./AgentVariables.ts"

/** The settings of an agent for a launch. */
export interface LaunchOptions extends AgentOptions {
  /** The words that lead to the agent's program, such as `nice`. Absent: there are none. */
  readonly front?: ReadonlyArray<string>
}

/**
 * Completes a launch: finds the agent's program, and adds the variables that the agent may see. `names` and `prefixes`
 * are its own ones, and `marks` are never handed on. Fails with `AgentNotFound` where there is no such program.
 */
export const completeCommand = Effect.fnUntraced(function* (
  { agentCommand, environment, environmentAllowed = [], front = [] }: LaunchOptions,
  own: {
    readonly names?: ReadonlyArray<string>
    readonly prefixes: ReadonlyArray<string>
    readonly marks: ReadonlySet<string>
  },
  launch: Omit<AgentCommand, "environment" | "program"> & Partial<Pick<AgentCommand, "environment">>
) {
  const { names = [], ...rest } = own
  const [first = agentCommand.program, ...leading] = [...front, agentCommand.program]
  return {
    ...launch,
    program: yield* resolveProgram(first, environment["PATH"] ?? ""),
    args: [...leading, ...launch.args],
    environment: {
      ...agentVariables(environment, { names: [...environmentAllowed, ...names], ...rest }),
      ...launch.environment
    }
  } satisfies AgentCommand
})
