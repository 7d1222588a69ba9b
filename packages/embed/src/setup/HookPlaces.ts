import type { ResolvedSettings } from "@souffleur/domain"
import type { AgentHooks, AgentPackage } from "@souffleur/process"
import { Effect, Path } from "effect"
import { agentDirOf } from "../world/AgentLayers.ts"

/** An agent that has hooks of souffleur. */
export interface HookedAgent extends AgentPackage {
  readonly hooks: AgentHooks
}

/** Returns whether an agent can have hooks of souffleur. */
export const hasHooks = (kind: AgentPackage): kind is HookedAgent => kind.hooks !== undefined

/** Where an agent's hooks can be. */
export type HookPlace = "project" | "user"

/** Returns the settings files that an agent's hooks can be in, projects first. */
export const hookPlaces = Effect.fn("hookPlaces")(function* (
  kind: HookedAgent,
  settings: ResolvedSettings,
  ...projects: ReadonlyArray<string>
) {
  const path = yield* Path.Path
  const { ofProject, ofUser } = kind.hooks
  const own = ofProject === undefined ? [] : projects.map((project) => path.join(project, ...ofProject))
  return [
    ...own.map((file) => ({ place: "project" as const, file })),
    { place: "user" as const, file: path.join(yield* agentDirOf(kind, settings), ...ofUser) }
  ]
})
