import { handOver } from "./HandOvers.ts"

handOver("pi", "qwen")
for (const from of ["qwen", "gemini", "copilot", "opencode"] as const) handOver(from, "pi")
