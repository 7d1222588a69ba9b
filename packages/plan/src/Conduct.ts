import { isSessionKnown, jittered, newTrace, Settings, untraced } from "@souffleur/domain"
import { type LogError, Refused } from "@souffleur/eventlog"
import { Effect, flow, Schedule } from "effect"
import { startTask } from "./StartTask.ts"
import { takenSteps } from "./TakenSteps.ts"
import { askAllowed, beforeTask } from "./AskAllowed.ts"
import { finishAlone, verifyRun } from "./finish/FinishAlone.ts"
import { beginBranch } from "./git/BeginBranch.ts"
import { assignedAgent } from "./agent/AssignedAgent.ts"
import { awaitAgent, settleAssignment } from "./agent/Assignment.ts"
import { judgeAgent } from "./agent/Judging.ts"
import { GatePort } from "./gate/GatePort.ts"
import { judgeBaseline, judgeWork } from "./gate/JudgeCommit.ts"
import { withoutObstacle } from "./git/Obstacle.ts"
import { takeBack } from "./git/TakeBack.ts"
import { comparedPlan, isRight, resume } from "./PausedRun.ts"
import { PlanContext } from "./PlanContext.ts"
import { type Hindrance, isHindrance } from "./publish/Hindrance.ts"
import { type Next, next } from "./decide/RunStep.ts"
import { type Assignment, assignmentOf, isRunOver, type Run, type Task } from "./run/Run.ts"
import { nothingUsed } from "./run/RunFields.ts"
import { inTree } from "./tree/InTree.ts"
import { clearTree, landWork } from "./tree/LandWork.ts"
import { writeState } from "./state/StateStore.ts"
import { changed, untilStopped, waitedOut } from "./Waiting.ts"

/** Returns what an agent used in its assignment. */
const usedBy = Effect.fnUntraced(function* (assignment: Assignment) {
  const { askedAt, sessionId } = assignment
  if (!isSessionKnown(sessionId)) return nothingUsed
  const { dollars, tokens } = yield* (yield* assignedAgent(assignment)).spent([sessionId], askedAt)
  return { tokens, dollars: Math.round(dollars * 100) }
})

/**
 * Follows an agent to its end and reports the outcome. An agent that cannot be ended pauses the run: no other works
 * beside it.
 */
const finishAssignment = Effect.fn("finishAssignment")(
  function* (assignment: Assignment) {
    const { attended = false, ref } = yield* PlanContext
    if (assignment.launch === null) return yield* settleAssignment(assignment)
    const ended = yield* awaitAgent(assignment, assignment.launch)
    // Its session may be known since.
    const run = yield* ref.state
    const now = assignmentOf(run, assignment.token) ?? assignment
    const report = yield* judgeAgent(run, now, ended)
    const margin = yield* jittered((yield* Settings).limitMargin)
    const used = yield* usedBy(now)
    const reported = ref.dispatch({ _tag: "Report", token: assignment.token, report, margin, used, attended })
    if (assignment.role === "finisher") return yield* reported
    // A failed assignment leaves its work for the next one. Complete or approved work leaves nothing uncommitted.
    return yield* withoutObstacle(report._tag === "Completed" || report._tag === "Approved", reported)
  },
  (seen, { token }) =>
    Effect.catchTag(seen, "StopFailed", ({ message }) =>
      Effect.flatMap(PlanContext, ({ ref }) => ref.dispatch({ _tag: "PauseForAgent", token, message }))
    )
)

/**
 * Asks for a reviewer, or counts the work again where HEAD has moved since the implementer ended. Another reviewer or a
 * person may have committed.
 */
const review = Effect.fn("Conduct.review")(function* (run: Run, task: Task) {
  const { git, ref } = yield* PlanContext
  const head = yield* git.head
  if (head === (task.implementation?.head ?? null)) return yield* askAllowed(run, "reviewer", task.id)
  return yield* ref.dispatch({ _tag: "Recount", taskId: task.id, head, ...(yield* git.since(task.base)) })
})

