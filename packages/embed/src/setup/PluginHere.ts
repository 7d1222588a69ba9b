import type { ResolvedSettings } from "@souffleur/domain"
import type { AgentPackage, AgentPlugin } from "@souffleur/process"
import { Effect } from "effect"
import { agentDirOf } from "../world/AgentLayers.ts"
import { agentsOf } from "./InstalledAgents.ts"

/** An agent that souffleur has a plugin for. */
interface PluggedAgent extends AgentPackage {
  readonly plugin: AgentPlugin
}
const hasPlugin = (kind: AgentPackage): kind is PluggedAgent => kind.plugin !== undefined

/** Lists the plugins for the agents that an agent package joins, each with the folder that it belongs into. */
export const pluginsHere = Effect.fn("pluginsHere")(function* (agent: AgentPackage, settings: ResolvedSettings) {
  return yield* Effect.forEach(agentsOf(agent).filter(hasPlugin), (kind) =>
    Effect.map(agentDirOf(kind, settings), (agentDir) => ({ title: kind.title, plugin: kind.plugin, agentDir }))
  )
})
