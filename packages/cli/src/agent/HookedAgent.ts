import { type HookedAgent, hookedAgents } from "@souffleur/embed/internal"
import type { HooksStatus } from "@souffleur/process"
import { agentKind } from "./Kind.ts"

/** The agents that have hooks of souffleur. */
export const agentsWithHooks: ReadonlyArray<HookedAgent> = hookedAgents(agentKind)

/** Returns the agent whose hooks a settings file has. The first agent's hooks name none. */
export const agentHooked = ({ programs }: Pick<HooksStatus, "programs">): HookedAgent =>
  agentsWithHooks.find(({ program }) => program === programs[0]?.agent) ?? agentsWithHooks[0]!
