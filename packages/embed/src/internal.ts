/**
 * The parts of which the command line of souffleur is made. No published package has this entry: the command line is
 * bundled, and these names may change with each version.
 *
 * @module
 */
export * from "./setup/HookPlaces.ts"
export * from "./setup/HookedAgents.ts"
export { forgetHooked, hookedFiles, hookedFolder } from "./setup/HookedFiles.ts"
export { hooksInstalled } from "./setup/HooksHere.ts"
export * from "./setup/InstalledAgents.ts"
export { pluginsHere } from "./setup/PluginHere.ts"
export { commitsMendable } from "./preflight/AgentReady.ts"
export { RulesQuestion } from "./preflight/PreflightCheck.ts"
export { defaultBranchNote } from "./conducting/DefaultBranch.ts"
export { findPlan } from "./conducting/FindPlan.ts"
export { planStatus } from "./conducting/PlanStatus.ts"
export { reasonJson } from "./explain/Explanation.ts"
export * from "./explain/RunProgress.ts"
export * from "./explain/RunReason.ts"
export * from "./explain/RunSentence.ts"
export * from "./explain/StatusLine.ts"
export * from "./explain/WatchReason.ts"
export * from "./explain/WatchSentence.ts"
export * from "./jobs/Job.ts"
export * from "./jobs/JobCounts.ts"
export * from "./jobs/JobFeed.ts"
export * from "./jobs/JobList.ts"
export { logMetrics } from "./metrics/LogMetrics.ts"
export * from "./report/Report.ts"
export { report, watchesSince } from "./report/ReportLook.ts"
export { receiptMarkdown } from "./report/RunReceipt.ts"
export * from "./report/ReportText.ts"
export * from "./timeline/Recoveries.ts"
export * from "./timeline/RunTimeline.ts"
export * from "./timeline/Stretch.ts"
export * from "./timeline/WatchChange.ts"
export * from "./timeline/WatchTimeline.ts"
export { otlpTarget } from "./trace/OtlpTarget.ts"
export * from "./trace/RecoveryTrace.ts"
export * from "./trace/OtlpExport.ts"
export type { EndKind } from "./preview/ForeseenEnds.ts"
export type { ForeseenLine, ForeseenWay } from "./preview/ForeseenLine.ts"
export type { Preview } from "./preview/Preview.ts"
export * from "./preview/PreviewSubject.ts"
export { noticeChannels } from "./setup/NoticeWiring.ts"
export * from "./keeping/Departure.ts"
export {
  allWatches,
  briefWatches,
  endedNews,
  endedWatches,
  findWatch,
  livingWatches,
  lookedMark,
  newestOfSession,
  newestWatches,
  unfinished,
  unfinishedWatches,
  watchById
} from "./watching/FindWatch.ts"
export type { EndedWatch } from "./watching/FindWatch.ts"
export { hadGuardian, hasGuardian } from "./keeping/GuardianKeeper.ts"
export { callingSession } from "./trust/CallingSession.ts"
export { refuseChange } from "./watching/KnownWatch.ts"
export * from "./watching/LiveSessions.ts"
export * from "./watching/Overview.ts"
export { undelivered } from "./keeping/Undelivered.ts"
export { taskCells, taskJson, tasksNow } from "./report/TasksNow.ts"
export { watchStatus } from "./watching/WatchStatus.ts"
export * from "./world/ConfigTrust.ts"
export * from "./world/Installation.ts"
export { layerLaunches } from "./world/LaunchLayers.ts"
export * from "./world/LaunchOverrides.ts"
export { settingsOf } from "./world/ReadHere.ts"
export * from "./world/AgentLayers.ts"
export * from "./world/CommandWorld.ts"
export {
  commsIn,
  layerComms,
  layerCommsLink,
  layerDatabaseFollowing,
  layerHost,
  layerStore,
  layerStoreReading,
  refuseUnsoundComms
} from "./world/StoreLayers.ts"
export { layerClaims, terminalsOf } from "./world/World.ts"
export { eventsBetween, partSince, revisionAt } from "./timeline/WatchPast.ts"
