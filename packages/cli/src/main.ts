#!/usr/bin/env node
import { version } from "./Version.ts"

const [, , first, ...rest] = process.argv

// Node 22 warns of its SQLite at every start. What else Node warns of is still told.
process.removeAllListeners("warning")
process.on("warning", async ({ message, name }) => {
  if (/SQLite is an experimental feature/.test(message)) return
  process.stderr.write(`${(await import("@souffleur/domain")).plain(`${name}: ${message}`)}\n`)
})

// A defect of our own, wherever it is: one sentence, and not what Node says of it.
const uncaught = async (error: unknown) => (await import("./Uncaught.ts")).uncaught(error)
process.on("uncaughtException", uncaught)

/** Each errand loads what it needs and no more: most of a start is the evaluation of modules. */
const begin = async () => {
  switch (first) {
    case "--version":
      console.log(`souffleur v${version}`)
      break
    // A tool call of the agent waits for this one.
    case "hook":
      await (await import("@souffleur/node/hook")).keepSign((await import("./agent/HookReader.ts")).hookReader)
      break
    // Five errands that the program runs for itself: who starts a detached souffleur, its guardian, what it asks of
    // comms, a launch, and the demonstration's agent.
    case "__detach":
      ;(await import("@souffleur/node/detach")).detach(rest[0] ?? "")
      break
    case "__guardian":
      await (await import("@souffleur/node/guardian")).guardian(rest[0] ?? "")
      break
    case "__comms":
      await (await import("@souffleur/node/errand")).runErrands((await import("@souffleur/comms/errand")).answer)
      break
    case "__launch":
      process.exitCode = (await import("@souffleur/node/launch")).becomeAgent(rest[0] ?? "")
      break
    case "__stand-in":
      await (await import("./demo/StandInProgram.ts")).runStandIn(rest)
      break
    default:
      ;(await import("./Program.ts")).runProgram()
  }
}
await begin().catch(uncaught)
