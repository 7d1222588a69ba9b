#!/usr/bin/env node
import { version } from "./Version.ts"

const [, program = "", first, ...rest] = process.argv

// An older Node lacks modules that are needed. The import of a missing module cannot be caught, so this comes first.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19) || process.getBuiltinModule("node:sqlite") === undefined) {
  process.stderr.write(
    `souffleur: Node 22.19 or newer is needed, and this is ${process.version}: install a newer Node\n`
  )
  process.exit(2)
}

// Node 22 warns of its SQLite at every start. All other warnings are printed.
process.removeAllListeners("warning")
process.on("warning", async ({ message, name }) => {
  if (/SQLite is an experimental feature/.test(message)) return
  process.stderr.write(`${(await import("@souffleur/domain")).plain(`${name}: ${message}`)}\n`)
})

// A defect of our own becomes one sentence, in place of Node's stack.
const uncaught = async (error: unknown) => {
  try {
    ;(await import("./Uncaught.ts")).uncaught(error)
  } catch {
    // An error that is thrown here would be told here again, without an end.
    process.stderr.write("souffleur: files of its program are missing: install it again\n")
    process.exit(70)
  }
}
process.on("uncaughtException", uncaught)

/** Keeps the compiled code of a command, so that its next start does not compile it again. A dry run writes no file. */
const compiled = async () => {
  const { keepCompiled } = await import("@souffleur/node/compiled")
  keepCompiled(program, rest.includes("--dry-run") ? undefined : (first ?? ""))
}

/** Runs one errand, and loads only the modules that it needs. Most of a start is the evaluation of modules. */
const begin = async () => {
  switch (first) {
    case "--version":
      // The console takes a tenth of such a start.
      process.getBuiltinModule("node:fs").writeSync(1, `souffleur v${version}\n`)
      break
    // A tool call of the agent waits for this errand.
    case "hook": {
      const { beginning, hookReader } = await import("./agent/HookReader.ts")
      const { keepSign, ownWords } = await import("@souffleur/node/hook")
      await keepSign(hookReader, rest, [...ownWords, ...beginning])
      break
    }
    // The program starts seven errands itself. They are a detached souffleur, its guardian and requests to
    // databases of others. The rest are a notice to a server, a click on one, a launch, and the agent of the demo.
    case "__detach":
      ;(await import("@souffleur/node/detach")).detach(rest[0] ?? "")
      break
    case "__guardian":
      await (await import("@souffleur/node/guardian")).guardian(rest[0] ?? "")
      break
    case "__database":
      await (await import("@souffleur/node/errand")).runErrands((await import("@souffleur/comms/errand")).answer)
      break
    case "__notify":
      await (await import("@souffleur/node/notice")).answerNotice((await import("@souffleur/notify/errand")).deliver)
      break
    case "__click":
      await (await import("./world/ClickEntry.ts")).runClick()
      break
    case "__launch":
      process.exitCode = (await import("@souffleur/node/launch")).becomeAgent(rest[0] ?? "")
      break
    case "__stand-in":
      await compiled()
      await (await import("./demo/StandInProgram.ts")).runStandIn(rest)
      break
    default:
      await compiled()
      ;(await import("./Program.ts")).runCommandLine()
  }
}
// A rejection without a handler is an uncaught exception.
void begin()
