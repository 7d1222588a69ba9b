import { Bounds, evolvePhone, evolvePin } from "@souffleur/domain"
import { Match } from "effect"
import { askedAssignment, askedTask, refusedAssignment, replaced, served } from "./AskedAgent.ts"
import {
  agreedOf,
  answeredFinishing,
  assignmentOver,
  finishedRun,
  limitedRun,
  moreToDo,
  revertedRun,
  revisedRun,
  verifiedRun,
  withoutAssignment
} from "./EndEvolution.ts"
import { type Assignment, assignmentOf, freshTask, initialRun, type Run, taskOf } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { nothingUsed, sumUsed } from "./RunFields.ts"
import {
  approvedInTree,
  chosenTree,
  clearedTrees,
  letGo,
  plannedLanding,
  refusedLanding
} from "../tree/TreeEvolution.ts"
import {
  answeredRun,
  begunTasks,
  type RunChange,
  imported,
  joinedWork,
  nudgeOf,
  parked,
  redone,
  refusedWork,
  rejectedWork,
  stopped,
  swept,
  takenUp,
  untried,
  verifiedWork,
  withTask
} from "./TaskEvolution.ts"

type Evolve = { readonly [T in RunEvent["_tag"]]: (event: Extract<RunEvent, { readonly _tag: T }>) => RunChange }

