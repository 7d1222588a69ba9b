import { Bounds, evolvePin } from "@souffleur/domain"
import { Match } from "effect"
import { freshTask, initialRun, type Run, type Task, taskOf, type Assignment } from "./Run.ts"
import type { ImportedTask, RunEvent, TaskOutline } from "./RunEvent.ts"

type Change = { readonly [K in keyof Run]?: Run[K] }
type Evolve = { readonly [T in RunEvent["_tag"]]: (event: Extract<RunEvent, { readonly _tag: T }>) => Change }

const withTask = (
  run: Run,
  id: string | null,
  change: (task: Task) => { readonly [K in keyof Task]?: Task[K] }
): Change => ({
  tasks: run.tasks.map((task) => (task.id === id ? { ...task, ...change(task) } : task))
})

/**
 * Returns the tasks in the plan's order. Complete tasks that left the plan stay, before the others. So does a task with
 * an agent at work, until that has ended.
 */
const revised = (run: Run, outlines: ReadonlyArray<TaskOutline>): ReadonlyArray<Task> => [
  ...run.tasks
    .filter(({ id }) => !outlines.some((outline) => outline.id === id))
    .map((task) => ({ ...task, dropped: task.status !== "completed" })),
  ...outlines.map((outline) => ({ ...(taskOf(run, outline.id) ?? freshTask(outline)), ...outline, dropped: false }))
]

/** Forgets the tasks that were dropped and have no agent at work. */
const swept = (run: Run): Run => {
  const tasks = run.tasks.filter(({ dropped, id }) => !dropped || run.assignment?.taskId === id)
  return tasks.length === run.tasks.length
    ? run
    : { ...run, tasks, current: taskOf({ ...run, tasks }, run.current)?.id ?? null }
}

/**
 * Takes a task over from a state file, and the ladder goes on where the file says. The implementer's session is
 * unknown, so a task in progress gets a fresh one.
 */
const imported = (task: Task, found: ImportedTask): Task => ({
  ...task,
  status: found.status === "in_progress" ? "pending" : found.status,
  attempts: found.attempts,
  rejections: Math.min(found.feedback.length, 2),
  feedback: found.feedback,
  work: found.work,
  startedAt: found.startedAt,
  completedAt: found.completedAt,
  escalation:
    found.status === "escalated"
      ? (found.escalation ?? { reason: "rejections", message: "escalated before this run" })
      : null
})

const assignmentOver: Change = { assignment: null, waits: 0 }

/**
 * Returns what changes in a task by a person's answer: the ladder begins again, and all feedback is kept. `lost`: the
 * task's work is gone.
 */
const answered = (
  task: Task,
  event: Extract<RunEvent, { readonly _tag: "TaskAnswered" }>,
  lost: boolean
): { readonly [K in keyof Task]?: Task[K] } => {
  const again = { escalation: null, rejections: 0, failures: 0, reviewFailures: 0, implementer: null }
  // Work of an earlier run, or work that was lost, starts over from what is there: its outcome is unknown.
  const freshStart =
    task.begun && task.status !== "completed" && !lost
      ? { status: "in_progress" as const }
      : { status: "pending" as const, work: freshTask(task).work, base: null, reviewed: null, completedAt: null }
  switch (event.answer) {
    case "skip":
      return { ...again, status: "completed", skipped: true, completedAt: event.at, implementation: null }
    case "retry":
      // After failed reviews the implementation still waits for a reviewer.
      return {
        ...again,
        ...freshStart,
        implementation: task.escalation?.reason === "reviewer failures" ? task.implementation : null
      }
    case "guidance":
      return { ...again, ...freshStart, implementation: null, guidance: [...task.guidance, event.text] }
  }
}

