import { abovePin, type Choice, decidePhone, decidePin, isSessionKnown } from "@souffleur/domain"
import { Equal, Option, Result } from "effect"
import { type Decision, no, notNow, ok } from "@souffleur/eventlog"
import { branchChosen, branchReported } from "./BranchDecider.ts"
import { finished, verified } from "./EndDecider.ts"
import { decideReport } from "./Ladder.ts"
import { judgedBaseline, judgedWork, redAllowed } from "./GateDecider.ts"
import { freshChoice, keptChoice } from "./AgentChoice.ts"
import { opened, revised, startedTask } from "./OpenDecider.ts"
import { answered, waitEnded, held, redone, revertMoved, stopped } from "./WordDecider.ts"
import { stepIn, stepOf, steps } from "./RunStep.ts"
import { cleared, landed, landingPlanned, landingRefused, setupRefused, treeChosen } from "./TreeDecider.ts"
import { type Assignment, assignmentOf, isRunOver, type Run, taskOf } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import type { RunCommand, RunIntent } from "../run/RunIntent.ts"
import { planDifference } from "../tasks/PlanTerms.ts"

const ask = (
  run: Run,
  { choice, head, held = [], now: at, role, sessionId, standsIn, taskId }: Extract<RunCommand, { readonly _tag: "Ask" }>
): Decision<Event.RunEvent> => {
  const all = steps(run)
  const common = { at, token: `a${run.asked + 1}`, role, head }
  const standIn = standsIn === true && choice?.agent !== undefined ? { standIn: choice.agent } : {}
  if (role === "finisher") {
    return stepIn(all, "Finish") !== undefined && run.finishing === "not begun"
      ? ok(
          Event.AgentAsked.make({
            ...common,
            taskId: null,
            attempt: 0,
            sessionId,
            resumed: false,
            ...freshChoice(choice)
          })
        )
      : notNow("the finisher is not next")
  }
  if (stepIn(all, "Question") !== undefined && role === "reviewer")
    return ok(
      Event.AgentAsked.make({
        ...common,
        taskId: null,
        attempt: 0,
        sessionId,
        resumed: false,
        ...freshChoice(choice),
        ...standIn
      })
    )
  const step = stepIn(all, "Ask", taskId)
  if (step?.role !== role) return notNow(`the ${role} is not next`)
  const { task } = step
  // No agent goes on in the session of another.
  const isOthers = standsIn === true && task.choices[role].standIn === undefined
  const free = (session: string | null) => (session !== null && !held.includes(session) && !isOthers ? session : null)
  const nudged = task.nudge?.role === role && free(task.nudge.sessionId) !== null ? task.nudge : null
  const session = nudged?.sessionId ?? (role === "implementer" ? free(task.implementer) : null)
  return ok(
    Event.AgentAsked.make({
      ...common,
      taskId: task.id,
      attempt: role === "implementer" && nudged === null ? task.attempts + 1 : task.attempts,
      sessionId: session ?? sessionId,
      resumed: session !== null,
      nudge: nudged?.message ?? null,
      ...(session === null
        ? { ...freshChoice(choice, standsIn === true ? undefined : task, role), ...standIn }
        : keptChoice(task, role))
    })
  )
}

const ofAssignment = (
  run: Run,
  token: string,
  then: (assignment: Assignment) => Decision<Event.RunEvent>
): Decision<Event.RunEvent> =>
  Option.match(Option.fromUndefinedOr(assignmentOf(run, token)), {
    onNone: () => notNow(`agent ${token} has no assignment now`),
    onSome: then
  })

/** Records what an agent used; nothing where it has no records of that. */
const spent = (
  { role, taskId, token }: Assignment,
  { now: at, used }: Extract<RunCommand, { readonly _tag: "Report" }>
): ReadonlyArray<Event.RunEvent> =>
  used === undefined || used.tokens + used.dollars === 0
    ? []
    : [Event.AgentSpent.make({ at, token, role, taskId, ...used })]

