import { Console, Effect, FileSystem, Path } from "effect"
import { child, souffleur } from "./Child.ts"
import { median, table } from "./Table.ts"

const rounds = 25

/** Input of a hook for a tool that was given a file. */
const call = JSON.stringify({
  session_id: "5c0ff1e0-0000-4000-8000-000000000001",
  cwd: "/project",
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { content: "x".repeat(20_000) }
})

/**
 * Measures the time of a start, in turns with a Node program that does nothing. A tool call of the agent waits for a
 * hook.
 */
export const start = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const nothing = path.join(folder, "nothing.mjs")
  yield* fs.writeFileString(nothing, "")
  const { entry, what } = yield* souffleur
  const quick = path.join(path.dirname(entry), "hook.js")
  const env = { SOUFFLEUR_STATE_DIR: path.join(folder, "state") }
  const starts = [
    { name: "bare Node", args: [nothing] },
    { name: "--version", args: [entry, "--version"] },
    { name: "hook", args: (yield* fs.exists(quick)) ? [quick] : [entry, "hook"] },
    { name: "--help", args: [entry, "--help"] }
  ].map((one) => ({ ...one, seconds: new Array<number>() }))
  for (let round = 0; round < rounds; round++) {
    for (const { args, seconds } of starts) seconds.push((yield* child(process.execPath, args, env, call)).seconds)
  }
  const bare = median(starts[0]!.seconds)
  const rows = starts.map(({ name, seconds }) => [
    name,
    (median(seconds) * 1000).toFixed(1),
    (Math.min(...seconds) * 1000).toFixed(1),
    (median(seconds) / bare).toFixed(2)
  ])
  yield* Console.log(table([`start of ${what}`, "ms, median", "ms, best", "× bare Node"], rows))
})
