import { Schema } from "effect"
import type { Run } from "../run/Run.ts"
import type { AgentRole, Fallback, PlanAgents, RoleChoice } from "../run/RunFields.ts"

/** The roles of agents, in the order in which they are told. */
export const roles = ["implementer", "reviewer", "finisher"] as const

/** Each becomes a word of a command line, behind a flag. */
const word = (pattern: RegExp, message: string) => Schema.String.check(Schema.isPattern(pattern, { message }))
const Program = word(/^[a-z][a-z0-9-]{0,31}$/u, "must be the name of an agent, such as pi")
const Effort = word(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/u, "must be an effort, such as high")
const Model = word(
  /^[A-Za-z0-9][A-Za-z0-9._:/@~+[\]-]{0,127}$/u,
  "must be the name of a model, of at most 128 letters, digits and marks ._:/@~+[]-"
)
const Models = Schema.NonEmptyArray(Model).check(Schema.isMaxLength(8))

const role = <Named extends Schema.Top>(model: Named) =>
  Schema.Struct({
    agent: Schema.optional(Program),
    model: Schema.optional(model),
    effort: Schema.optional(Effort)
  })
const FallbackSource = Schema.Struct({ agent: Program, model: Schema.optional(Model) })
const fallback = { fallback: Schema.optional(FallbackSource) }

/** The agents of a plan, as its file has them. An implementer may have several models, the next for each rung. */
export const AgentsSource = Schema.Struct({
  implementer: Schema.optional(Schema.Struct({ ...role(Schema.Union([Model, Models])).fields, ...fallback })),
  reviewer: Schema.optional(Schema.Struct({ ...role(Model).fields, ...fallback })),
  finisher: Schema.optional(role(Model))
})
type AgentsSource = typeof AgentsSource.Type

/** Returns the keys that a place of such a source may have. */
export const agentKeysAt = ([name, ...rest]: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  if (name === undefined) return roles
  if (rest.length > 0) return Object.keys(FallbackSource.fields)
  return Object.keys({ ...role(Model).fields, ...(name === "finisher" ? {} : fallback) })
}

/** Returns the roles whose fallback is the very agent that the service refuses. */
export const rolesBehindThemselves = (source: AgentsSource = {}): ReadonlyArray<"implementer" | "reviewer"> =>
  (["implementer", "reviewer"] as const).filter((name) => {
    const { agent, fallback: other, model = [] } = source[name] ?? {}
    return other !== undefined && other.agent === agent && [model].flat().join() === (other.model ?? "")
  })

/** Returns the agents that a plan chooses, as a part of it; empty: none. */
export const chosenAgents = (source: AgentsSource | undefined): { readonly agents?: PlanAgents } => {
  const chosen = roles.flatMap((name) => {
    const { agent, effort, model = [], ...more } = source?.[name] ?? {}
    const models = typeof model === "string" ? [model] : model
    const other = "fallback" in more ? more.fallback : undefined
    const choice = {
      ...(agent === undefined ? {} : { agent }),
      models,
      ...(effort === undefined ? {} : { effort }),
      ...(other === undefined
        ? {}
        : { fallback: { agent: other.agent, ...(other.model === undefined ? {} : { model: other.model }) } })
    } satisfies RoleChoice
    return Object.keys(choice).length === 1 && models.length === 0 ? [] : [[name, choice] as const]
  })
  return chosen.length === 0 ? {} : { agents: Object.fromEntries(chosen) as PlanAgents }
}

/** The models and the effort of an agent. */
interface ModelWords {
  readonly models: ReadonlyArray<string>
  readonly effort?: string | null
  readonly fallback?: Fallback | null
}

/** Says with which model and effort an agent works, and which one is asked in its place; empty: with its own. */
export const modelInWords = ({ effort, fallback, models }: ModelWords): string => {
  const [first, ...others] = models
  const said = [
    ...(first === undefined ? [] : [[first, ...others.map((model) => `then ${model}`)].join(", ")]),
    ...(typeof effort === "string" ? [`effort ${effort}`] : []),
    ...(fallback == null
      ? []
      : [`fallback ${fallback.agent}${fallback.model === undefined ? "" : ` with ${fallback.model}`}`])
  ]
  return said.length === 0 ? "" : ` (${said.join("; ")})`
}

const choiceInWords = (choice: RoleChoice | undefined): string =>
  choice === undefined ? "as configured" : `${choice.agent ?? "the configured agent"}${modelInWords(choice)}`

/** Says each role for which a plan chooses another agent than before, with both. Empty: they choose the same. */
export const otherAgents = (before: PlanAgents = {}, after: PlanAgents = {}): ReadonlyArray<string> =>
  roles.flatMap((name) => {
    const [was, is] = [choiceInWords(before[name]), choiceInWords(after[name])]
    return was === is ? [] : [`another ${name}: ${is}, not ${was}`]
  })

/** The agents of roles that a person chose, by the names of their programs. */
interface PersonsAgents {
  readonly implementer?: string | null | undefined
  readonly reviewer?: string | null | undefined
}

/**
 * Returns the agent of a role, with its models and its effort. A person's agent outranks that of the plan, and then the
 * plan's models are another agent's. Without any it is the configured agent.
 */
export const roleChoice = (said: PersonsAgents | null, plan: PlanAgents | undefined, name: AgentRole): RoleChoice => {
  const choice = plan?.[name] ?? { models: [] }
  const agent = (name === "finisher" ? undefined : said?.[name]) ?? choice.agent
  if (agent === undefined) return choice
  if (choice.agent !== undefined && choice.agent !== agent) return { agent, models: [] }
  const { fallback: other, ...rest } = choice
  // A person may name the fallback itself.
  const isOwn = other?.agent === agent && choice.models.join() === (other.model ?? "")
  return { ...rest, agent, ...(other === undefined || isOwn ? {} : { fallback: other }) }
}

/** Returns the roles of a run for which a person or the plan chose an agent, a model or an effort. */
export const chosenRoles = ({ agreed, chosen }: Pick<Run, "agreed" | "chosen">) =>
  roles.flatMap((name) => {
    const { agent = null, effort = null, fallback = null, models } = roleChoice(chosen, agreed.agents, name)
    return agent === null && effort === null && fallback === null && models.length === 0
      ? []
      : [{ role: name, agent, models, effort, fallback }]
  })
