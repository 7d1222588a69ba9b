import { Event as Watched, leastPin, Owner, phoneEvents, Pin } from "@souffleur/domain"
import { type EventCodec, eventCodec, Count, Text, event } from "@souffleur/eventlog"
import { Effect, Schema } from "effect"
import * as Tree from "../tree/TreeEvent.ts"
import * as Assignment from "./AssignmentEvent.ts"
import {
  Chosen,
  Delivered,
  EscalationReason,
  ImportedTask,
  OwnBranch,
  PauseReason,
  PlanAgents,
  RefusedWork,
  Reviewed,
  TaskOutline,
  TreeTerms,
  Work
} from "./RunFields.ts"

export * from "../tree/TreeEvent.ts"
export * from "./AssignmentEvent.ts"
export * from "./RunFields.ts"

/*
 * The events of a run, in the past tense. They are versioned and frozen as those of a watch are (docs/events.md). Of
 * what agents say they hold the verdicts alone, bounded and in a fixed form.
 */

const Texts = Schema.Array(Schema.String)
const TextOrNull = Schema.NullOr(Text).pipe(Schema.withConstructorDefault(Effect.succeed(null)))

/** A plan is conducted in a project. No agent was asked yet. */
export const RunOpened = event("RunOpened", {
  workflowId: Text,
  project: Text,
  /**
   * The root of its git work tree, which has one conductor, whatever folder of it is the project. `null`: the project
   * itself.
   */
  workTree: TextOrNull,
  plan: Text,
  digest: Text,
  tasks: Schema.Array(TaskOutline),
  /** The ceiling and the programs in force. */
  pin: Pin.pipe(Schema.withConstructorDefault(Effect.succeed(leastPin))),
  /** SHA-256 of the plan's finishing step; `null`: it had none. */
  finishingDigest: TextOrNull,
  /** The branch that the plan asks for, or `auto`; `null`: none. */
  branch: TextOrNull,
  /** The agents that the plan chose; absent: none. */
  agents: Schema.optionalKey(PlanAgents),
  /** The plan is questioned before its first task. Absent: it is not. */
  questions: Schema.optionalKey(Schema.Literal(true)),
  ...TreeTerms.fields
})
/**
 * The config file asks for more than the pin, and a person's word about it. A channel gave a notice up. Buttons of
 * notices are offered and pressed. A watch has the same events.
 */
export const {
  ButtonsOffered,
  ConfigOverreached,
  ConfigWithdrawn,
  NoticeLost,
  PhoneWordRefused,
  PhoneWordTaken,
  TrustGiven
} = Watched
/**
 * A person took the plan as its file was then. `changed`: complete tasks whose text is another one since. `dropped`:
 * tasks that it lacks, and that were not complete.
 */
export const PlanRevised = event("PlanRevised", {
  digest: Text,
  tasks: Schema.Array(TaskOutline),
  finishingDigest: TextOrNull,
  branch: TextOrNull,
  agents: Schema.optionalKey(PlanAgents),
  ...TreeTerms.fields,
  changed: Texts.pipe(Schema.withConstructorDefault(Effect.succeed([]))),
  dropped: Texts.pipe(Schema.withConstructorDefault(Effect.succeed([])))
})
/** A process of souffleur took the run under a greater fence (spec: behaviour#one-owner). `chosen`: its agents. */
export const RunTaken = event("RunTaken", { fence: Count, owner: Owner, chosen: Schema.optionalKey(Chosen) })
/** The owner left by itself; the run can be taken at once. */
export const RunLeft = event("RunLeft", { fence: Count })
/** A person says that the owner is gone, which cannot be seen from `host`. The run can be taken there. */
export const RunMoved = event("RunMoved", { from: Owner, host: Text })

/** A state file of this format was there before the run. */
export const ProgressImported = event("ProgressImported", {
  from: Schema.Literals(["state", "backup"]),
  tasks: Schema.Array(ImportedTask),
  /** Its word on the finishing step, which is asked once; `null`: it has none. */
  finishing: Schema.NullOr(Schema.Literals(["begun", "none", "done", "failed", "skipped"]))
})
/** The plan had a task as done when the run took it, or a final review has nothing to judge. */
export const TaskDoneBefore = event("TaskDoneBefore", { taskId: Text, final: Schema.optionalKey(Schema.Literal(true)) })
/** A task of the state file, or a begun task, is not in the plan. */
export const UnknownTaskSkipped = event("UnknownTaskSkipped", { taskId: Text })
/**
 * The state file held no progress of this run, and was written again (spec: behaviour#state-file). `kept`: where the
 * old content is now; `null`: it was not kept.
 */
