export * from "./SelfMonitor.ts"
export * from "./SelfMonitorSchedule.ts"
