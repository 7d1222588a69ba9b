import type { Task } from "../run/Run.ts"
import type { AgentAsked, AgentRole, RoleChoice } from "../run/RunEvent.ts"

type Chosen = Pick<typeof AgentAsked.Type, "agent" | "choice" | "insteadOf">

/**
 * Returns the agent, the model and the effort with which a session begins. An implementer has the next of its models
 * for each fresh one after a second rejection, until the last (spec: behaviour#agents-of-a-plan).
 */
export const freshChoice = (
  { agent, effort, models }: RoleChoice = { models: [] },
  task?: Task,
  role?: AgentRole
): Chosen => {
  const { choices, climbed } = role === "implementer" && task !== undefined ? task : { choices: undefined, climbed: 0 }
  const model = models.at(Math.min(climbed, models.length - 1))
  const before = climbed === 0 ? undefined : choices?.implementer.model
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined && effort === undefined
      ? {}
      : { choice: { ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) } }),
    ...(before === undefined || model === undefined || model === before ? {} : { insteadOf: before })
  }
}

/** Returns the model and the effort with which the newest session of a role goes on, by the agent that began it. */
export const keptChoice = ({ choices }: Task, role: "implementer" | "reviewer"): Chosen => {
  const choice = choices[role]
  return choice.model === undefined && choice.effort === undefined ? {} : { choice }
}