const finish = Effect.fn("Conduct.finish")(function* (run: Run) {
  return (yield* finishAlone(run)) ?? (yield* askAllowed(run, "finisher"))
})

/**
 * Takes a step by the plan as its file is now, or pauses the run where a person has not taken that plan: an agent can
 * write it (spec: behaviour#the-plan-is-a-persons).
 */
const byPlan = Effect.fn("Conduct.byPlan")(function* <E, R>(run: Run, step: Effect.Effect<Run, E, R>) {
  const context = yield* PlanContext
  const { difference: message, now } = yield* comparedPlan(run)
  return message === undefined
    ? yield* Effect.provideService(step, PlanContext, { ...context, ...now })
    : yield* context.ref.dispatch({ _tag: "Pause", reason: "plan", files: [], message })
})

/** Lets programs judge a commit, unless a person stops the run meanwhile: they judge it again then. */
const unlessStopped = <E, R>(judging: Effect.Effect<Run, E, R>) =>
  Effect.raceFirst(
    judging,
    Effect.andThen(
      untilStopped(),
      Effect.flatMap(PlanContext, ({ ref }) => ref.state)
    )
  )

/** Names the task of a step in its trace. */
const tracedAs = (step: Next): Readonly<Record<string, string>> => {
  const taskId = step._tag === "Await" ? step.assignment.taskId : "task" in step ? step.task.id : null
  return taskId === null ? {} : { "souffleur.task": taskId }
}

/** Takes one step of the loop. */
const advance = Effect.fnUntraced(function* (run: Run, step: Next) {
  const { ref } = yield* PlanContext
  switch (step._tag) {
    case "Await":
      return yield* inTree(run, step.assignment.taskId, finishAssignment(step.assignment))
    case "Wait":
      return yield* waitedOut(run, step.wait)
    case "Held":
      yield* changed(run)
      return yield* ref.state
    case "Revert":
      return yield* takeBack(run, step.reverting)
    case "Start":
      return yield* byPlan(
        run,
        withoutObstacle(
          true,
          Effect.gen(function* () {
            const pause = yield* beforeTask(run)
            if (pause !== undefined) return yield* ref.dispatch(pause)
            return yield* unlessStopped(startTask(run, step.task))
          }),
          run
        )
      )
    case "Ask":
      return yield* inTree(
        run,
        step.task.id,
        byPlan(
          run,
          withoutObstacle(
            false,
            step.role === "reviewer" ? review(run, step.task) : askAllowed(run, step.role, step.task.id),
            run
          )
        )
      )
    case "Land":
      return yield* byPlan(run, landWork(run, step.task, step.landing))
    case "Clear":
      return yield* clearTree(run, step.tree)
    case "Branch":
      return yield* byPlan(run, withoutObstacle(true, beginBranch(run, step.wanted), run))
    case "Baseline":
      return yield* byPlan(run, withoutObstacle(false, unlessStopped(judgeBaseline()), run))
    case "Question":
      return yield* byPlan(run, withoutObstacle(false, askAllowed(run, "reviewer"), run))
    case "Gate":
      return yield* inTree(
        run,
        step.task.id,
        byPlan(run, withoutObstacle(false, unlessStopped(judgeWork(step.task, step.head)), run))
      )
    case "Verify":
      return yield* byPlan(run, withoutObstacle(true, verifyRun(run), run))
    case "Finish":
      return yield* byPlan(run, withoutObstacle(false, finish(run), run))
    case "Stopped":
    case "Escalated":
    case "Paused":
    case "Done":
      return run
  }
})

/**
 * Pauses the run where git, the state file or the disk stops a step of it. A person is told as of any pause, and an
 * agent at work is found again. A log that cannot be used stays an error, which the caller tells.
 */
