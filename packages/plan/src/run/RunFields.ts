import { ModelChoice, Permission, ProcessIdentity } from "@souffleur/domain"
import { Count, Measure, Text, Time } from "@souffleur/eventlog"
import { Schema } from "effect"

const Texts = Schema.Array(Schema.String)

/**
 * A task as the log knows it. `digest`: SHA-256 of what the plan tells an agent of it; absent: unknown. `gateDigest`:
 * that of the programs that judge its work; absent: none does. `touches`: globs of the files that it changes; absent:
 * unknown. `final`: it is the review of all others together.
 */
export const TaskOutline = Schema.Struct({
  id: Text,
  title: Text,
  dependsOn: Texts,
  digest: Schema.optionalKey(Text),
  gateDigest: Schema.optionalKey(Text),
  touches: Schema.optionalKey(Texts),
  final: Schema.optionalKey(Schema.Literal(true))
})
export type TaskOutline = typeof TaskOutline.Type

/** The words of a reviewer that rejected (spec: behaviour#verdicts-of-agents). `issues`: the findings that block. */
export const Feedback = Schema.Struct({ attempt: Count, summary: Text, issues: Texts, suggestions: Texts })
export type Feedback = typeof Feedback.Type

/** An implementation, as git has it. */
export const Work = Schema.Struct({
  /** Oldest first, whole hashes. */
  commits: Texts,
  /** As git names them, relative to the project. A file beside the project begins with `../`. */
  files: Texts,
  /** The file among `files` that the implementer calls its test, there at the end; `null`: none. */
  testFile: Schema.NullOr(Text)
})
export type Work = typeof Work.Type

/** Why a task waits for a person. `unproven`: git does not have the work that its agent named. */
export const EscalationReason = Schema.Literals([
  "rejections",
  "blocked",
  "implementer failures",
  "reviewer failures",
  "gate",
  "landing",
  "unproven"
])
export type EscalationReason = typeof EscalationReason.Type

/** What a final review is of: the commit that is there, with all that was made since the run's first task began. */
export const Reviewed = Schema.Struct({ head: Text, commits: Texts, files: Texts })
export type Reviewed = typeof Reviewed.Type

/** A task of a state file that was there before the run. */
export const ImportedTask = Schema.Struct({
  id: Text,
  status: Schema.Literals(["pending", "in_progress", "completed", "escalated"]),
  attempts: Count,
  feedback: Schema.Array(Feedback),
  minor: Schema.optionalKey(Texts),
  work: Work,
  /** Why the task needs a person, where the file says so. */
  escalation: Schema.optionalKey(Schema.Struct({ reason: EscalationReason, message: Text })),
  startedAt: Schema.NullOr(Time),
  completedAt: Schema.NullOr(Time)
})
export type ImportedTask = typeof ImportedTask.Type

/** The agent of a role while the service refuses the chosen one (spec: behaviour#fallback). Absent: its own model. */
export const Fallback = Schema.Struct({ agent: Text, model: Schema.optionalKey(Text) })
export type Fallback = typeof Fallback.Type

/** An agent as a plan chooses it for a role. */
export const RoleChoice = Schema.Struct({
  /** The name of its program. Absent: the plan names none. */
  agent: Schema.optionalKey(Text),
  /** Its models, from the first on. Empty: the agent's own. */
  models: Texts,
  /** Absent: the agent's own. */
  effort: Schema.optionalKey(Text),
  fallback: Schema.optionalKey(Fallback)
})
export type RoleChoice = typeof RoleChoice.Type

/** The agents that a plan chooses. */
export const PlanAgents = Schema.Struct({
  implementer: Schema.optionalKey(RoleChoice),
  reviewer: Schema.optionalKey(RoleChoice),
  finisher: Schema.optionalKey(RoleChoice)
})
export type PlanAgents = typeof PlanAgents.Type

/**
 * What a plan says of the work trees of its tasks. Absent: they have none, a stuck task stops the others, and one is at
 * work at a time.
 */
