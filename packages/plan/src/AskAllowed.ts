import { quietUntilNow, Settings } from "@souffleur/domain"
import { Clock, Effect } from "effect"
import { askAgent } from "./agent/Assignment.ts"
import { ceilingReached, isDeadlineOver } from "./decide/RunAllowance.ts"
import { PlanContext } from "./PlanContext.ts"
import type { Run } from "./run/Run.ts"
import type { AgentRole } from "./run/RunFields.ts"

/** Returns the pause of a run that has used what it may; `undefined`: it goes on. */
export const atCeiling = Effect.fnUntraced(function* (run: Run) {
  const message = ceilingReached(run, yield* Settings, yield* Clock.currentTimeMillis)
  return message === undefined ? undefined : ({ _tag: "Pause", reason: "ceiling", files: [], message } as const)
})

/** Returns the pause in place of a further task; `undefined`: it may begin. */
export const beforeTask = Effect.fnUntraced(function* (run: Run) {
  return isDeadlineOver(run, yield* Clock.currentTimeMillis)
    ? ({ _tag: "Pause", reason: "deadline", files: [], message: "" } as const)
    : yield* atCeiling(run)
})

/**
 * Asks for an agent, unless the run has used what it may, or the hours are quiet (spec: behaviour#allowance-of-a-run).
 */
export const askAllowed = Effect.fn("askAllowed")(function* (run: Run, role: AgentRole, taskId?: string) {
  const { ref } = yield* PlanContext
  const spent = yield* atCeiling(run)
  if (spent !== undefined) return yield* ref.dispatch(spent)
  const until = yield* quietUntilNow((yield* Settings).quietHours)
  return until === null || until <= run.awakeUntil
    ? yield* askAgent(role, taskId)
    : yield* ref.dispatch({ _tag: "KeepQuiet", until })
})
