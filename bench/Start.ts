import { Effect, FileSystem, Path } from "effect"
import { child, souffleur } from "./Child.ts"
import { median, report } from "./Table.ts"

const rounds = 25

/** Input of a hook for a tool that was given a file. */
const call = JSON.stringify({
  session_id: "5c0ff1e0-0000-4000-8000-000000000001",
  cwd: "/project",
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { content: "x".repeat(20_000) }
})

/** Makes the file of a launch that becomes `/bin/true`. A launch happens once, so that each round has its own. */
const makeLaunch = Effect.fnUntraced(function* (folder: string, id: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(folder, `${id}.json`)
  const launch = { version: 1, id, program: "/bin/true", args: [], input: null, environment: {}, cwd: "/" }
  yield* fs.writeFileString(file, JSON.stringify({ ...launch, output: null, title: "bench", terminal: "none" }), {
    mode: 0o600
  })
  return file
})

/**
 * Measures the time of a start, in turns with a Node program that does nothing. A tool call of the agent waits for a
 * hook, and a recovery for a launch.
 */
export const start = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const nothing = path.join(folder, "nothing.mjs")
  yield* fs.writeFileString(nothing, "")
  const { entry } = yield* souffleur
  const small = Effect.fnUntraced(function* (errand: string, word: string) {
    const file = path.join(path.dirname(entry), `${errand}.cjs`)
    return [(yield* fs.exists(file)) ? file : entry, word]
  })
  const [hook, launch] = [yield* small("hook", "hook"), yield* small("launch", "__launch")]
  const env = { HOME: folder, SOUFFLEUR_STATE_DIR: path.join(folder, "state") }
  const words =
    (...args: ReadonlyArray<string>) =>
    () =>
      Effect.succeed(args)
  const starts = [
    { name: "bare Node", args: words(nothing) },
    { name: "--version", args: words(entry, "--version"), limit: { atMost: 1.2 } },
    { name: "hook", args: words(...hook), limit: { atMost: 1.5 } },
    {
      name: "launch",
      args: (round: number) => Effect.map(makeLaunch(folder, `bench-${round}`), (file) => [...launch, file]),
      limit: { atMost: 1.5 }
    },
    { name: "--help", args: words(entry, "--help"), limit: { atMost: 4.5 } },
    { name: "status", args: words(entry, "status"), limit: { atMost: 4.5 } }
  ].map((one) => ({ ...one, seconds: new Array<number>() }))
  for (let round = 0; round <= rounds; round++) {
    for (const { args, seconds } of starts) {
      const took = yield* child(process.execPath, yield* args(round), env, call)
      // The first round fills the caches.
      if (round > 0) seconds.push(took.seconds)
    }
  }
  const bare = starts[0]!.seconds
  return yield* report(
    ["start", "ms, median", "ms, best", "× bare Node"],
    starts.map(({ limit, name, seconds }) => ({
      cells: [name, (median(seconds) * 1000).toFixed(1), (Math.min(...seconds) * 1000).toFixed(1)],
      // A busy machine slows one round, and both of its starts.
      measured: median(seconds.map((own, round) => own / bare[round]!)),
      ...(limit === undefined ? {} : { limit })
    }))
  )
})
