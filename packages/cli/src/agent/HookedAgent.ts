import { hasHooks, type HookedAgent, hookedAgents } from "@souffleur/embed/internal"
import type { AgentPackage, HooksStatus } from "@souffleur/process"
import { Effect } from "effect"
import { BadUsage } from "../Failure.ts"
import { agentKind } from "./Kind.ts"

/** The agents that have hooks of souffleur. */
export const agentsWithHooks: ReadonlyArray<HookedAgent> = hookedAgents(agentKind)

/** Returns an agent with its hooks. Fails with `BadUsage` for an agent that has none. */
export const hooked = (kind: AgentPackage): Effect.Effect<HookedAgent, BadUsage> =>
  hasHooks(kind)
    ? Effect.succeed(kind)
    : Effect.fail(
        new BadUsage({
          message: `${kind.title} has no hooks of souffleur: --agent takes ${agentsWithHooks.map(({ program }) => program).join(", ")}`
        })
      )

/** Returns the agent whose hooks a settings file has. The first agent's hooks name none. */
export const agentHooked = ({ programs }: Pick<HooksStatus, "programs">): HookedAgent =>
  agentsWithHooks.find(({ program }) => program === programs[0]?.agent) ?? agentsWithHooks[0]!
