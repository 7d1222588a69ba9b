import { hasHooks, type HookedAgent } from "@souffleur/embed/internal"
import type { AgentPackage, HooksStatus } from "@souffleur/process"
import { Effect } from "effect"
import { BadUsage } from "../Failure.ts"
import { agentKinds } from "./Kind.ts"

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

/** Returns the agent whose hooks a settings file has. The first agent's hooks name none. */
export const agentHooked = ({ programs }: Pick<HooksStatus, "programs">): HookedAgent =>
  hookedAgents.find(({ program }) => program === programs[0]?.agent) ?? hookedAgents[0]!

/** Returns what to type to install the hooks of an agent. `words` are the flags of another place than the usual one. */
export const hooksTyped = ({ program }: AgentPackage, ...words: ReadonlyArray<string>): string =>
  ["souffleur hooks install", ...(program === agentKinds[0].program ? [] : ["--agent", program]), ...words].join(" ")