export const StateFileRebuilt = event("StateFileRebuilt", {
  found: Schema.Literals(["missing", "corrupt", "backup"]),
  from: Schema.Literals(["plan", "log", "backup"]),
  kept: TextOrNull
})

/** The run is about to make this branch of its own. */
export const BranchChosen = event("BranchChosen", { branch: Text, from: OwnBranch.fields.from })
/** That branch is there, and checked out. */
export const BranchBegun = event("BranchBegun", {
  branch: Text,
  from: OwnBranch.fields.from,
  base: OwnBranch.fields.base,
  remote: OwnBranch.fields.remote
})
/**
 * `base`: the commit that the task begins from; `null`: there is none yet. `branch`: what is checked out; `null`: none.
 * `untracked`: files that git neither knows nor ignores by then; `null`: too many to tell, or unknown. `review`: it is
 * the final review, which begins with its reviewer.
 */
export const TaskStarted = event("TaskStarted", {
  taskId: Text,
  base: Schema.NullOr(Text),
  branch: TextOrNull,
  untracked: Schema.NullOr(Texts).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  review: Schema.optionalKey(Reviewed)
})
/** The work that waits for a reviewer is not what its implementer left. Commits were added since, or taken back. */
export const WorkChanged = event("WorkChanged", {
  taskId: Text,
  head: Schema.NullOr(Text),
  commits: Texts,
  files: Texts
})

/** The work of a task is accepted, and is in git. */
export const TaskCompleted = event("TaskCompleted", { taskId: Text, ...Work.fields })
/** The gate of a task took its work at this commit. `programs`: those that ended with 0, as lines, in their order. */
export const WorkVerified = event("WorkVerified", { taskId: Text, head: Text, programs: Texts })
/** A program of the gate refused the work of a task at this commit. */
export const WorkRefused = event("WorkRefused", { taskId: Text, head: Text, ...RefusedWork.fields })
/** The gates took the commit that the first agent begins from; `head`: `null`: there is none. */
export const BaselineVerified = event("BaselineVerified", { head: Schema.NullOr(Text) })
/** A program of a gate refused that commit. */
export const BaselineRefused = event("BaselineRefused", { head: Text, ...RefusedWork.fields })
/** Programs of a gate left these processes running, which are ended next. */
export const GateLeftEnding = event("GateLeftEnding", { pids: Schema.Array(Schema.Int) })
/**
 * A reviewer was asked once what is unclear in the plan; no `questions`: nothing is. `message`: why it gave no verdict;
 * `null`: it gave one.
 */
export const PlanQuestioned = event("PlanQuestioned", { token: Text, questions: Texts, message: Schema.NullOr(Text) })
/** A person lets the first agent begin from a commit that a gate refuses. */
export const RedAllowed = event("RedAllowed", {})

/** A person holds the run: nothing further begins until that ends. */
export const RunHeld = event("RunHeld", {})
/** A person ended the hold. */
export const RunHoldEnded = event("RunHoldEnded", {})
/** A person stops the run after the agent at work, or with it (`now`). `reason`: the person's own words. */
export const RunStopAsked = event("RunStopAsked", { now: Schema.Boolean, reason: TextOrNull })
/** A person conducts a stopped run again. */
export const RunStopEnded = event("RunStopEnded", {})
/** A person wants a complete task done again on top of what is there. `text`: what to do; empty: as it is asked for. */
export const TaskRedoAsked = event("TaskRedoAsked", { taskId: Text, text: Text })
/** A person wants the commits of a skipped task taken back, oldest first. */
export const RevertAsked = event("RevertAsked", { taskId: Text, commits: Texts })
/** The commits that take them back are made, up to `to`. HEAD is still `from`, and is moved next. */
export const RevertPlanned = event("RevertPlanned", { taskId: Text, from: Text, to: Text, made: Texts })
/** HEAD has the commits that take the work of the task back. */
export const WorkReverted = event("WorkReverted", { taskId: Text, to: Text })
/** They cannot be taken back on top of `head`, where nothing was changed. */
export const RevertRefused = event("RevertRefused", { taskId: Text, head: Text, message: Text })

