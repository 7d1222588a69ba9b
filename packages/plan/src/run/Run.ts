import { leastPin, Owner, Pin } from "@souffleur/domain"
import { Count, Text, Time } from "@souffleur/eventlog"
import { Schema, Struct } from "effect"
import { LeftTree, WorkingTree } from "../tree/TaskTree.ts"
import { Assignment } from "./RunFields.ts"
import {
  AgreedPlan,
  Away,
  Chosen,
  ConfigOverreached,
  EscalationReason,
  Feedback,
  AgentRole,
  Delivered,
  Died,
  OwnBranch,
  Reverting,
  RunPaused,
  RunWaitKind,
  SessionChoice,
  TaskOutline,
  nothingUsed,
  Used,
  Work
} from "./RunEvent.ts"

/** The states of a task, as the state file writes them. */
export const TaskStatus = Schema.Literals(["pending", "in_progress", "completed", "escalated"])
export type TaskStatus = typeof TaskStatus.Type

/** One task of a run, folded from its events. */
export const Task = Schema.Struct({
  ...TaskOutline.fields,
  status: TaskStatus,
  /** Count of implementations that were begun (`attempts` of the state file; spec: behaviour#state-file). */
  attempts: Count,
  /** Rejections since the task began, or since a person's last answer: the ladder counts them. */
  rejections: Count,
  /** Failed assignments in a row: of implementers, and of reviewers of this implementation. */
  failures: Count,
  reviewFailures: Count,
  /** The feedback of every rejection, oldest first. */
  feedback: Schema.Array(Feedback),
  /** The findings of its reviews that hold nothing up. They are a person's, and no implementer is told of them. */
  minor: Schema.Array(Text),
  /** A person's words after escalations. */
  guidance: Schema.Array(Text),
  /** Why the last implementer failed; `null`: it did not. */
  lastFailure: Schema.NullOr(Text),
  /** The hint for a person about that failure; `null`: there is none. */
  lastHint: Schema.NullOr(Text),
  /** The launch of the newest agent that worked on the task or reviewed it. */
  lastLaunch: Schema.NullOr(Text),
  /** The session that the next attempt resumes; `null`: a fresh implementer. */
  implementer: Schema.NullOr(Text),
  /** The model and the effort of the newest session of each role, with which it is resumed. */
  choices: Schema.Struct({ implementer: SessionChoice, reviewer: SessionChoice }),
  /** Fresh implementers after a second rejection: each has the next model of the plan. */
  climbed: Count,
  /** The agent whose session is to go on, and what is left to do; `null`: there is none. */
  nudge: Schema.NullOr(Schema.Struct({ role: AgentRole, sessionId: Text, message: Text, died: Schema.NullOr(Died) })),
  /** The commit that the task began from, and the last reviewed one. Later commits are its work. */
  base: Schema.NullOr(Text),
  reviewed: Schema.NullOr(Text),
  /** Files that git did not know when the task began; `null`: unknown. */
  untracked: Schema.NullOr(Schema.Array(Text)),
  /** The implementation that waits for its gate, and then for a reviewer. `verified`: its gate took it. */
  implementation: Schema.NullOr(Schema.Struct({ head: Text, verified: Schema.Boolean })),
  /** Refusals of its gate since the last rejection, or since a person's last answer. */
  gateFailures: Count,
  /** True if its gate took the work that was approved. */
  verified: Schema.Boolean,
  work: Work,
  /** Commits that its implementers are known to have made. */
  made: Schema.Array(Text),
  /** Approved work of the task from before a person had it done again; `null`: there is none. */
  earlier: Schema.NullOr(Work),
  /** By all agents that worked on it or reviewed it. */
  used: Used,
  escalation: Schema.NullOr(Schema.Struct({ reason: EscalationReason, message: Text })),
  skipped: Schema.Boolean,
  /** The task's `digest` when it was approved; `null`: unknown. */
  doneAs: Schema.NullOr(Text),
  /** Its own work tree; `null`: it has none, or needs it no more. */
  tree: Schema.NullOr(WorkingTree),
  /** True if the task was begun in this run, so that its `base` is known. */
  begun: Schema.Boolean,
  /** True if the plan has lost the task while an agent is at work on it. It is forgotten when that agent has ended. */
  dropped: Schema.Boolean,
  startedAt: Schema.NullOr(Time),
  completedAt: Schema.NullOr(Time)
})
export type Task = typeof Task.Type

