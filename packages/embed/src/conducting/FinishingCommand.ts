import { isSecret } from "@souffleur/domain"
import { type LoadedPlan, PlanInvalid } from "@souffleur/plan"
import { resolveProgram } from "@souffleur/process"
import { Effect } from "effect"
import { Installation } from "../world/Installation.ts"

/**
 * Returns the finishing command of a plan, with souffleur's own environment but for secrets. `null`: the plan has none.
 * Fails with `PlanInvalid` where its program is missing.
 */
export const finishingOf = Effect.fn("finishingOf")(function* ({ path, plan: { finish } }: LoadedPlan) {
  if (finish._tag !== "Command") return null
  const { variables } = yield* Installation
  const [name, ...args] = finish.command
  const environment = Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) => (value === undefined || isSecret(key) ? [] : [[key, value]]))
  )
  const program = yield* resolveProgram(name, variables["PATH"] ?? "").pipe(
    Effect.catchTag(
      "AgentNotFound",
      ({ problem }) => new PlanInvalid({ path, problems: [`finish.command: ${problem}`] })
    )
  )
  return { program, args, environment }
})
