import { Clock, Effect, Option } from "effect"
import { isLeft } from "./agent/AgentEnd.ts"
import { atCeiling } from "./AskAllowed.ts"
import { isDeadlineOver } from "./decide/RunAllowance.ts"
import { dueSteps, stepIn } from "./decide/RunStep.ts"
import { branchProblem } from "./git/BeginBranch.ts"
import { astray, obstacle } from "./git/Obstacle.ts"
import { PlanContext } from "./PlanContext.ts"
import type { Assignment, Run } from "./run/Run.ts"
import { writeState } from "./state/StateStore.ts"
import { roomFor } from "./tree/BeginTree.ts"
import { whereDue } from "./tree/InTree.ts"
import { inTheWay } from "./tree/LandWork.ts"
import { planDifference, termsOf } from "./tasks/PlanTerms.ts"

/** Reads the plan, and says in what it differs from what the run understands of it; `undefined`: in nothing. */
export const comparedPlan = Effect.fnUntraced(function* ({ agreed }: Run) {
  const now = yield* (yield* PlanContext).read
  return { now, difference: planDifference(agreed, yield* termsOf(now.plan)) }
})

/** Returns whether the reason of a pause is put right. */
export const isRight = Effect.fnUntraced(function* (run: Run) {
  // A person may have answered since.
  return yield* whereDue(yield* (yield* PlanContext).ref.state, isRightThere(run))
})

const isRightThere = Effect.fnUntraced(function* (run: Run) {
  const { paused } = run
  if (paused?.reason === "failed") {
    const { git, read, statePath } = yield* PlanContext
    return yield* Effect.isSuccess(Effect.all([read, git.status, writeState(statePath, run)]))
  }
  // A higher ceiling puts it right, and a person's word.
  if (paused?.reason === "ceiling") return (yield* atCeiling(yield* (yield* PlanContext).ref.state)) === undefined
  if (paused?.reason === "revert")
    return run.reverting === null || (yield* (yield* PlanContext).git.head) !== run.reverting.from
  const starts = stepIn(dueSteps(run), "Start")
  if (paused?.reason === "branch")
    return starts !== undefined
      ? !("problem" in (yield* roomFor(run, starts.task)))
      : (yield* branchProblem(yield* (yield* PlanContext).ref.state)) === undefined
  if (paused?.reason === "red") return (yield* (yield* PlanContext).git.head) !== run.baseline?.head
  if (paused?.reason === "questions") return false
  if (paused?.reason === "deadline") return !isDeadlineOver(run, yield* Clock.currentTimeMillis)
  // A person's word also puts it right: the run understands that plan then.
  if (paused?.reason === "plan") {
    const { ref } = yield* PlanContext
    return (yield* comparedPlan(yield* ref.state)).difference === undefined
  }
  // A person's answer also puts it right: on the tasks with lost work, or to continue from here.
  if (paused?.reason === "work lost" || paused?.reason === "history") {
    const { git, ref } = yield* PlanContext
    // Another trouble of git's is another pause.
    return (yield* astray(yield* ref.state, yield* git.status))?.reason !== paused.reason
  }
  const lands = paused?.reason === "dirty" ? stepIn(dueSteps(run), "Land") : undefined
  if (lands !== undefined && (yield* inTheWay(lands.task)).length > 0) return false
  if (paused?.reason !== "not gone")
    return obstacle(yield* (yield* PlanContext).git.status, paused?.reason === "dirty") === undefined
  const ending = run.assignments.filter((one) => one.ending !== null)
  const left = (one: Assignment) => (one.launch === null ? Effect.succeed(false) : isLeft(one, one.launch))
  return Option.isNone(yield* Effect.findFirst(ending, left))
})

/** Ends a pause whose reason is put right. A person may end it at the same moment. */
export const resume = Effect.fnUntraced(function* (run: Run) {
  const { ref } = yield* PlanContext
  if (run.paused === null) return
  // What was wrong may lie outside of git, such as a database that did not run: these are tried again at each start. So
  // are questions, which a person has read by then.
  const isTried = new Set(["red", "revert", "questions"]).has(run.paused.reason)
  if (isTried || (yield* isRight(run))) return yield* Effect.asVoid(ref.dispatch({ _tag: "Resume" }))
  const { difference: message } = run.paused.reason === "plan" ? yield* comparedPlan(run) : {}
  if (message !== undefined) yield* ref.dispatch({ _tag: "Pause", reason: "plan", files: [], message })
})