export { Assignment }

/** One plan that is conducted in one project: the second aggregate on the log (spec: behaviour#run). */
export const Run = Schema.Struct({
  revision: Count,
  /** The revision since which a press about the run means the same. */
  stanceSince: Count,
  phase: Schema.Literals(["new", "implementation", "completion", "finished"]),
  workflowId: Text,
  project: Text,
  /** The root of its git work tree. */
  workTree: Text,
  plan: Text,
  digest: Text,
  pin: Pin,
  /** The part of the config file beyond the pin, as a person was told of it. */
  overreach: Schema.UndefinedOr(
    Schema.Struct({ said: ConfigOverreached.fields.said, keys: ConfigOverreached.fields.keys })
  ),
  tasks: Schema.Array(Task),
  /** The plan of the run's opening, or as a person took it since (spec: behaviour#the-plan-is-a-persons). */
  agreed: AgreedPlan,
  /** Ids of tasks that a person let go with a plan that lacks them, and that were not complete. */
  dropped: Schema.Array(Text),
  /** Ids of the tasks that have begun and are not over, as they were taken up. */
  current: Schema.Array(Text),
  /** The branch on which the newest task began. `null`: none; `undefined`: any branch will do. */
  branch: Schema.UndefinedOr(Schema.NullOr(Text)),
  /** The branch that souffleur made for it; `null`: none. */
  ownBranch: Schema.NullOr(OwnBranch),
  /** Those whose outcome is not known yet, as they were asked for. */
  assignments: Schema.Array(Assignment),
  /** Work trees that no task needs any more. */
  trees: Schema.Array(LeftTree),
  /** As its newest conductor has it; `null`: no conductor said. */
  chosen: Schema.NullOr(Chosen),
  /** Count of the agents that were asked for. */
  asked: Count,
  /** The service refuses agents until that time (epoch ms). `agent`, `sessionId`: of the refused assignment. */
  wait: Schema.NullOr(
    Schema.Struct({ kind: RunWaitKind, since: Time, until: Time, agent: Schema.NullOr(Text), sessionId: Text })
  ),
  /** Counts of such waits in a row, since an agent had any other outcome: for the service, and for a person. */
  waits: Count,
  refusals: Count,
  away: Away,
  /** A person lets agents be asked within the quiet hours that end then. */
  awakeUntil: Time,
  /** By all agents since `allowedSince`: the run's opening, or a person's word that allows as much again. */
  used: Used,
  allowedSince: Time,
  /** The commit from which the first agent begins, as the gates judged it; `null`: they did not. */
  baseline: Schema.NullOr(Schema.Struct({ head: Schema.NullOr(Text), red: Schema.Boolean })),
  /** What is unclear in the plan, once that is `asked`; `null`: nobody is to be asked. */
  questions: Schema.NullOr(Schema.Struct({ asked: Schema.Boolean, list: Schema.Array(Text) })),
  /** The commit from which the first task began; `null`: there was none yet. Absent: none has begun. */
  firstBase: Schema.optionalKey(Schema.NullOr(Text)),
  /** A person holds the run: nothing further begins. */
  held: Schema.NullOr(Schema.Struct({ since: Time })),
  /** A person stopped the run, after the agent at work or with it (`now`), until a person conducts it again. */
  stop: Schema.NullOr(Schema.Struct({ since: Time, now: Schema.Boolean })),
  /** `null`: nothing is to be taken back. */
  reverting: Schema.NullOr(Reverting),
  /** Commits that were taken back, and those that do it: together they change nothing. */
  takenBack: Schema.Array(Text),
  paused: Schema.NullOr(Schema.Struct(Struct.pick(RunPaused.fields, ["reason", "files", "message"]))),
  fence: Count,
  owner: Schema.NullOr(Owner),
  summary: Schema.NullOr(Schema.Struct({ completed: Count, skipped: Count, commits: Count, files: Count })),
  finishing: Schema.Literals(["not begun", "begun", "none", "done", "failed", "skipped"]),
  /** Why the finishing step failed. */
  finishingFailure: Schema.NullOr(Text),
  /** True if a person has it tried again: they know what is on the branch. */
  finishingRetried: Schema.Boolean,
  /** Where souffleur itself brought the work; `null`: nowhere. */
  delivered: Schema.NullOr(Delivered),
  /** Epoch milliseconds, as all times here. */
  openedAt: Time,
  lastEventAt: Time,
  implementedAt: Schema.NullOr(Time)
})
export interface Run extends Schema.Schema.Type<typeof Run> {}

