export * from "./HubDatabase.ts"
export { AlreadyEnrolled, type Arrival, type ArrivedEvent, firstArrival, type LogStanding } from "./HubRows.ts"
export * from "./HubServer.ts"
export * from "./HubStore.ts"
