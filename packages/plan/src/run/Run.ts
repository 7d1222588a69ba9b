import { leastPin, type Owner, type Pinned, type ProcessIdentity } from "@souffleur/domain"
import type {
  EndingReason,
  EscalationReason,
  Feedback,
  LimitKind,
  Role,
  RunPaused,
  TaskOutline,
  Work
} from "./RunEvent.ts"

export type TaskStatus = "pending" | "in_progress" | "completed" | "escalated"

/** One task of a run, folded from its events. */
export interface Task extends TaskOutline {
  readonly status: TaskStatus
  /** Count of implementations that were begun (`attempts` of the state file; spec: behaviour#state-file). */
  readonly attempts: number
  /** Rejections since the task began, or since a person's last answer: the ladder counts them. */
  readonly rejections: number
  /** Failed assignments in a row: of implementers, and of reviewers of this implementation. */
  readonly failures: number
  readonly reviewFailures: number
  /** The feedback of every rejection, oldest first. */
  readonly feedback: ReadonlyArray<Feedback>
  /** A person's words after escalations. */
  readonly guidance: ReadonlyArray<string>
  /** Why the last implementer failed; `null`: it did not. */
  readonly lastFailure: string | null
  /** The hint for a person about that failure; `null`: there is none. */
  readonly lastHint: string | null
  /** The launch of the newest agent that worked on the task or reviewed it. */
  readonly lastLaunch: string | null
  /** The session that the next attempt resumes; `null`: a fresh implementer. */
  readonly implementer: string | null
  /** The commit that the task began from, and the last reviewed one. Later commits are its work. */
  readonly base: string | null
  readonly reviewed: string | null
  /** Files that git did not know when the task began; `null`: unknown. */
  readonly untracked: ReadonlyArray<string> | null
  /** The implementation that waits for a reviewer. */
  readonly implementation: { readonly head: string } | null
  readonly work: Work
  readonly escalation: { readonly reason: EscalationReason; readonly message: string } | null
  readonly skipped: boolean
  /** The task's `digest` when it was approved; `null`: unknown. */
  readonly doneAs: string | null
  /** Whether the task was begun in this run, so that its `base` is known. */
  readonly begun: boolean
  /** Whether the plan has lost the task while an agent is at work on it. It is forgotten when that agent has ended. */
  readonly dropped: boolean
  readonly startedAt: number | null
  readonly completedAt: number | null
}

/** One launch of an agent in a run, whose outcome is not known yet. */
export interface Assignment {
  readonly token: string
  readonly role: Role
  readonly taskId: string | null
  readonly attempt: number
  readonly sessionId: string
  readonly resumed: boolean
  readonly head: string | null
  readonly askedAt: number
  /** The fence of the owner that asked for it. Another owner did not see it through. */
  readonly fence: number
  /** The digest of the word that its verdict needs; `null`: it was given none. */
  readonly word: string | null
  readonly launch: { readonly launchId: string; readonly process: ProcessIdentity; readonly at: number } | null
  /** Why it is being ended, and its `limit` in ms. It is signalled for that alone. */
  readonly ending: { readonly reason: EndingReason; readonly limit: number } | null
}

/** One plan that is conducted in one project: the second aggregate on the log (spec: behaviour#run). */
export interface Run extends Pinned {
  readonly revision: number
  readonly phase: "new" | "implementation" | "completion" | "finished"
  readonly workflowId: string
  readonly project: string
  /** The root of its git work tree. */
  readonly workTree: string
  readonly plan: string
  readonly digest: string
  readonly tasks: ReadonlyArray<Task>
  readonly current: string | null
  /** The branch on which the newest task began. `null`: none; `undefined`: any branch will do. */
  readonly branch: string | null | undefined
  readonly assignment: Assignment | null
  readonly assignments: number
  /** The service refuses agents until that time (epoch ms). */
  readonly wait: { readonly kind: LimitKind; readonly until: number } | null
  /** Count of such waits in a row, since an agent had any other outcome. */
  readonly waits: number
  readonly paused: Omit<typeof RunPaused.Type, "_tag" | "at"> | null
  readonly fence: number
  readonly owner: Owner | null
  readonly summary: {
    readonly completed: number
    readonly skipped: number
    readonly commits: number
    readonly files: number
  } | null
  readonly finishing: "not begun" | "begun" | "none" | "done" | "failed" | "skipped"
  /** SHA-256 of the finishing command that the plan had when the run was opened; `null`: none. */
  readonly finishingDigest: string | null
  /** Whether a person wants the finishing step once more, by the words that the plan has now. */
  readonly finishingAccepted: boolean
  /** Why the finishing step failed. */
  readonly finishingFailure: string | null
  /** Epoch milliseconds, as all times here. */
  readonly openedAt: number
  readonly lastEventAt: number
  readonly implementedAt: number | null
}

