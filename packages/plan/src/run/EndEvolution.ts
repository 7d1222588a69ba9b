import { Bounds } from "@souffleur/domain"
import { assignmentOf, type Run } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { isPersons } from "./RunFields.ts"
import { type RunChange, revised, takenBack, withTask } from "./TaskEvolution.ts"

type Of<T extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: T }>

/** Returns the assignments without one that is over. */
export const withoutAssignment = ({ assignments }: Run, { token }: { readonly token: string }): Run["assignments"] =>
  assignments.filter((one) => one.token !== token)

/**
 * Ends an assignment that had any outcome of its agent. An agent that was asked before a wait does not show that the
 * service serves again.
 */
export const assignmentOver = (run: Run, ended: { readonly token: string }): RunChange => ({
  assignments: withoutAssignment(run, ended),
  ...(run.wait === null ? { waits: 0, refusals: 0 } : {})
})

/**
 * Returns the wait of a run after another refusal of the service: it is one wait until the latest end, and a person's
 * where one of the refusals is.
 */
export const limitedRun = (run: Run, event: Of<"AgentLimited">): RunChange => {
  const { agent = null, sessionId = "" } = assignmentOf(run, event.token) ?? {}
  const { at, kind } = event
  const until = Bounds.waitUntil(at, event.until)
  const before = run.wait?.kind === "quiet-hours" ? null : run.wait
  const wait = { kind, since: at, until, agent, sessionId }
  const isCounted = before === null || isPersons(before.kind) !== isPersons(kind)
  const counts = isPersons(kind) ? { refusals: run.refusals + 1 } : { waits: run.waits + 1 }
  return {
    wait:
      before === null
        ? wait
        : {
            ...(isPersons(kind) && !isPersons(before.kind) ? wait : before),
            until: Math.max(before.until, until)
          },
    ...(isCounted ? counts : {})
  }
}

/** The finishing step is at work alone. */
const allOver: RunChange = { assignments: [], waits: 0, refusals: 0 }

const unfinished = {
  finishing: "not begun",
  finishingFailure: null,
  finishingRetried: false,
  delivered: null
} as const satisfies RunChange

/** A run whose tasks were all complete goes on with more of them. */
export const moreToDo: RunChange = { phase: "implementation", implementedAt: null, summary: null, ...unfinished }

/** Returns the plan that a person took. */
export const agreedOf = ({
  agents,
  branch,
  finishingDigest,
  keepsGoing,
  parallel,
  tasks,
  worktrees
}: Pick<Of<"RunOpened" | "PlanRevised">, keyof Run["agreed"]>): Run["agreed"] => ({
  tasks,
  finishingDigest,
  branch,
  ...(agents === undefined ? {} : { agents }),
  ...(worktrees === undefined ? {} : { worktrees }),
  ...(keepsGoing === undefined ? {} : { keepsGoing }),
  ...(parallel === undefined ? {} : { parallel })
})

/** The pauses that another plan ends. */
const ofPlan: ReadonlySet<NonNullable<Run["paused"]>["reason"]> = new Set(["plan", "red", "branch", "questions"])

/** Returns what changes where a person takes the plan as it is. What has more to do is not at its end. */
export const revisedRun = (run: Run, { digest, dropped, tasks, ...more }: Of<"PlanRevised">): RunChange => {
  const all = revised(run, tasks)
  const isMore = all.some(({ status }) => status === "pending")
  return {
    digest,
    agreed: agreedOf({ tasks, ...more }),
    tasks: all,
    dropped: [...new Set([...run.dropped, ...dropped])].filter((id) => !tasks.some((task) => task.id === id)),
    paused: run.paused !== null && ofPlan.has(run.paused.reason) ? null : run.paused,
    baseline: run.baseline?.red === true ? null : run.baseline,
    ...(isMore ? moreToDo : {})
  }
}

/** Returns what changes once every task is complete. */
export const verifiedRun = ({ at, commits, completed, files, skipped }: Of<"RunVerified">): RunChange => ({
  phase: "completion",
  implementedAt: at,
  summary: { completed, skipped, commits, files }
})

/** Returns what changes by the end of a run. A finish is not the end when the plan has got more to do meanwhile. */
export const finishedRun = (run: Run, { delivered, finishing, message }: Of<"RunFinished">): RunChange =>
  run.phase === "implementation"
    ? allOver
    : {
        ...allOver,
        phase: "finished",
        finishing,
        delivered,
        finishingFailure: finishing === "failed" ? message : null
      }

/** Returns what changes by a person's answer to a finishing step that failed. */
export const answeredFinishing = ({ answer }: Of<"FinishingAnswered">): RunChange =>
  answer === "skip"
    ? { finishing: "skipped", finishingFailure: null }
    : { ...unfinished, phase: "completion", finishingRetried: true }

/** Returns what changes once rejected commits were taken back: with those that did it, they come to nothing. */
export const revertedRun = (run: Run, { taskId }: Of<"WorkReverted">): RunChange => ({
  reverting: null,
  takenBack: [...run.takenBack, ...(run.reverting?.commits ?? []), ...(run.reverting?.made ?? [])],
  ...withTask(run, taskId, (task) => takenBack(task, run))
})