/** Records an ending once: after a crash the next conductor keeps the first reason. */
const ending = (
  { ending, launch, token }: Assignment,
  { reason, limit, now: at, others }: Extract<RunCommand, { readonly _tag: "EndAgent" }>
) =>
  launch === null
    ? no("never", "it was not seen to run")
    : ending !== null
      ? ok()
      : ok(Event.AgentEnding.make({ at, token, reason, process: launch.process, launchedAt: launch.at, limit, others }))

const isOfPlan = ({ paused }: Run, { reason }: Extract<RunCommand, { readonly _tag: "Pause" }>) =>
  paused?.reason === "plan" && reason === "plan"

/** Returns what a press means for a run, as its command has it. */
const pressedIntent = ({ task, word }: Choice): RunIntent | undefined => {
  if (task !== null)
    return word === "retry" || word === "skip" ? { _tag: "Answer", taskId: task, answer: word, text: "" } : undefined
  return word === "hold" ? { _tag: "Hold" } : word === "go" ? { _tag: "EndWait" } : undefined
}

/** Decides on a command to a run. Refuses the words of an owner that was overtaken (spec: behaviour#one-owner). */
export const decideRun = (run: Run, command: RunCommand): Decision<Event.RunEvent> => {
  const { by, now: at } = command
  if (command._tag === "Open") {
    return run.phase === "new" ? ok(...opened(command, at)) : no("exists", "there is such a run")
  }
  if (run.phase === "new") return no("no such watch", "there is no such run")
  if (by._tag === "Owner" && by.fence !== run.fence) return no("fenced", "another souffleur conducts this run")
  switch (command._tag) {
    case "Take": {
      const { chosen, over, owner } = command
      const taken = { at, fence: run.fence + 1, owner, ...(chosen === undefined ? {} : { chosen }) }
      return over === run.fence ? ok(Event.RunTaken.make(taken)) : no("owned", "another souffleur was faster")
    }
    case "Leave":
      return run.owner === null ? ok() : ok(Event.RunLeft.make({ at, fence: run.fence }))
    case "Move":
      return Equal.equals(run.owner, command.from)
        ? ok(Event.RunMoved.make({ at, from: command.from, host: command.host }))
        : no("owned", "another souffleur was faster")
    case "ReportNoticeLost": {
      const { channel, message, notice, of, tries } = command
      return ok(Event.NoticeLost.make({ at, channel, notice, of, tries, message }))
    }
    case "RevisePlan":
      if (planDifference(run.agreed, command) !== undefined) return revised(run, command, at)
      return run.paused?.reason === "plan" || run.paused?.reason === "questions"
        ? ok(Event.RunResumed.make({ at }))
        : notNow("the plan is as this run has it, and waits for no word")
    case "RebuildStateFile":
      return ok(Event.StateFileRebuilt.make({ at, found: command.found, from: "log", kept: command.kept ?? null }))
    case "ChooseBranch":
      return branchChosen(run, command)
    case "ReportBranch":
      return branchReported(run, command)
    case "ChooseTree":
      return treeChosen(run, command)
    case "RefuseSetup":
      return setupRefused(run, command)
    case "PlanLanding":
      return landingPlanned(run, command)
    case "RefuseLanding":
      return landingRefused(run, command)
    case "ReportLanding":
      return landed(run, command)
    case "ClearTree":
      return cleared(run, command)
    case "StartTask":
      return startedTask(run, command)
    case "Ask":
      return ask(run, command)
    case "Prepare":
      return ofAssignment(run, command.token, ({ token }) => {
        const { digest, effective, launchId, requested, word } = command
        const above = abovePin(effective, run)
        if (above !== undefined) return Result.fail(above)
        return ok(Event.AgentPrepared.make({ at, token, launchId, digest, requested, effective, word }))
      })
    case "Launched":
      return ofAssignment(run, command.token, ({ launch, token }) =>
        launch === null
          ? ok(Event.AgentLaunched.make({ at, token, launchId: command.launchId, process: command.process }))
          : ok()
      )
    case "ReportSession":
      return ofAssignment(run, command.token, ({ launch, role, sessionId, taskId, token }) => {
        if (launch === null) return no("never", "it was not seen to run")
        // The implementer has looked at its own work, and that proves nothing of its reviewer.
        const isOthers = role === "reviewer" && taskOf(run, taskId)?.implementer === command.sessionId
        // The first report counts: another launch resumes that session.
        return isOthers || isSessionKnown(sessionId)
          ? ok()
          : ok(Event.AgentSessionFound.make({ at, token, sessionId: command.sessionId }))
      })
    case "NeverRan":
      return ofAssignment(run, command.token, ({ launch, token }) =>
        launch === null ? ok(Event.AgentNeverRan.make({ at, token })) : no("never", "it was seen to run")
      )
    case "EndAgent":
      return ofAssignment(run, command.token, (assignment) => ending(assignment, command))
    case "Report":
      return ofAssignment(run, command.token, (assignment) =>
        Result.map(decideReport(run, assignment, command.report, command), (events) => [
          ...spent(assignment, command),
          ...events
        ])
      )
    case "Recount": {
      const { commits, files, head, taskId } = command
      const step = stepOf(run, taskId)
      return (step?._tag === "Ask" || step?._tag === "Gate") && step.task.implementation !== null
        ? ok(
            ...(step.task.implementation.head === head
              ? []
              : [Event.WorkChanged.make({ at, taskId, head, commits, files })])
          )
        : notNow(`nothing of task ${taskId} waits for a reviewer`)
    }
    case "ReportGate":
      return judgedWork(run, command)
    case "EndGateLeft":
      return ok(Event.GateLeftEnding.make({ at, pids: command.pids }))
    case "ReportBaseline":
      return judgedBaseline(run, command)
    case "AllowRed":
      return redAllowed(run, command)
    case "KeepQuiet":
      return run.wait === null
        ? ok(Event.QuietBegan.make({ at, until: command.until }))
        : notNow("the run waits already")
    case "AllowAgain":
      return isRunOver(run) ? notNow("the run is over") : ok(Event.AllowanceRenewed.make({ at }))
    case "EndWait":
      return waitEnded(run, command)
    case "Pause":
      // A plan that changes once more is told once more.
      return run.paused === null || (isOfPlan(run, command) && run.paused.message !== command.message)
        ? ok(Event.RunPaused.make({ at, reason: command.reason, files: command.files, message: command.message ?? "" }))
        : ok()
    case "PauseForFailure":
      // This replaces any other pause, whose reason could not be checked any more.
      return run.paused?.reason === "failed"
        ? ok()
        : ok(Event.RunPaused.make({ at, reason: "failed", files: [], message: command.message }))
    case "PauseForAgent":
      return ofAssignment(run, command.token, () =>
        run.paused === null
          ? ok(Event.RunPaused.make({ at, reason: "not gone", files: [], message: command.message }))
          : ok()
      )
    case "Resume":
      return run.paused === null ? ok() : ok(Event.RunResumed.make({ at }))
    case "Verify":
      return verified(run, command)
    case "Finish":
      return finished(run, command)
    case "Answer":
      return answered(run, command)
    case "Hold":
      return held(run, at)
    case "Stop":
      return stopped(run, command)
    case "EndStop":
      return run.stop === null ? ok() : ok(Event.RunStopEnded.make({ at }))
    case "Redo":
      return redone(run, command)
    case "PlanRevert":
    case "ReportRevert":
    case "RefuseRevert":
      return revertMoved(run, command)
    case "AnswerFinishing":
      return run.phase === "finished" && run.finishing === "failed"
        ? ok(Event.FinishingAnswered.make({ at, answer: command.answer }))
        : notNow("no finishing step of this run has failed")
    case "OfferButtons":
    case "TakePress":
    case "RefusePress":
      return decidePhone<Event.RunEvent>(run, command, (choice) => {
        const intent = pressedIntent(choice)
        return intent === undefined
          ? no("never", `"${choice.word}" is no word for a run`)
          : decideRun(run, { ...intent, now: at, by })
      })
    case "ReportConfig":
    case "Trust":
      return decidePin(run, command)
  }
}
