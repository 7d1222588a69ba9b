import type { ResolvedSettings } from "@souffleur/domain"
import { agentFolder, type AgentHooks, type AgentPackage, type HooksStatus } from "@souffleur/process"
import { Effect, Path } from "effect"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { agentKinds } from "./Kind.ts"

/** An agent that has hooks of souffleur. */
export interface HookedAgent extends AgentPackage {
  readonly hooks: AgentHooks
}

const hasHooks = (kind: AgentPackage): kind is HookedAgent => kind.hooks !== undefined

/** The agents that have hooks of souffleur. */
export const hookedAgents: ReadonlyArray<HookedAgent> = agentKinds.filter(hasHooks)

/** Returns an agent with its hooks. Fails with `BadUsage` for an agent that has none. */
export const hooked = (kind: AgentPackage): Effect.Effect<HookedAgent, BadUsage> =>
  hasHooks(kind)
    ? Effect.succeed(kind)
    : Effect.fail(
        new BadUsage({
          message: `${kind.title} has no hooks of souffleur: --agent takes ${hookedAgents.map(({ program }) => program).join(", ")}`
        })
      )

/** Where an agent's hooks can be. */
export type HookPlace = "project" | "user"

/** Returns the settings files that an agent's hooks can be in, those of projects first. */
export const hookPlaces = Effect.fn("hookPlaces")(function* (
  kind: HookedAgent,
  { agentDir }: ResolvedSettings,
  ...projects: ReadonlyArray<string>
) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const { ofProject, ofUser } = kind.hooks
  // The first agent's folder is a setting.
  const folder = kind.program === agentKinds[0].program ? agentDir : yield* agentFolder(kind, variables)
  const own = ofProject === undefined ? [] : projects.map((project) => path.join(project, ...ofProject))
  return [
    ...own.map((file) => ({ place: "project" as const, file })),
    { place: "user" as const, file: path.join(folder, ...ofUser) }
  ]
})

/** Returns the agent whose hooks a settings file has. The first agent's hooks name none. */
export const agentHooked = ({ programs }: Pick<HooksStatus, "programs">): HookedAgent =>
  hookedAgents.find(({ program }) => program === programs[0]?.agent) ?? hookedAgents[0]!

/** Returns what to type to install the hooks of an agent. */
export const hooksTyped = ({ program }: AgentPackage): string =>
  program === agentKinds[0].program ? "souffleur hooks install" : `souffleur hooks install --agent ${program}`
