import { guardian } from "./GuardianEntry.ts"

// A program of its own: `node guard.ts <order as JSON>`.
await guardian(process.argv[2] ?? "")
