import { becomeAgent } from "@souffleur/node/launch"

// Becomes a job that souffleur launches: the path of its launch file is the argument.
process.exitCode = becomeAgent(process.argv[2] ?? "")