export const TreeTerms = Schema.Struct({
  worktrees: Schema.optionalKey(Schema.Literal(true)),
  keepsGoing: Schema.optionalKey(Schema.Literal(true)),
  parallel: Schema.optionalKey(Count)
})
export type TreeTerms = typeof TreeTerms.Type

/** The plan as a person took it. */
export const AgreedPlan = Schema.Struct({
  tasks: Schema.Array(TaskOutline),
  finishingDigest: Schema.NullOr(Text),
  branch: Schema.NullOr(Text),
  agents: Schema.optionalKey(PlanAgents),
  ...TreeTerms.fields
})

/** The agents and the permission that a person chose for a run. `null`: none, so the plan's or the configured one. */
export const Chosen = Schema.Struct({
  implementer: Schema.NullOr(Text),
  reviewer: Schema.NullOr(Text),
  permission: Permission,
  /** No further task begins from then on. */
  deadline: Schema.optionalKey(Time),
  /** A task that waits for a person does not stop the others. */
  keepsGoing: Schema.optionalKey(Schema.Literal(true)),
  /** How many tasks are at work at once. */
  parallel: Schema.optionalKey(Count)
})
export type Chosen = typeof Chosen.Type

/** The roles of agents in a run. */
export const AgentRole = Schema.Literals(["implementer", "reviewer", "finisher"])
export type AgentRole = typeof AgentRole.Type

/** What agents used, by their own records: tokens, and hundredths of a dollar. */
export const Used = Schema.Struct({ tokens: Count, dollars: Count })
export type Used = typeof Used.Type
/** The use of no agent. */
export const nothingUsed: Used = { tokens: 0, dollars: 0 }
/** Returns the use of two agents together. */
export const sumUsed = (one: Used, other: Used): Used => ({
  tokens: one.tokens + other.tokens,
  dollars: one.dollars + other.dollars
})

/** Deaths of a session's agents in a row without progress, and the results of its tools by the last one. */
export const Died = Schema.Struct({ deaths: Count, results: Count })
export type Died = typeof Died.Type

/**
 * Why an agent, or what it started, is ended. Its time is over, it hangs, it has ended and left processes behind, its
 * turn is over and its process does not end, or a person stops the run.
 */
export const EndingReason = Schema.Literals(["timeout", "hung", "left running", "lingering", "stopped"])
export type EndingReason = typeof EndingReason.Type

/** With what a session works. `standIn`: the fallback of its role that has it; absent: it is the chosen agent's. */
export const SessionChoice = Schema.Struct({ ...ModelChoice.fields, standIn: Schema.optionalKey(Text) })

/** One launch of an agent in a run, whose outcome is not known yet. */
export const Assignment = Schema.Struct({
  token: Text,
  role: AgentRole,
  taskId: Schema.NullOr(Text),
  attempt: Count,
  /** Empty until the agent has reported it, where the agent chooses its ids. */
  sessionId: Text,
  /** The program of the agent that was chosen for the role. `null`: the configured one, or the session's. */
  agent: Schema.NullOr(Text),
  /** The model and the effort of its session. */
  choice: SessionChoice,
  resumed: Schema.Boolean,
  /** What its session was told is left to do, since its last turn did not do it; `null`: it was told of its task. */
  nudge: Schema.NullOr(Text),
  /** The deaths after which its session goes on; `null`: none. */
  died: Schema.NullOr(Died),
  head: Schema.NullOr(Text),
  askedAt: Time,
  /** The fence of the owner that asked for it. Another owner did not see it through. */
  fence: Count,
  /** The digest of the word that its verdict needs; `null`: it was given none. */
  word: Schema.NullOr(Text),
  launch: Schema.NullOr(Schema.Struct({ launchId: Text, process: ProcessIdentity, at: Time })),
  /** Why it is being ended, and its `limit` in ms. It is signalled for that alone. */
  ending: Schema.NullOr(Schema.Struct({ reason: EndingReason, limit: Measure }))
})
export type Assignment = typeof Assignment.Type

/** Why an assignment failed. */
export const Failing = Schema.Literals([
  "timeout",
  "hung",
  "no verdict",
  "contradictory verdict",
  "nothing done",
  "work changed",
  "launch",
  "lost",
  "dropped"
])
export type Failing = typeof Failing.Type

