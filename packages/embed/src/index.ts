// The words of its answers are defined below it. An app names them by this package alone.
export {
  AgentCommandRefused,
  AgentNotFound,
  AlreadyWatched,
  BadSetting,
  BadTarget,
  ClaimFailed,
  CommandRefused,
  CommsUnavailable,
  describeEvent,
  Event,
  isEnd,
  LaunchFailed,
  type Recorded,
  SessionNotFound,
  Watch,
  WatchEvent
} from "@souffleur/domain"
export { LogUnusable, type RecordedAs, Refused, UnreadableEvent } from "@souffleur/eventlog"
export { ProcessesUnavailable } from "@souffleur/node"
export {
  describeRunEvent,
  GitUnusable,
  isRunOver,
  type NamedRun,
  PlanInvalid,
  Run,
  RunEvent,
  StateForeign
} from "@souffleur/plan"
export { FileRefused, type HooksChanged, AgentSettingsUnusable, type HooksStatus } from "@souffleur/process"
export { Fenced } from "@souffleur/supervisor"
export { type Remark, Remarks } from "./Remark.ts"
export { NotRestored, parseRestoration } from "./keeping/Restored.ts"
export * from "./Souffleur.ts"
export * from "./SouffleurLog.ts"
export * from "./SouffleurSetup.ts"
export type { Finding, Level } from "./doctor/Finding.ts"
export { NotQuarantined } from "./setup/Quarantine.ts"
export type { SetupNeeds } from "./setup/MakeSouffleurSetup.ts"
export { type AgentHooksChanged, type HooksOrder, type HooksSeen, NoHooks } from "./setup/HooksHere.ts"
export type { NoticeAnswer } from "./setup/NoticeTrial.ts"
export type { ProjectConfig, ProjectSetting, ProjectSettings } from "./setup/ProjectSettings.ts"
export { GuidanceUnfit } from "./conducting/AnswerRun.ts"
export { ProgramsUntrusted } from "./conducting/PlanPrograms.ts"
export { StateMisplaced } from "./conducting/NamedPlan.ts"
export { NotReady } from "./preflight/Preflight.ts"
export type { PreflightCheck } from "./preflight/PreflightCheck.ts"
export { RoleUnfit } from "./conducting/RoleAgent.ts"
export { type PlanName, PlanNotFound } from "./conducting/FindPlan.ts"
export type { RunningPlan } from "./conducting/KeptRun.ts"
export type { AgentAtWork, PlanStatus } from "./conducting/PlanStatus.ts"
export type { SouffleurNeeds } from "./MakeSouffleur.ts"
export type * from "./SouffleurError.ts"
export type * from "./SouffleurOptions.ts"
export type { Need } from "./explain/StatusLine.ts"
export type { Overview } from "./watching/Overview.ts"
export type { ForeseenAgent, ForeseenTask, PlanPreview } from "./preview/PlanPreview.ts"
export { NoPreview, type Preview } from "./preview/Preview.ts"
export type { PreviewError } from "./preview/PreviewSubject.ts"
export { runReasonsOf } from "./explain/RunReason.ts"
export { reasonsOf } from "./explain/WatchReason.ts"
export { type Job, jobFacts, jobSigns, type JobWord, jobWord, watchJob } from "./jobs/Job.ts"
export type { ConversationPart, ConversationAsked } from "./sight/JobConversation.ts"
export { NoOutput, type OutputOptions, type Printed } from "./jobs/JobOutput.ts"
export { ProjectMissing } from "./jobs/ProjectMissing.ts"
export type { JobResult } from "./jobs/JobResult.ts"
export { countsOf, type JobCounts, summaryOf } from "./jobs/JobCounts.ts"
export type { LogNumbers } from "./metrics/LogMetrics.ts"
export type { Period, Report, RunPart, WatchPart } from "./report/Report.ts"
export { leadLines, leadOf, type ReportLead, type WorkItem, type WorthLook } from "./report/ReportLead.ts"
export { maxLooks, summaryLines, taskInWords, waitLabel, watchMarks } from "./report/ReportText.ts"
export { foldedScale } from "./timeline/Stretch.ts"
export { endInWords, type WatchTimeline, watchTimeline } from "./timeline/WatchTimeline.ts"
export { type RunTimeline, runTimeline, type TaskStretch } from "./timeline/RunTimeline.ts"
export type { Explanation, Reason } from "./explain/Explanation.ts"
export type { LastRecovery } from "./explain/LastRecovery.ts"
export type { PlanWhy, Why } from "./explain/Why.ts"
export { AgentUnfit } from "./watching/HandOver.ts"
export { type NamedWatch, type WatchName, WatchNotFound } from "./watching/FindWatch.ts"
export type { Revival } from "./keeping/GuardianKeeper.ts"
export type { Detached } from "./keeping/Detach.ts"
export { OpenedOtherwise } from "./watching/KnownWatch.ts"
export { NeedsPerson } from "./keeping/NeedsPerson.ts"
export type { RunningWatch, WatchBroken } from "./keeping/KeptWatch.ts"
export { WatchDefect } from "./keeping/WatchDefect.ts"
export type { LiveSession } from "./watching/LiveSessions.ts"
export type { TrustedProject } from "./trust/TrustProject.ts"
export type { TaskNow } from "./report/TasksNow.ts"
export type { WatchStatus } from "./watching/WatchStatus.ts"
export { type CommandLine, NoGuardian, NotDetached, type NoticesOf } from "./world/Installation.ts"
export * from "./world/Parts.ts"
export { ConfigUntrusted } from "./world/TrustStore.ts"
export type { LaunchOverrides } from "./world/LaunchOverrides.ts"
export type { PartsError } from "./world/World.ts"