/** The run before its first event. */
export const initialRun: Run = {
  revision: 0,
  stanceSince: 0,
  phase: "new",
  workflowId: "",
  project: "",
  workTree: "",
  plan: "",
  digest: "",
  pin: leastPin,
  overreach: undefined,
  tasks: [],
  agreed: { tasks: [], finishingDigest: null, branch: null },
  dropped: [],
  current: [],
  branch: undefined,
  ownBranch: null,
  assignments: [],
  trees: [],
  chosen: null,
  asked: 0,
  wait: null,
  waits: 0,
  refusals: 0,
  away: {},
  awakeUntil: 0,
  used: nothingUsed,
  allowedSince: 0,
  baseline: null,
  questions: null,
  held: null,
  stop: null,
  reverting: null,
  takenBack: [],
  paused: null,
  fence: 0,
  owner: null,
  summary: null,
  finishing: "not begun",
  finishingFailure: null,
  finishingRetried: false,
  delivered: null,
  openedAt: 0,
  lastEventAt: 0,
  implementedAt: null
}

/** Returns a task of the plan that nothing was done for yet. */
export const freshTask = (outline: TaskOutline): Task => ({
  ...outline,
  status: "pending",
  attempts: 0,
  rejections: 0,
  failures: 0,
  reviewFailures: 0,
  feedback: [],
  minor: [],
  guidance: [],
  lastFailure: null,
  lastHint: null,
  lastLaunch: null,
  implementer: null,
  choices: { implementer: {}, reviewer: {} },
  climbed: 0,
  nudge: null,
  base: null,
  untracked: null,
  reviewed: null,
  implementation: null,
  gateFailures: 0,
  verified: false,
  work: { commits: [], files: [], testFile: null },
  made: [],
  earlier: null,
  used: nothingUsed,
  escalation: null,
  skipped: false,
  doneAs: null,
  tree: null,
  begun: false,
  dropped: false,
  startedAt: null,
  completedAt: null
})

/** Finds a task by its id. `undefined`: the plan has none. */
export const taskOf = (run: Run, id: string | null): Task | undefined => run.tasks.find((task) => task.id === id)

/** Finds an assignment whose outcome is not known yet. `undefined`: there is none. */
export const assignmentOf = (run: Run, token: string): Assignment | undefined =>
  run.assignments.find((one) => one.token === token)

/** Returns whether an agent of a task has no outcome yet. */
export const isAtWork = ({ assignments }: Run, taskId: string): boolean =>
  assignments.some((one) => one.taskId === taskId)

/** Returns whether nothing is left to do, not even for the user. */
export const isRunOver = ({ finishing, paused, phase }: Run): boolean =>
  phase === "finished" && finishing !== "failed" && paused?.reason !== "plan"

/** Returns the idempotency token of an agent's launch (spec: behaviour#launch-at-most-once). */
export const launchIdOf = (run: string, token: string) => `run-${run}-${token}`
