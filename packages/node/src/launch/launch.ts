import { defectName } from "@souffleur/domain"
import { becomeAgent } from "./LaunchEntry.ts"

// A program of its own, whose last argument is the absolute path of a launch file. An error is one sentence, and never
// quotes a launch.
try {
  process.exitCode = becomeAgent(process.argv.at(-1) ?? "")
} catch (error) {
  process.stderr.write(`souffleur: not launched, because of a bug (${defectName(error)})\n`)
  process.exitCode = 70
}