/** A task waits for a person's answer. */
export const TaskEscalated = event("TaskEscalated", { taskId: Text, reason: EscalationReason, message: Text })
/** A person's answer to an escalation. */
export const TaskAnswered = event("TaskAnswered", {
  taskId: Text,
  answer: Schema.Literals(["guidance", "retry", "skip"]),
  text: Text
})

/**
 * A person must put something right: git (spec: behaviour#git), a plan that has changed, an agent that is not provably
 * gone, or an error of the loop. `files`: relative to the project. `message` says more.
 */
export const RunPaused = event("RunPaused", { reason: PauseReason, files: Texts, message: Text })
/** The reason of the pause is put right. */
export const RunResumed = event("RunResumed", {})

/**
 * Every task is complete, and git still has their work: phase `completion`. `missing`: commits of skipped tasks that
 * HEAD does not have. `dropped`: tasks that a person let go with the plan.
 */
export const RunVerified = event("RunVerified", {
  completed: Count,
  skipped: Count,
  commits: Count,
  files: Count,
  missing: Texts,
  dropped: Texts.pipe(Schema.withConstructorDefault(Effect.succeed([])))
})
/** The finishing step has an outcome. Only a person's word has it tried again. */
export const RunFinished = event("RunFinished", {
  finishing: Schema.Literals(["none", "done", "failed"]),
  message: Text,
  /** `null`: it stays where it is, as far as souffleur is concerned. */
  delivered: Schema.NullOr(Delivered).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
/** A person's answer to a finishing step that failed: ask for it once more, or leave it. */
export const FinishingAnswered = event("FinishingAnswered", { answer: Schema.Literals(["retry", "skip"]) })

/** Any event of a run. */
export const RunEvent = Schema.Union([
  RunOpened,
  PlanRevised,
  RunTaken,
  RunLeft,
  RunMoved,
  ProgressImported,
  TaskDoneBefore,
  UnknownTaskSkipped,
  StateFileRebuilt,
  BranchChosen,
  BranchBegun,
  Tree.TreeChosen,
  TaskStarted,
  Assignment.AgentAsked,
  Assignment.AgentPrepared,
  Assignment.AgentLaunched,
  Assignment.AgentSessionFound,
  Assignment.AgentNeverRan,
  Assignment.AgentEnding,
  Assignment.AgentNudged,
  Assignment.ImplementationCompleted,
  Assignment.ImplementationBlocked,
  Assignment.ImplementationFailed,
  Assignment.ReviewApproved,
  Assignment.ReviewRejected,
  Assignment.ReviewFailed,
  WorkChanged,
  Assignment.AgentLimited,
  Assignment.AgentReplaced,
  Assignment.AgentStopped,
  Assignment.AgentSpent,
  Assignment.QuietBegan,
  Assignment.AllowanceRenewed,
  Assignment.LimitWaitEnded,
  Tree.LandingPlanned,
  Tree.LandingRefused,
  TaskCompleted,
  Tree.TreeCleared,
  WorkVerified,
  WorkRefused,
  BaselineVerified,
  BaselineRefused,
  GateLeftEnding,
  PlanQuestioned,
  RedAllowed,
  TaskEscalated,
  TaskAnswered,
  RunHeld,
  RunHoldEnded,
  RunStopAsked,
  RunStopEnded,
  TaskRedoAsked,
  RevertAsked,
  RevertPlanned,
  WorkReverted,
  RevertRefused,
  RunPaused,
  RunResumed,
  RunVerified,
  RunFinished,
  FinishingAnswered,
  ConfigOverreached,
  ConfigWithdrawn,
  TrustGiven,
  NoticeLost,
  ...phoneEvents
])
export type RunEvent = Exclude<typeof RunEvent.Type, never> // A union of its own, which declarations name.

/** The versions of tags that have an older one. A field was added since, or a word that a field may hold. */
const versions: { readonly [Tag in RunEvent["_tag"]]?: number } = {}

/** Returns the version that this souffleur writes for a tag. */
export const runVersionOf = (tag: RunEvent["_tag"]): number => versions[tag] ?? 1

/** The events of a run; its stream is `run/<id>`. */
export const runCodec: EventCodec<RunEvent> = eventCodec<RunEvent>("run/", RunEvent.members, runVersionOf)