export const initialRun: Run = {
  revision: 0,
  phase: "new",
  workflowId: "",
  project: "",
  workTree: "",
  plan: "",
  digest: "",
  pin: leastPin,
  overreach: undefined,
  tasks: [],
  current: null,
  branch: undefined,
  assignment: null,
  assignments: 0,
  wait: null,
  waits: 0,
  paused: null,
  fence: 0,
  owner: null,
  summary: null,
  finishing: "not begun",
  finishingDigest: null,
  finishingAccepted: false,
  finishingFailure: null,
  openedAt: 0,
  lastEventAt: 0,
  implementedAt: null
}

export const freshTask = (outline: TaskOutline): Task => ({
  ...outline,
  status: "pending",
  attempts: 0,
  rejections: 0,
  failures: 0,
  reviewFailures: 0,
  feedback: [],
  guidance: [],
  lastFailure: null,
  lastHint: null,
  lastLaunch: null,
  implementer: null,
  base: null,
  untracked: null,
  reviewed: null,
  implementation: null,
  work: { commits: [], files: [], testFile: null },
  escalation: null,
  skipped: false,
  doneAs: null,
  begun: false,
  dropped: false,
  startedAt: null,
  completedAt: null
})

export const taskOf = (run: Run, id: string | null): Task | undefined => run.tasks.find((task) => task.id === id)

/** Whether nothing is left to do, for the user neither. */
export const isOver = ({ finishing, phase }: Run): boolean => phase === "finished" && finishing !== "failed"

/** Whether a person's word or hand is needed before the run goes on. */
export const needsPerson = (run: Run): boolean =>
  run.paused !== null ||
  run.tasks.some(({ status }) => status === "escalated") ||
  (run.phase === "finished" && !isOver(run))

/** The next step of a run: all that the loop decides, without the act. */
export type Next =
  /** An agent was asked for, and its outcome is awaited. */
  | { readonly _tag: "Await"; readonly assignment: Assignment }
  /** The service refuses agents until that time (epoch ms). */
  | { readonly _tag: "Wait"; readonly until: number }
  | { readonly _tag: "Start"; readonly task: Task }
  | { readonly _tag: "Ask"; readonly role: "implementer" | "reviewer"; readonly task: Task }
  /** A person's word is needed (spec: behaviour#answers). */
  | { readonly _tag: "Escalated"; readonly task: Task }
  | { readonly _tag: "Verify" }
  | { readonly _tag: "Finish" }
  | { readonly _tag: "Done" }

const isReady = (run: Run, { dependsOn, status }: Task): boolean =>
  status === "pending" && dependsOn.every((id) => (taskOf(run, id)?.status ?? "completed") === "completed")

export const next = (run: Run): Next => {
  if (run.assignment !== null) return { _tag: "Await", assignment: run.assignment }
  if (run.phase === "finished") return { _tag: "Done" }
  const escalated = run.tasks.find(({ status }) => status === "escalated")
  if (escalated !== undefined) return { _tag: "Escalated", task: escalated }
  if (run.wait !== null) return { _tag: "Wait", until: run.wait.until }
  const running = run.tasks.find(({ status }) => status === "in_progress")
  if (running !== undefined)
    return { _tag: "Ask", role: running.implementation === null ? "implementer" : "reviewer", task: running }
  const ready = run.tasks.find((task) => isReady(run, task))
  if (ready !== undefined) return { _tag: "Start", task: ready }
  return run.phase === "completion" ? { _tag: "Finish" } : { _tag: "Verify" }
}

/** Returns the idempotency token of an agent's launch (spec: behaviour#launch-at-most-once). */
export const launchIdOf = (run: string, token: string) => `run-${run}-${token}`
