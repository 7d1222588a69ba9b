import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import type { Task } from "../run/Run.ts"
import { baselineGate } from "../tasks/PlanGates.ts"
import { GatePort, loggedProgram } from "./GatePort.ts"

/** Has the gates judge the commit that the first agent begins from. */
export const judgeBaseline = Effect.fn("judgeBaseline")(function* () {
  const { git, plan, ref } = yield* PlanContext
  const head = yield* git.head
  const gate = baselineGate(plan)
  const refused = head === null || gate === undefined ? null : yield* (yield* GatePort).judge({ gate, head, ref })
  return yield* ref.dispatch({ _tag: "ReportBaseline", head, refused })
})

/** Has the gate of a task judge its work, or counts that again where HEAD has moved since the implementer ended. */
export const judgeWork = Effect.fn("judgeWork")(function* (task: Task, implemented: string) {
  const { git, plan, ref } = yield* PlanContext
  const head = yield* git.head
  if (head !== implemented)
    return yield* ref.dispatch({ _tag: "Recount", taskId: task.id, head, ...(yield* git.since(task.base)) })
  const gate = plan.tasks.find(({ id }) => id === task.id)?.gate
  const refused = gate === undefined ? null : yield* (yield* GatePort).judge({ gate, head, ref })
  const programs = gate === undefined ? [] : [...gate.setup, ...gate.verify].map(loggedProgram)
  return yield* ref.dispatch({ _tag: "ReportGate", taskId: task.id, head, refused, programs })
})
