import { Clock, Effect, FileSystem, Path, type PlatformError, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { souffleur } from "./Child.ts"
import { measured, startRows } from "./CommandRows.ts"
import { makeStore } from "./StoreFile.ts"
import { isMet, median, report, type Row } from "./Table.ts"

type Env = Readonly<Record<string, string>>

/** Rounds of what an agent or a recovery waits for, and of each other command. */
const [rounds, fewRounds, patience] = [25, 9, 3]

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

/** A command that is measured, `count` times. `first`: until its first output alone. */
interface Measured {
  readonly name: string
  readonly args: (
    round: number
  ) => Effect.Effect<ReadonlyArray<string>, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path>
  readonly first?: boolean
  readonly limit: { readonly atMost: number }
  readonly count: number
}

const millis = (seconds: number) => (seconds * 1000).toFixed(1)

/**
 * Runs a program in a folder, and returns the seconds until it has ended, or until its `first` output. A command that
 * refuses has answered too, and a defect has not.
 */
const untilAnswer = Effect.fnUntraced(function* (args: ReadonlyArray<string>, cwd: string, env: Env, first = false) {
  const before = yield* Clock.monotonicTimeNanos
  const handle = yield* ChildProcess.make(process.execPath, args, {
    cwd,
    env,
    extendEnv: true,
    stderr: "ignore",
    stdin: Stream.make(new TextEncoder().encode(call))
  })
  const ended = Effect.andThen(Stream.runDrain(handle.stdout), handle.exitCode)
  yield* first ? Stream.runHead(handle.stdout) : ended
  const after = yield* Clock.monotonicTimeNanos
  if ((yield* handle.exitCode) > 3) return yield* Effect.die(new Error(`${args.join(" ")} failed`))
  return Number(after - before) / 1e9
}, Effect.scoped)

/**
 * Measures the time of each command on a store of one short watch. It takes turns with a Node program that does nothing.
 * A tool call of the agent waits for a hook, and a recovery for a launch.
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
  const project = path.join(yield* fs.realPath(folder), "opera")
  const env = { HOME: folder, SOUFFLEUR_STATE_DIR: path.join(folder, "state") }
  yield* fs.makeDirectory(project)
  yield* fs.makeDirectory(env.SOUFFLEUR_STATE_DIR, { mode: 0o700 })
  const now = yield* Clock.currentTimeMillis
  const held = { finished: 0, events: 36 }
  yield* Effect.sync(() => makeStore(path.join(env.SOUFFLEUR_STATE_DIR, "souffleur.db"), project, now, held))
  const words =
    (...args: ReadonlyArray<string>) =>
    () =>
      Effect.succeed(args)
  const starts: ReadonlyArray<Measured> = [
    { name: "--version", args: words(entry, "--version"), limit: { atMost: 1.2 }, count: rounds },
    { name: "hook", args: words(...hook), limit: { atMost: 1.5 }, count: rounds },
    {
      name: "launch",
      args: (round: number) => Effect.map(makeLaunch(folder, `bench-${round}`), (file) => [...launch, file]),
      limit: { atMost: 1.5 },
      count: rounds
    },
    {
      name: "run, until its agent starts",
      args: words(entry, "run", "--", "/bin/echo", "started"),
      first: true,
      limit: { atMost: 9 },
      count: fewRounds
    },
    ...[[], ["--help"], ...measured(startRows)].map((each) => ({
      name: ["souffleur", ...each].join(" "),
      args: words(entry, ...each),
      limit: { atMost: 4.5 },
      count: fewRounds
    }))
  ]
  const one = (args: ReadonlyArray<string>, first?: boolean) => untilAnswer(args, project, env, first)
  const bare: Array<number> = []
  const rows: Array<Row> = []
  for (const { args, count, first, limit, name } of starts) {
    const [own, nodes] = [new Array<number>(), new Array<number>()]
    // Other programs only ever add to a time, and most to that of a command, which has several threads.
    // So the lesser of two readings counts, and a row beyond its limit gets more rounds.
    const row = (): Row => ({
      cells: [name, millis(median(own)), millis(Math.min(...own))],
      measured: Math.min(median(own.map((one, n) => one / nodes[n]!)), Math.min(...own) / Math.min(...nodes)),
      limit
    })
    for (let round = 0; round <= count * patience; round++) {
      if (round > count && isMet(row())) break
      const node = yield* one([nothing])
      const took = yield* one(yield* args(round), first)
      // The first round fills the caches.
      if (round === 0) continue
      nodes.push(node)
      own.push(took)
    }
    bare.push(...nodes)
    rows.push(row())
  }
  const node = { cells: ["bare Node", millis(median(bare)), millis(Math.min(...bare))], measured: 1 }
  return yield* report(["start", "ms, median", "ms, best", "× bare Node"], [node, ...rows])
})
