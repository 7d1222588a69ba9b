import { becomeAgent } from "./LaunchEntry.ts"

// A program of its own: `node launch.ts <absolute path of a launch file>`.
process.exitCode = becomeAgent(process.argv[2] ?? "")
