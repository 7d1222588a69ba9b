export * from "./cluster/Forgetting.ts"
export {
  type HubPart,
  type HubRunner,
  layerInOneHub,
  type LayerOfPart,
  layerHubCluster,
  layerRunner
} from "./cluster/HubCluster.ts"
export * from "./cluster/Sentinel.ts"
export * from "./HubAlarms.ts"
export * from "./people/HubBrowsers.ts"
export * from "./HubDatabase.ts"
export { AlreadyEnrolled, type Arrival, type ArrivedEvent, firstArrival, type LogStanding } from "./HubRows.ts"
export * from "./HubJobs.ts"
export * from "./HubNumbers.ts"
export * from "./people/HubPeople.ts"
export { HubProjection } from "./HubProjection.ts"
export type { FoldedJob, JobFold } from "./fold/FoldPass.ts"
export * from "./HubRetention.ts"
export * from "./HubServer.ts"
export * from "./HubStore.ts"
export { DatabaseUnusable } from "./HubTrouble.ts"
export * from "./HubWords.ts"
export * from "./Projector.ts"
