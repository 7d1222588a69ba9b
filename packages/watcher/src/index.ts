export * from "./Classify.ts"
export * from "./Punctuality.ts"
export * from "./Watcher.ts"
export * from "./WatchSchedule.ts"