const change = (run: Run, event: RunEvent): Change =>
  Match.valueTags<RunEvent, Evolve>(event, {
    RunOpened: ({ at, digest, finishingDigest, pin, plan, project, tasks, workflowId, workTree }) => ({
      phase: "implementation",
      workflowId,
      project,
      workTree: workTree ?? project,
      plan,
      digest,
      pin,
      finishingDigest,
      tasks: tasks.map(freshTask),
      openedAt: at
    }),
    PlanRevised: ({ digest, tasks }) => {
      const all = revised(run, tasks)
      const more = all.some(({ status }) => status === "pending")
      return {
        digest,
        tasks: all,
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
    RunTaken: ({ fence, owner }) => ({ fence, owner }),
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
    AgentAsked: ({ at, attempt, head, resumed, role, sessionId, taskId, token }) => ({
      assignment: {
        token,
        role,
        taskId,
        attempt,
        sessionId,
        resumed,
        head,
        askedAt: at,
        fence: run.fence,
        word: null,
        launch: null,
        ending: null
      },
      assignments: run.assignments + 1,
      ...(role === "implementer" ? withTask(run, taskId, () => ({ attempts: attempt, implementer: sessionId })) : {}),
      ...(role === "finisher" ? { finishing: "begun", finishingAccepted: false } : {})
    }),
    AgentPrepared: ({ word }) => (run.assignment === null ? {} : { assignment: { ...run.assignment, word } }),
    AgentLaunched: ({ at, launchId, process }) =>
      run.assignment === null
        ? {}
        : {
            assignment: { ...run.assignment, launch: { launchId, process, at } },
            ...withTask(run, run.assignment.taskId, () => ({ lastLaunch: launchId }))
          },
    AgentEnding: ({ reason, limit }) =>
      run.assignment === null ? {} : { assignment: { ...run.assignment, ending: { reason, limit } } },
    AgentNeverRan: () => (run.assignment === null ? {} : { assignment: null, ...unasked(run, run.assignment) }),
    AgentLimited: ({ at, kind, until }) => ({
      assignment: null,
      wait: { kind, until: Bounds.waitUntil(at, until) },
      waits: run.waits + 1,
      ...(run.assignment === null ? {} : unasked(run, { ...run.assignment, resumed: true }))
    }),
    LimitWaitEnded: () => ({ wait: null }),
    ImplementationCompleted: ({ commits, files, head, taskId, testFile }) => ({
      ...assignmentOver,
      ...withTask(run, taskId, () => ({
        implementation: { head },
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
        // An agent that was not seen to its end may have been stopped with souffleur: that is no failure of the work.
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
        feedback: [...task.feedback, feedback],
        reviewed: task.implementation?.head ?? task.reviewed,
        implementation: null,
        implementer: task.rejections + 1 < 2 ? task.implementer : null
      }))
    }),
    ReviewFailed: ({ reason, taskId }) => ({
      ...assignmentOver,
      ...withTask(run, taskId, (task) => ({ reviewFailures: task.reviewFailures + (reason === "lost" ? 0 : 1) }))
    }),
    WorkChanged: ({ commits, files, head, taskId }) =>
      withTask(run, taskId, ({ work }) => ({
        work: { commits, files, testFile: files.find((file) => file === work.testFile) ?? null },
        ...(head === null || commits.length === 0 || files.length === 0
          ? {
              implementation: null,
              implementer: null,
              lastFailure: "its commits are not there any more",
              lastHint: null
            }
          : { implementation: { head } })
      })),
    TaskCompleted: ({ at, commits, files, taskId, testFile }) => ({
      current: null,
      ...withTask(run, taskId, ({ digest }) => ({
        status: "completed",
        doneAs: digest ?? null,
        work: { commits, files, testFile },
        completedAt: at,
        implementation: null,
        implementer: null
      }))
    }),
    TaskEscalated: ({ reason, message, taskId }) =>
      withTask(run, taskId, () => ({ status: "escalated", escalation: { reason, message } })),
    TaskAnswered: (event) => {
      // The task goes on where git is now, with what there is.
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
    RunResumed: () => ({ paused: null }),
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
        : { phase: "completion", finishing: "not begun", finishingFailure: null, finishingAccepted: true },
    ConfigOverreached: evolvePin.ConfigOverreached,
    ConfigWithdrawn: evolvePin.ConfigWithdrawn,
    TrustGiven: (event) => evolvePin.TrustGiven(event, run)
  })

/**
 * Takes back an assignment that ended without a fault: it is no attempt. A session that was never begun cannot be
 * resumed.
 */
const unasked = (run: Run, { attempt, resumed, role, sessionId, taskId }: Assignment): Change => {
  if (role === "finisher") return { finishing: "not begun" }
  return role === "implementer"
    ? withTask(run, taskId, () => ({ attempts: attempt - 1, implementer: resumed ? sessionId : null }))
    : {}
}

/** Returns the run after an event. */
export const evolveRun = (run: Run, event: RunEvent): Run =>
  swept({ ...run, ...change(run, event), revision: run.revision + 1, lastEventAt: event.at })

/** Folds events into a run. */
export const foldRun = (events: ReadonlyArray<RunEvent>, from: Run = initialRun): Run => events.reduce(evolveRun, from)