/** Why the service refuses agents for a while. A person alone ends a refused login or account. */
export const LimitKind = Schema.Literals(["usage-limit", "outage", "login", "account"])
export type LimitKind = typeof LimitKind.Type
/** Why no agent is asked for a while. */
export const RunWaitKind = Schema.Literals([...LimitKind.literals, "quiet-hours"])
export type RunWaitKind = typeof RunWaitKind.Type
/** Why the service refuses an agent in whose place another is asked. An outage passes, and is waited for. */
export const RefusalKind = Schema.Literals(["usage-limit", "login", "account", "model"])
export type RefusalKind = typeof RefusalKind.Type
const Refused = Schema.Struct({ kind: RefusalKind, agent: Schema.NullOr(Text), by: Text, since: Time, until: Time })
/** By the role: the agent that the service refuses until that time, and who is asked meanwhile. */
export const Away = Schema.Struct({ implementer: Schema.optionalKey(Refused), reviewer: Schema.optionalKey(Refused) })
export type Away = typeof Away.Type

/** Commits of a skipped task that are to be taken back, by those `made` after `from`, up to `to`. */
export const Reverting = Schema.Struct({
  taskId: Text,
  commits: Texts,
  from: Schema.NullOr(Text),
  to: Schema.NullOr(Text),
  made: Texts
})

/** Tells whether a person alone ends such a refusal. */
export const isPersons = Schema.is(Schema.Literals(["login", "account"]))

/** Where souffleur itself brought the work of a run: into a branch, or to a remote, maybe with a pull request. */
export const Delivered = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Merged"), into: Text }),
  /** `url`: of the pull request; `null`: none was opened, and `text` is the file with its text. */
  Schema.Struct({ _tag: Schema.tag("Pushed"), remote: Text, url: Schema.NullOr(Text), text: Schema.NullOr(Text) })
])
export type Delivered = typeof Delivered.Type

/** A branch of the run's own. */
export const OwnBranch = Schema.Struct({
  branch: Text,
  /** The branch that was checked out before; `null`: none that it can be merged into. */
  from: Schema.NullOr(Text),
  /** The commit that it begins from; `null`: there was none. */
  base: Schema.NullOr(Text),
  /** SHA-256 of the address that it may be pushed to, in hex; `null`: there was none. */
  remote: Schema.NullOr(Text),
  /** False until git is known to have it checked out. */
  begun: Schema.Boolean
})

/** The trouble that a person must put right before the run continues (spec: behaviour#git). */
export const PauseReason = Schema.Literals([
  "conflict",
  "dirty",
  "history",
  "plan",
  "not gone",
  "work lost",
  "failed",
  "ceiling",
  "deadline",
  "red",
  "branch",
  "revert",
  "questions"
])

/** What a gate says of a commit that a program refuses: its words, its exit code and the end of its output. */
export const RefusedWork = Schema.Struct({ program: Text, code: Schema.NullOr(Schema.Int), said: Text })
export type RefusedWork = typeof RefusedWork.Type
/** Says how a program ended that refused a commit. */
export const refusalEnd = ({ code }: Pick<RefusedWork, "code">): string =>
  code === null ? "came to no end of its own" : `ended with ${code}`
/** Says which program refused a commit, and how it ended, as a clause. The end of its output follows in a fence. */
export const refusalInWords = ({ code, program, said }: RefusedWork): string =>
  `in a checkout of its own, the commit is refused by \`${program}\`, which ${refusalEnd({ code })}${said.trim() === "" ? "" : `. The end of what it printed:\n\n~~~\n${said.trim()}\n~~~\n`}`

/** The rejection of a task after which a fresh implementer takes over (spec: behaviour#ladder). */
export const freshImplementerRung = 2

/** The rejection, failed assignment in a row, or red gate after which a person is asked (spec: behaviour#ladder). */
export const personRung = 3

/** Returns the rejection after which a person is asked: the final review has one fresh implementer. */
export const rejectionRung = ({ final }: { readonly final?: true | undefined }): number =>
  final === true ? 2 : personRung