const change = (run: Run, event: RunEvent): RunChange =>
  Match.valueTags<RunEvent, Evolve>(event, {
    RunOpened: ({ at, digest, pin, plan, project, questions, workflowId, workTree, ...agreed }) => ({
      phase: "implementation",
      workflowId,
      project,
      workTree: workTree ?? project,
      plan,
      digest,
      pin,
      agreed: agreedOf(agreed),
      tasks: agreed.tasks.map(freshTask),
      questions: questions === true ? { asked: false, list: [] } : null,
      openedAt: at,
      allowedSince: at
    }),
    PlanRevised: (event) => revisedRun(run, event),
    RunTaken: ({ chosen, fence, owner }) => ({ fence, owner, ...(chosen === undefined ? {} : { chosen }) }),
    RunLeft: () => ({ owner: null }),
    RunMoved: () => ({ owner: null }),
    ProgressImported: ({ finishing, tasks }) => {
      const all = run.tasks.map((task) => {
        const found = tasks.find(({ id }) => id === task.id)
        return found === undefined ? task : imported(task, found)
      })
      return {
        tasks: all,
        ...(finishing !== null && all.every(({ status }) => status === "completed") ? { finishing } : {})
      }
    },
    TaskDoneBefore: ({ at, taskId }) =>
      withTask(run, taskId, () => ({ status: "completed", skipped: true, completedAt: at })),
    UnknownTaskSkipped: () => ({}),
    StateFileRebuilt: () => ({}),
    BranchChosen: ({ branch, from }) => ({ ownBranch: { branch, from, base: null, remote: null, begun: false } }),
    BranchBegun: ({ base, branch, from, remote }) => ({
      branch,
      ownBranch: { branch, from, base, remote, begun: true }
    }),
    TreeChosen: (event) => ({
      ...withTask(run, event.taskId, () => chosenTree(event)),
      trees: letGo(run.trees, taskOf(run, event.taskId), null)
    }),
    TaskStarted: (event) => ({
      branch: event.branch,
      ...(run.firstBase === undefined ? { firstBase: event.base } : {}),
      ...begunTasks(run, event)
    }),
    AgentAsked: (event) => ({
      assignments: [...run.assignments, askedAssignment(run, event)],
      asked: run.asked + 1,
      ...withTask(run, event.taskId, (task) => askedTask(task, event)),
      ...(event.role === "finisher" ? { finishing: "begun" } : {})
    }),
    AgentPrepared: ({ token, word }) => ({ assignments: withAssignment(run, token, { word }) }),
    AgentLaunched: ({ at, launchId, process, token }) => ({
      assignments: withAssignment(run, token, { launch: { launchId, process, at } }),
      ...withTask(run, assignmentOf(run, token)?.taskId ?? null, () => ({ lastLaunch: launchId }))
    }),
    AgentSessionFound: ({ sessionId, token }) => {
      const { role, taskId = null } = assignmentOf(run, token) ?? {}
      return {
        assignments: withAssignment(run, token, { sessionId }),
        ...(role === "implementer" ? withTask(run, taskId, () => ({ implementer: sessionId })) : {})
      }
    },
    AgentEnding: ({ limit, reason, token }) => ({
      assignments: withAssignment(run, token, { ending: { reason, limit } })
    }),
    AgentNudged: (event) => ({
      ...assignmentOver(run, event),
      ...endedOf(run, event, (assignment) =>
        withTask(run, event.taskId, () => ({ nudge: nudgeOf(assignment, event.message, event.died) }))
      )
    }),
    AgentNeverRan: (event) => ({
      assignments: withoutAssignment(run, event),
      ...endedOf(run, event, (assignment) => unasked(run, assignment))
    }),
    AgentReplaced: (event) => ({
      assignments: withoutAssignment(run, event),
      ...replaced(run, event)
    }),
    AgentLimited: (event) => ({
      assignments: withoutAssignment(run, event),
      ...limitedRun(run, event),
      ...endedOf(run, event, (assignment) => unasked(run, refusedAssignment(run, assignment, event.until)))
    }),
    AgentStopped: (event) => ({
      assignments: withoutAssignment(run, event),
      ...endedOf(run, event, (assignment) => withTask(run, event.taskId, () => stopped(assignment)))
    }),
    AgentSpent: ({ taskId, ...spent }) => ({
      used: sumUsed(run.used, spent),
      ...withTask(run, taskId, ({ used }) => ({ used: sumUsed(used, spent) }))
    }),
    QuietBegan: ({ at, until }) => ({
      wait: { kind: "quiet-hours", since: at, until: Bounds.waitUntil(at, until), agent: null, sessionId: "" }
    }),
    AllowanceRenewed: ({ at }) => ({ used: nothingUsed, allowedSince: at }),
    LimitWaitEnded: ({ by }) => ({
      wait: null,
      ...(by === "operator" ? { away: {} } : {}),
      ...(by === "operator" && run.wait?.kind === "quiet-hours" ? { awakeUntil: run.wait.until } : {})
    }),
    ImplementationCompleted: ({ commits, files, head, made, taskId, testFile, token }) => ({
      ...assignmentOver(run, { token }),
      ...served(run, { token }),
      ...withTask(run, taskId, (task) => ({
        made: [...new Set([...task.made, ...made])],
        implementation: { head, verified: false },
        work: { commits, files, testFile },
        failures: 0,
        reviewFailures: 0,
        lastFailure: null,
        lastHint: null
      }))
    }),
    ImplementationBlocked: (event) => assignmentOver(run, event),
    ImplementationFailed: ({ reason, message, hint, taskId, token }) => ({
      ...assignmentOver(run, { token }),
      ...withTask(run, taskId, (task) => ({
        // An agent that was not seen to its end may have been stopped with souffleur. That is no failure of the work.
        failures: task.failures + (reason === "lost" ? 0 : 1),
        lastHint: hint,
        lastFailure: message,
        implementer: null
      }))
    }),
    ReviewApproved: (event) => ({
      ...assignmentOver(run, event),
      ...served(run, event),
      ...withTask(run, event.taskId, (task) => ({ ...parked(task, event), ...approvedInTree(task) }))
    }),
    ReviewRejected: (event) => ({
      ...assignmentOver(run, event),
      ...served(run, event),
      ...withTask(run, event.taskId, (task) => rejectedWork(task, event))
    }),
    ReviewFailed: ({ reason, taskId, token }) => ({
      ...assignmentOver(run, { token }),
      ...withTask(run, taskId, (task) => ({ reviewFailures: task.reviewFailures + (reason === "lost" ? 0 : 1) }))
    }),
    WorkChanged: ({ commits, files, head, taskId }) =>
      withTask(run, taskId, ({ work }) => ({
        nudge: null,
        work: { commits, files, testFile: files.find((file) => file === work.testFile) ?? null },
        ...(head === null || commits.length === 0 || files.length === 0
          ? {
              implementation: null,
              implementer: null,
              lastFailure: "its commits are not there any more",
              lastHint: null
            }
          : { implementation: { head, verified: false } })
      })),
    LandingPlanned: (event) => withTask(run, event.taskId, (task) => plannedLanding(task, event)),
    LandingRefused: (event) => withTask(run, event.taskId, (task) => refusedLanding(task, event)),
    TreeCleared: (event) => ({ trees: clearedTrees(run.trees, event) }),
    TaskCompleted: ({ at, commits, files, taskId, testFile }) => ({
      trees: letGo(run.trees, taskOf(run, taskId), null),
      ...withTask(run, taskId, ({ digest, earlier, implementation }) => ({
        status: "completed",
        verified: implementation?.verified ?? false,
        doneAs: digest ?? null,
        work: joinedWork(earlier, { commits, files, testFile }),
        earlier: null,
        completedAt: at,
        implementation: null,
        implementer: null,
        tree: null
      }))
    }),
    WorkVerified: ({ taskId }) => withTask(run, taskId, verifiedWork),
    WorkRefused: (event) => withTask(run, event.taskId, (task) => refusedWork(task, event)),
    BaselineVerified: ({ head }) => ({ baseline: { head, red: false } }),
    BaselineRefused: ({ head }) => ({ baseline: { head, red: true } }),
    GateLeftEnding: () => ({}),
    PlanQuestioned: ({ questions: list, token }) => ({
      ...assignmentOver(run, { token }),
      questions: { asked: true, list }
    }),
    RedAllowed: () => ({ baseline: { head: run.baseline?.head ?? null, red: false } }),
    TaskEscalated: ({ reason, message, taskId }) =>
      withTask(run, taskId, () => ({ status: "escalated", escalation: { reason, message } })),
    TaskAnswered: (event) => answeredRun(run, event),
    RunHeld: ({ at }) => ({ held: { since: at } }),
    RunHoldEnded: () => ({ held: null }),
    RunStopAsked: ({ at, now }) => ({ stop: { since: at, now } }),
    RunStopEnded: () => ({ stop: null }),
    TaskRedoAsked: (event) => ({ ...moreToDo, ...withTask(run, event.taskId, (task) => redone(task, event)) }),
    RevertAsked: ({ commits, taskId }) => ({ reverting: { taskId, commits, from: null, to: null, made: [] } }),
    RevertPlanned: ({ from, made, to }) => ({ reverting: run.reverting && { ...run.reverting, from, to, made } }),
    RevertRefused: ({ head }) => ({ reverting: run.reverting && { ...run.reverting, from: head, to: null } }),
    WorkReverted: (event) => revertedRun(run, event),
    RunPaused: ({ reason, files, message }) => ({ paused: { reason, files, message } }),
    RunResumed: () => ({ paused: null, ...(run.baseline?.red === true ? { baseline: null } : {}) }),
    RunVerified: verifiedRun,
    RunFinished: (event) => finishedRun(run, event),
    FinishingAnswered: answeredFinishing,
    ConfigOverreached: evolvePin.ConfigOverreached,
    ConfigWithdrawn: evolvePin.ConfigWithdrawn,
    TrustGiven: (event) => evolvePin.TrustGiven(event, run),
    NoticeLost: () => ({}),
    ...evolvePhone
  })

