import type { AgentPackage } from "@souffleur/process"
import { hasHooks, type HookedAgent } from "./HookPlaces.ts"
import { agentsOf } from "./InstalledAgents.ts"

/** Lists the agents that have hooks of souffleur. */
export const hookedAgents = (agent: AgentPackage): ReadonlyArray<HookedAgent> => agentsOf(agent).filter(hasHooks)

/**
 * Returns what to type to install the hooks of an agent. `first`: the agent that no flag names. `words`: the flags of
 * another place than the usual one.
 */
export const hooksTyped = (first: AgentPackage, { program }: AgentPackage, ...words: ReadonlyArray<string>): string =>
  ["souffleur hooks install", ...(program === first.program ? [] : ["--agent", program]), ...words].join(" ")
