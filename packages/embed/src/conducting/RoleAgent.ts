import {
  Agent,
  type AgentKind,
  clamp,
  kindOf,
  leastPermission,
  lower,
  type Permission,
  type ResolvedSettings
} from "@souffleur/domain"
import type { Plan, RoleAgents } from "@souffleur/plan"
import { Effect, Runtime, Schema } from "effect"
import { agentNamed } from "../watching/HandOver.ts"
import { launchable } from "../world/AgentLayers.ts"

/** The agent of a role cannot do what a run asks of it (exit code 2). Nothing was begun. */
export class RoleUnfit extends Schema.TaggedError<RoleUnfit>()("RoleUnfit", {
  role: Schema.Literals(["implementer", "reviewer", "finisher"]),
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `the ${this.role}: ${this.problem}`
  }
}

/** The agents of a plan, and their permission. */
interface Conducting {
  readonly agents?: RoleAgents | undefined
  readonly permission?: Permission | undefined
}

/** Lists the roles that a plan needs an agent for. `undefined`: it is the configured agent. */
const neededBy = ({ finish }: Pick<Plan, "finish">, { implementer, reviewer }: RoleAgents) =>
  [
    ["implementer", implementer],
    ["reviewer", reviewer],
    ...(finish._tag === "Prompt" ? [["finisher", undefined] as const] : [])
  ] as const

/** Says how an implementer gets the permission with which it can commit. */
const wayTo = (needed: Permission, ceiling: Permission): string =>
  lower(needed, ceiling) === needed
    ? `say --permission ${needed}`
    : `type souffleur setup --permission ${needed}, then say --permission ${needed}`

/**
 * Checks the agent of each role that a plan needs. Fails with `RoleUnfit` for an agent that cannot be launched, or
 * chooses the ids of its sessions. An implementer must be able to commit.
 */
export const checkRoles = Effect.fn("checkRoles")(function* (
  kinds: AgentKind,
  settings: ResolvedSettings,
  plan: Pick<Plan, "finish">,
  { agents = {}, permission = leastPermission }: Conducting
) {
  const configured = yield* Agent
  const ceiling = settings.maxExternalPermission
  for (const [role, program] of neededBy(plan, agents)) {
    const unfit = (problem: string) => new RoleUnfit({ role, problem })
    const agent =
      program === undefined
        ? configured
        : yield* Effect.mapError(agentNamed(configured, program), ({ message }) => unfit(message))
    if (agent.sessionOf !== undefined)
      return yield* unfit(
        `a run gives each of its agents the id of its session, and ${agent.name} takes none: name another agent`
      )
    const { commitSetting, commitsFrom = leastPermission } = kindOf(kinds, agent.name)
    if (role === "implementer" && lower(clamp(permission, ceiling), commitsFrom) !== commitsFrom)
      return yield* unfit(`${commitSetting}: ${wayTo(commitsFrom, ceiling)}`)
    yield* launchable(settings, permission).pipe(
      Effect.provideService(Agent, agent),
      Effect.mapError(({ problem }) => unfit(problem))
    )
  }
})
