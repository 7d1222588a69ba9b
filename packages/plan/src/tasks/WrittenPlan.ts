import { Effect } from "effect"
import type { Plan } from "./Plan.ts"

/** Returns a plan as YAML that is read as the same plan. */
export const planText = Effect.fn("planText")(function* (plan: Plan) {
  const { writePlan } = yield* Effect.promise(() => import("../formats/WritePlan.ts"))
  return writePlan(plan)
})