const orPaused = <R>(effect: Effect.Effect<Run, Hindrance | Refused | LogError, R>) =>
  Effect.catchIf(effect, isHindrance, ({ message }) =>
    Effect.flatMap(PlanContext, ({ ref }) => ref.dispatch({ _tag: "PauseForFailure", message }))
  )

/** Writes the state of a run that the loop itself has paused. This write may be what failed. */
const written = Effect.fnUntraced(function* (run: Run) {
  yield* Effect.ignore(writeState((yield* PlanContext).statePath, run))
  return run
})

/** Lets the loop look again where a person's word came before a step, which the run refuses since. */
const orOvertaken = <A, E, R>(run: Run, step: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    step,
    (error): error is E & Refused => error instanceof Refused && error.reason === "not now",
    (refused) =>
      Effect.gen(function* () {
        const now = yield* (yield* PlanContext).ref.state
        return now.revision === run.revision ? yield* Effect.fail(refused) : now
      })
  )

/**
 * Conducts a run until its end, until a person stops it, or until it needs one: escalated, paused, or its finishing
 * step failed. The log has each act before and after it, so that after a kill another conductor continues from there.
 * Returns the run as it then is. Fails with `Refused` if another souffleur has the run, and with `LogError` if the log
 * cannot be used.
 *
 * @example
 * ```ts
 * import { conduct, PlanContext } from "@souffleur/plan"
 * import { Effect } from "effect"
 *
 * const conductPlan = (conducting: PlanContext["Service"]) =>
 *   conduct().pipe(
 *     Effect.map(({ phase }) => phase),
 *     Effect.provideService(PlanContext, conducting)
 *   )
 * ```
 */
export const conduct = Effect.fn("conduct")(
  function* () {
    const { ref, statePath } = yield* PlanContext
    const published = Effect.gen(function* () {
      const run = yield* ref.state
      const kept = yield* writeState(statePath, run)
      yield* Effect.forEach(kept, (file) => ref.dispatch({ _tag: "RebuildStateFile", ...file }))
      return kept.length === 0 ? run : yield* ref.state
    })
    yield* resume(yield* published)
    const { begin, moved } = yield* takenSteps((run, step) =>
      Effect.flatMap(newTrace(tracedAs(step)), (trace) =>
        orPaused(orOvertaken(run, Effect.withSpan(advance(run, step), "Conduct.step", trace)))
      )
    )
    for (;;) {
      const run = yield* published
      const { isUnderWay, run: now } = yield* begin
      if (isUnderWay) yield* moved
      else if (now.revision === run.revision) {
        if (next(run)._tag === "Stopped") yield* (yield* GatePort).end(ref)
        return run
      }
    }
  },
  flow(Effect.scoped, orPaused, Effect.flatMap(written))
)

/** How often the reason of a pause is checked. */
const rightSchedule = Schedule.spaced("2 seconds")

/**
 * Waits for a person's answer, or until the reason of the pause is put right. Any new event of the run counts as an
 * answer.
 */
const personCame = Effect.fnUntraced(function* (run: Run) {
  if (run.paused === null) return yield* changed(run)
  const { ref } = yield* PlanContext
  // A person may have ended the pause, and its reason may have come again since.
  const isOver = Effect.gen(function* () {
    const { paused, stop } = yield* ref.state
    return paused === null || stop !== null || (yield* isRight(run))
  })
  yield* Effect.repeat(untraced(isOver), { schedule: rightSchedule, until: (yes) => yes })
})

/**
 * Conducts a run to its end, or until a person stops it. When the run needs a person, `waiting` is run, and the run
 * continues once there is an answer or git is in order again. A conductor under a watch does this, since its end would
 * only bring it back.
 */
export const conductOn = Effect.fn("conductOn")(function* <E, R>(waiting: (run: Run) => Effect.Effect<void, E, R>) {
  for (;;) {
    const run = yield* conduct()
    if (isRunOver(run) || run.stop !== null) return run
    yield* waiting(run)
    yield* orPaused(Effect.as(personCame(run), run))
  }
})
