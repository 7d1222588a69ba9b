import { defectOf } from "@souffleur/domain"
import { Cause } from "effect"
import { becomeAgent } from "./LaunchEntry.ts"

// A program of its own: `node launch.ts <absolute path of a launch file>`. An error is one sentence, and never quotes a
// launch.
try {
  process.exitCode = becomeAgent(process.argv[2] ?? "")
} catch (error) {
  process.stderr.write(`souffleur: not launched: it has a defect of its own (${defectOf(Cause.die(error))})\n`)
  process.exitCode = 70
}
