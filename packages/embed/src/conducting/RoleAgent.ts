import {
  Agent,
  type AgentCommand,
  type AgentKind,
  clamp,
  type EffectivePermission,
  kindOf,
  leastPermission,
  lower,
  type Permission,
  type ResolvedSettings
} from "@souffleur/domain"
import {
  type Assignment,
  type Plan,
  type RoleAgents,
  type RoleChoice,
  roleChoice,
  type Run,
  taskOf
} from "@souffleur/plan"
import { Effect, Runtime, Schema } from "effect"
import { agentNamed } from "../watching/HandOver.ts"
import { launchable } from "../world/AgentLayers.ts"

/** The agent of a role cannot do what a run asks of it (exit code 2). Nothing was begun. */
export class RoleUnfit extends Schema.TaggedError<RoleUnfit>()("RoleUnfit", {
  role: Schema.Literals(["implementer", "reviewer", "finisher"]),
  problem: Schema.String,
  /** True if the plan chooses something for that role. Absent: a person or the settings chose its agent. */
  planned: Schema.optionalKey(Schema.Boolean)
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
  /** The run to resume. Absent for a new one. */
  readonly run?: Run | undefined
}

/** The part of a plan that says which agents it needs. */
type Cast = Pick<Plan, "agents" | "finish" | "tasks">

/** Lists the roles that are still to launch an agent. */
const neededBy = ({ finish, tasks }: Cast, run?: Run): ReadonlyArray<Assignment["role"]> => {
  const isOpen = run === undefined || tasks.some(({ id }) => taskOf(run, id)?.status !== "completed")
  const isUnfinished = isOpen || run.finishing === "not begun"
  return [
    ...(isOpen ? (["implementer", "reviewer"] as const) : []),
    ...((finish._tag === "Prompt" || finish._tag === "Skill") && isUnfinished ? (["finisher"] as const) : [])
  ]
}

/** Says how an implementer gets the permission with which it can commit, where it was asked for this one. */
const wayTo = (needed: Permission, asked: Permission, ceiling: Permission): string =>
  [
    ...(lower(needed, ceiling) === needed ? [] : [`set MAX_EXTERNAL_PERMISSION=${needed}`]),
    ...(lower(needed, asked) === needed ? [] : [`conduct with permission ${needed}`])
  ].join(", then ")

/** An agent that a plan is to launch. */
export interface CastAgent {
  readonly role: Assignment["role"]
  readonly agent: string
  /** Its models, from the first on. Empty: its own. */
  readonly models: RoleChoice["models"]
  /** Absent: its own. */
  readonly effort?: string
  /** It is asked while the service refuses the agent of its role. Absent: it is that agent. */
  readonly fallback?: true
  readonly permission: EffectivePermission
  /** The flag that holds it to reading, such as `-s read-only`; `null`: its permission alone holds it. */
  readonly heldBy: string | null
  /** Its program, arguments and environment, but for its prompt. */
  readonly command: AgentCommand
}

/** Returns the flag whose word differs from another command line; `null`: none does. */
const flagBeyond = ({ args }: AgentCommand, other: AgentCommand): string | null => {
  const at = args.findIndex((word, n) => word !== other.args[n])
  return at === -1 ? null : args.slice(Math.max(0, at - 1), at + 1).join(" ")
}

/** Returns the agent of a role, and the fallback where there is one. */
const choicesOf = ({
  fallback,
  ...choice
}: RoleChoice): ReadonlyArray<Omit<RoleChoice, "fallback"> & Pick<CastAgent, "fallback">> => {
  if (fallback === undefined) return [choice]
  return [
    choice,
    { agent: fallback.agent, models: fallback.model === undefined ? [] : [fallback.model], fallback: true }
  ]
}

/** Returns the agents and the permission of a run. A person's word outranks what the run had last. */
export const chosenFor = ({ agents = {}, permission }: Omit<Conducting, "run">, run?: Run) => ({
  agents: {
    implementer: agents.implementer ?? run?.chosen?.implementer ?? undefined,
    reviewer: agents.reviewer ?? run?.chosen?.reviewer ?? undefined
  },
  permission: permission ?? run?.chosen?.permission ?? leastPermission
})

/**
 * Returns the agent of each role that a plan still needs. Fails with `RoleUnfit` for an agent that cannot be launched.
 * An implementer must be able to commit.
 */
export const castRoles = Effect.fn("castRoles")(function* (
  kinds: AgentKind,
  settings: ResolvedSettings,
  plan: Cast,
  { run, ...said }: Conducting
) {
  const { agents, permission } = chosenFor(said, run)
  const cast: Array<CastAgent> = []
  const configured = yield* Agent
  const ceiling = settings.maxExternalPermission
  const needed = neededBy(plan, run).flatMap((role) =>
    choicesOf(roleChoice(agents, plan.agents, role)).map((one) => ({ role, ...one }))
  )
  for (const { agent: program, effort, fallback, models, role } of needed) {
    const isSaid = fallback !== true && role !== "finisher" && agents[role] !== undefined
    const planned = plan.agents?.[role] !== undefined && !isSaid
    const unfit = (problem: string) =>
      new RoleUnfit({
        role,
        problem: fallback === true ? `its fallback: ${problem}` : problem,
        ...(planned ? { planned } : {})
      })
    const [model] = models
    const choice = { ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) }
    const agent =
      program === undefined
        ? configured
        : yield* Effect.mapError(agentNamed(configured, program), ({ message }) => unfit(message))
    const { commitSetting, commitsFrom = leastPermission, skillPrompt, title } = kindOf(kinds, agent.name)
    if (role === "finisher" && plan.finish._tag === "Skill" && skillPrompt === undefined)
      return yield* unfit(
        `no prompt of ${title} runs a skill: name what is to be done by finish: {prompt: …}, or another agent`
      )
    if (role === "implementer" && lower(clamp(permission, ceiling), commitsFrom) !== commitsFrom)
      return yield* unfit(`${commitSetting}: ${wayTo(commitsFrom, permission, ceiling)}`)
    const lineOf = (looks: boolean) =>
      launchable(settings, permission, { looks, choice }).pipe(
        Effect.provideService(Agent, agent),
        Effect.mapError(({ problem }) => unfit(problem))
      )
    const command = yield* lineOf(role === "reviewer")
    const heldBy = flagBeyond(command, yield* lineOf(false))
    cast.push({
      role,
      agent: agent.name,
      models,
      ...(effort === undefined ? {} : { effort }),
      ...(fallback === true ? { fallback } : {}),
      permission: clamp(permission, ceiling),
      heldBy,
      command
    })
  }
  return cast
})
