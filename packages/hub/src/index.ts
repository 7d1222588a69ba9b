export * from "./HubDatabase.ts"
export * from "./HubServer.ts"
export * from "./HubStore.ts"
