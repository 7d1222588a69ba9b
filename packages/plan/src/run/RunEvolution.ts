import { Bounds, evolvePin } from "@souffleur/domain"
import { Match } from "effect"
import { askedAssignment, askedTask, knownSession } from "./AskedAgent.ts"
import { freshTask, initialRun, type Run, type Task, type Assignment } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { type Died, isPersons, nothingUsed, sumUsed } from "./RunFields.ts"
import { freshImplementerRung } from "./Rungs.ts"
import { answered, imported, refusedWork, revised, swept, type TaskChange, verifiedWork } from "./TaskEvolution.ts"

type Change = { readonly [K in keyof Run]?: Run[K] }
type Evolve = { readonly [T in RunEvent["_tag"]]: (event: Extract<RunEvent, { readonly _tag: T }>) => Change }

const withTask = (run: Run, id: string | null, change: (task: Task) => TaskChange): Change => ({
  tasks: run.tasks.map((task) => (task.id === id ? { ...task, ...change(task) } : task))
})

const nudgeOf = ({ role, sessionId }: Assignment, message: string, died: Died | null) => ({
  role,
  sessionId,
  message,
  died
})

const assignmentOver: Change = { assignment: null, waits: 0, refusals: 0 }

const change = (run: Run, event: RunEvent): Change =>
  Match.valueTags<RunEvent, Evolve>(event, {
    RunOpened: ({ agents, at, digest, finishingDigest, pin, plan, project, tasks, workflowId, workTree }) => ({
      phase: "implementation",
      workflowId,
      project,
      workTree: workTree ?? project,
      plan,
      digest,
      pin,
      agreed: { tasks, finishingDigest, ...(agents === undefined ? {} : { agents }) },
      tasks: tasks.map(freshTask),
      openedAt: at,
      allowedSince: at
    }),
    PlanRevised: ({ agents, digest, dropped, finishingDigest, tasks }) => {
      const all = revised(run, tasks)
      const more = all.some(({ status }) => status === "pending")
      return {
        digest,
        agreed: { tasks, finishingDigest, ...(agents === undefined ? {} : { agents }) },
        tasks: all,
        dropped: [...new Set([...run.dropped, ...dropped])].filter((id) => !tasks.some((task) => task.id === id)),
        paused: run.paused?.reason === "plan" || run.paused?.reason === "red" ? null : run.paused,
        baseline: run.baseline?.red === true ? null : run.baseline,
        ...(more
          ? {
              phase: "implementation",
              implementedAt: null,
              finishing: "not begun",
              finishingFailure: null,
              summary: null
            }
          : {})
      }
    },
    RunTaken: ({ chosen, fence, owner }) => ({ fence, owner, ...(chosen === undefined ? {} : { chosen }) }),
    RunLeft: () => ({ owner: null }),
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
    TaskStarted: ({ at, base, branch, taskId, untracked }) => ({
      current: taskId,
      branch,
      ...withTask(run, taskId, (task) => ({
        status: "in_progress",
        begun: true,
        base,
        untracked,
        startedAt: task.startedAt ?? at
      }))
    }),
    AgentAsked: (event) => ({
      assignment: askedAssignment(run, event),
      assignments: run.assignments + 1,
      ...withTask(run, event.taskId, (task) => askedTask(task, event)),
      ...(event.role === "finisher" ? { finishing: "begun" } : {})
    }),
    AgentPrepared: ({ word }) => (run.assignment === null ? {} : { assignment: { ...run.assignment, word } }),
    AgentLaunched: ({ at, launchId, process }) =>
      run.assignment === null
        ? {}
        : {
            assignment: { ...run.assignment, launch: { launchId, process, at } },
            ...withTask(run, run.assignment.taskId, () => ({ lastLaunch: launchId }))
          },
    AgentSessionFound: ({ sessionId }) =>
      run.assignment === null
        ? {}
        : {
            assignment: { ...run.assignment, sessionId },
            ...(run.assignment.role === "implementer"
              ? withTask(run, run.assignment.taskId, () => ({ implementer: sessionId }))
              : {})
          },
    AgentEnding: ({ reason, limit }) =>
      run.assignment === null ? {} : { assignment: { ...run.assignment, ending: { reason, limit } } },
    AgentNudged: ({ died, message, taskId }) => ({
      ...assignmentOver,
      ...(run.assignment === null
        ? {}
        : withTask(run, taskId, () => ({ nudge: nudgeOf(run.assignment!, message, died) })))
    }),
    AgentNeverRan: () => (run.assignment === null ? {} : { assignment: null, ...unasked(run, run.assignment) }),
    AgentLimited: ({ at, kind, until }) => ({
      assignment: null,
      wait: {
        kind,
        since: at,
        until: Bounds.waitUntil(at, until),
        agent: run.assignment?.agent ?? null,
        sessionId: run.assignment?.sessionId ?? ""
      },
      ...(isPersons(kind) ? { refusals: run.refusals + 1 } : { waits: run.waits + 1 }),
      ...(run.assignment === null ? {} : unasked(run, { ...run.assignment, resumed: true }))
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
      ...(by === "operator" && run.wait?.kind === "quiet-hours" ? { awakeUntil: run.wait.until } : {})
    }),
    ImplementationCompleted: ({ commits, files, head, taskId, testFile }) => ({
      ...assignmentOver,
      ...withTask(run, taskId, () => ({
        implementation: { head, verified: false },
        work: { commits, files, testFile },
        failures: 0,
        reviewFailures: 0,
        lastFailure: null,
        lastHint: null
      }))
    }),
    ImplementationBlocked: () => assignmentOver,
    ImplementationFailed: ({ reason, message, hint, taskId }) => ({
      ...assignmentOver,
      ...withTask(run, taskId, (task) => ({
        // An agent that was not seen to its end may have been stopped with souffleur. That is no failure of the work.
        failures: task.failures + (reason === "lost" ? 0 : 1),
        lastHint: hint,
        lastFailure: message,
        implementer: null
      }))
    }),
    ReviewApproved: () => assignmentOver,
    ReviewRejected: ({ feedback, taskId }) => ({
      ...assignmentOver,
      ...withTask(run, taskId, (task) => ({
        rejections: task.rejections + 1,
        gateFailures: 0,
        climbed: task.climbed + (task.rejections + 1 === freshImplementerRung ? 1 : 0),
        feedback: [...task.feedback, feedback],
        reviewed: task.implementation?.head ?? task.reviewed,
        implementation: null,
        implementer: task.rejections + 1 < freshImplementerRung ? task.implementer : null
      }))
    }),
    ReviewFailed: ({ reason, taskId }) => ({
      ...assignmentOver,
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
    TaskCompleted: ({ at, commits, files, taskId, testFile }) => ({
      current: null,
      ...withTask(run, taskId, ({ digest, implementation }) => ({
        status: "completed",
        verified: implementation?.verified ?? false,
        doneAs: digest ?? null,
        work: { commits, files, testFile },
        completedAt: at,
        implementation: null,
        implementer: null
      }))
    }),
    WorkVerified: ({ taskId }) => withTask(run, taskId, verifiedWork),
    WorkRefused: (event) => withTask(run, event.taskId, (task) => refusedWork(task, event)),
    BaselineVerified: ({ head }) => ({ baseline: { head, red: false } }),
    BaselineRefused: ({ head }) => ({ baseline: { head, red: true } }),
    RedAllowed: () => ({ baseline: { head: run.baseline?.head ?? null, red: false } }),
    TaskEscalated: ({ reason, message, taskId }) =>
      withTask(run, taskId, () => ({ status: "escalated", escalation: { reason, message } })),
    TaskAnswered: (event) => {
      // The task continues where git is now, with what there is.
      if (run.paused?.reason === "history" && event.answer !== "skip") {
        const said = event.answer === "guidance" ? [event.text] : []
        return {
          branch: undefined,
          ...withTask(run, event.taskId, ({ guidance }) => ({ guidance: [...guidance, ...said] }))
        }
      }
      return {
        ...withTask(run, event.taskId, (task) => answered(task, event, run.paused?.reason === "work lost")),
        current: event.answer === "skip" ? null : event.taskId,
        ...(run.phase === "completion" ? { phase: "implementation", implementedAt: null, summary: null } : {})
      }
    },
    RunPaused: ({ reason, files, message }) => ({ paused: { reason, files, message } }),
    RunResumed: () => ({ paused: null, ...(run.baseline?.red === true ? { baseline: null } : {}) }),
    RunVerified: ({ at, commits, completed, files, skipped }) => ({
      phase: "completion",
      current: null,
      implementedAt: at,
      summary: { completed, skipped, commits, files }
    }),
    // A finish is not the end when the plan has got more to do meanwhile.
    RunFinished: ({ message, finishing }) =>
      run.phase === "implementation"
        ? assignmentOver
        : {
            ...assignmentOver,
            phase: "finished",
            finishing,
            finishingFailure: finishing === "failed" ? message : null
          },
    FinishingAnswered: ({ answer }) =>
      answer === "skip"
        ? { finishing: "skipped", finishingFailure: null }
        : { phase: "completion", finishing: "not begun", finishingFailure: null },
    ConfigOverreached: evolvePin.ConfigOverreached,
    ConfigWithdrawn: evolvePin.ConfigWithdrawn,
    TrustGiven: (event) => evolvePin.TrustGiven(event, run),
    NoticeLost: () => ({})
  })

/**
 * Takes back an assignment that ended without a fault: it is no attempt. A session that was never begun cannot be
 * resumed.
 */
const unasked = (run: Run, assignment: Assignment): Change => {
  const { attempt, nudge, resumed, role, sessionId, taskId } = assignment
  if (role === "finisher") return { finishing: "not begun" }
  if (nudge !== null) return withTask(run, taskId, () => ({ nudge: nudgeOf(assignment, nudge, assignment.died) }))
  return role === "implementer"
    ? withTask(run, taskId, () => ({
        attempts: Math.max(0, attempt - 1),
        implementer: resumed ? knownSession(sessionId) : null
      }))
    : {}
}

/** Returns the run after an event. */
export const evolveRun = (run: Run, event: RunEvent): Run =>
  swept({ ...run, ...change(run, event), revision: run.revision + 1, lastEventAt: event.at })

/** Folds events into a run. */
export const foldRun = (events: ReadonlyArray<RunEvent>, from: Run = initialRun): Run => events.reduce(evolveRun, from)
