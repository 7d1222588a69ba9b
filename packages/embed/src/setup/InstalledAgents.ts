import { plain, type ResolvedSettings } from "@souffleur/domain"
import { type AgentPackage, resolveProgram } from "@souffleur/process"
import { Effect, Result } from "effect"
import { Installation } from "../world/Installation.ts"

/** UTF-16 units of a program's path in a line for a person. */
const maxLength = 200

/** Lists the agents that an agent package joins, the first one first. */
export const agentsOf = (agent: AgentPackage): ReadonlyArray<AgentPackage> => agent.all ?? [agent]

/** Returns the agent of a program; the first where no agent has it. */
export const agentOfProgram = (agent: AgentPackage, program: string): AgentPackage => agent.kindOf?.(program) ?? agent

const isInstalled = Effect.fnUntraced(function* ({ program }: AgentPackage) {
  const { variables } = yield* Installation
  return yield* Effect.isSuccess(resolveProgram(program, variables["PATH"] ?? ""))
})

/** Returns the agents whose program is in PATH. */
export const installedAgents = Effect.flatMap(Installation, ({ agent }) =>
  Effect.filter(agentsOf(agent), isInstalled, { concurrency: "unbounded" })
)

/** Returns the command that runs an agent with a prompt, as a person types it. */
export const typedWith = ({ typed }: AgentPackage, program: string, prompt: string): string =>
  ["souffleur run --", plain(program, maxLength), ...typed, prompt].join(" ")

/** Returns the program of the configured agent. An unusable `AGENT_COMMAND` is told where an agent is launched. */
export const agentProgram = (agent: AgentPackage, { agentCommand }: ResolvedSettings): string =>
  Result.match(agent.parseCommand(agentCommand), {
    onSuccess: ({ program }) => program,
    onFailure: () => agent.program
  })

/**
 * Returns the program of the agent to begin with: the configured one. Where that is the default, and is not installed,
 * it is the first agent that is.
 */
export const usualProgram = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const { agent } = yield* Installation
  if (settings.agentCommand !== agent.program || (yield* isInstalled(agent))) return agentProgram(agent, settings)
  return (yield* installedAgents)[0]?.program ?? agent.program
})
