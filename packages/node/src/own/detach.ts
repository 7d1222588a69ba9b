import { detach } from "./DetachEntry.ts"

// A program of its own: `node detach.ts <order as JSON>`.
detach(process.argv[2] ?? "")
