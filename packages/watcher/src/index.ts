export * from "./Classify.ts"
export * from "./Watcher.ts"
export * from "./WatchSchedule.ts"
