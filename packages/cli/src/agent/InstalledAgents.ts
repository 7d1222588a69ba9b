import { clamp, type Permission, plain, type ResolvedSettings } from "@souffleur/domain"
import { type AgentPackage, resolveProgram } from "@souffleur/process"
import { Effect, Option, Result } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { agentKind, agentKinds } from "./Kind.ts"

/** UTF-16 units of a program's path in a line for a person. */
const maxLength = 200

/** Returns the agents whose program is in PATH. */
export const installedAgents = Effect.gen(function* () {
  const { variables } = yield* Environment
  return yield* Effect.filter(agentKinds, ({ program }) =>
    Effect.isSuccess(resolveProgram(program, variables["PATH"] ?? ""))
  )
})

/** Returns the agent of a program; the first where no agent has it. */
export const agentOfProgram = (program: string): AgentPackage =>
  agentKinds.find(({ owns }) => owns([program])) ?? agentKinds[0]

/** Returns the command that runs an agent with a prompt, as a person types it. */
export const typedWith = (program: string, prompt: string): string =>
  ["souffleur run --", plain(program, maxLength), ...agentOfProgram(program).typed, prompt].join(" ")

/**
 * Returns what a person types to begin with an agent. An agent may run with the highest permission alone. Below that a
 * setup comes first.
 */
export const firstTyped = (program: string, ceiling: Permission): string => {
  const { takeApart, typed } = agentOfProgram(program)
  const isRefused = Result.match(takeApart([program, ...typed, "do it"], { program, args: [] }), {
    onSuccess: Option.exists(({ requested }) => clamp(requested, ceiling) !== requested),
    onFailure: () => false
  })
  return isRefused ? "souffleur setup --permission bypassPermissions" : typedWith(program, '"do it"')
}

/** Returns the program of the configured agent. An unusable `AGENT_COMMAND` is told where an agent is launched. */
export const agentProgram = ({ agentCommand }: ResolvedSettings): string =>
  Result.match(agentKind.parseCommand(agentCommand), {
    onSuccess: ({ program }) => program,
    onFailure: () => agentKind.program
  })

/**
 * Returns the program of the agent to begin with: the configured one. Where that is the default, and is not installed,
 * it is the first agent that is.
 */
export const usualProgram = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const installed = yield* installedAgents
  return settings.agentCommand === agentKind.program && !installed.some(({ program }) => program === agentKind.program)
    ? (installed[0]?.program ?? agentKind.program)
    : agentProgram(settings)
})
