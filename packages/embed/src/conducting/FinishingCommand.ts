import { isSecretVariable, type Variables } from "@souffleur/domain"
import { type LoadedPlan, PlanInvalid } from "@souffleur/plan"
import { resolveProgram } from "@souffleur/process"
import { Effect } from "effect"

/** Returns the variables of a plan's own programs: the caller's, but for secrets. */
export const environmentOf = (variables: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) =>
      value === undefined || isSecretVariable(key) ? [] : [[key, value]]
    )
  )

/**
 * Returns the finishing command of a plan, with these variables but for secrets. A relative program is looked for in
 * the project, where it runs. `null`: the plan has none. Fails with `PlanInvalid` where its program is missing.
 */
export const finishingOf = Effect.fn("finishingOf")(function* (
  { path, plan: { finish } }: LoadedPlan,
  { project, variables }: { readonly project: string; readonly variables: Variables }
) {
  if (finish._tag !== "Command") return null
  const [name, ...args] = finish.command
  const environment = environmentOf(variables)
  const program = yield* resolveProgram(name, variables["PATH"] ?? "", project).pipe(
    Effect.catchTag(
      "AgentNotFound",
      ({ problem }) => new PlanInvalid({ path, problems: [`finish.command: ${problem}`] })
    )
  )
  return { program, args, environment }
})