const withAssignment = (run: Run, token: string, change: Partial<Assignment>): Run["assignments"] =>
  run.assignments.map((one) => (one.token === token ? { ...one, ...change } : one))

/** Returns what changes by the end of an assignment; nothing where there is no such one. */
const endedOf = (
  run: Run,
  { token }: { readonly token: string },
  change: (assignment: Assignment) => RunChange
): RunChange => {
  const assignment = assignmentOf(run, token)
  return assignment === undefined ? {} : change(assignment)
}

/** Takes back an assignment that ended without a fault. */
const unasked = (run: Run, assignment: Assignment): RunChange =>
  assignment.role === "finisher"
    ? { finishing: "not begun" }
    : withTask(run, assignment.taskId, () => untried(assignment))

/** The parts of a run that a press depends on. What its agents do meanwhile is none of them. */
const stance = ({ finishing, held, paused, phase, questions, stop, tasks, wait }: Run) => [
  finishing,
  held,
  paused,
  phase,
  questions,
  stop,
  wait,
  ...tasks.map(({ escalation }) => escalation)
]

/** Returns whether a press about the run before an event may mean something else after it. */
const changesStance = (before: Run, after: Run, { _tag }: RunEvent): boolean => {
  const [was, is] = [stance(before), stance(after)]
  return _tag === "PhoneWordTaken" || was.length !== is.length || is.some((part, n) => part !== was[n])
}

/** Returns the run after an event. */
export const evolveRun = (run: Run, event: RunEvent): Run => {
  const changed = { ...run, ...change(run, event), revision: run.revision + 1, lastEventAt: event.at }
  const after = takenUp(swept(changed))
  return changesStance(run, after, event) ? { ...after, stanceSince: after.revision } : after
}

/** Folds events into a run. */
export const foldRun = (events: ReadonlyArray<RunEvent>, from: Run = initialRun): Run => events.reduce(evolveRun, from)
