import { Clock, Console, Effect, FileSystem, Path, Queue, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { souffleur } from "./Child.ts"
import { here, makeStore } from "./StoreFile.ts"
import { median, report, type Row, timed } from "./Table.ts"

const [warmUp, rounds, calls] = [1, 7, 5]
const all = "status --all"
/** A full store may take so many times the empty store's time, and `status --all` so many milliseconds more. */
const limits = { times: 1.2, moreMillis: 200 }

const stores = [
  { name: "empty", finished: 0, events: 36 },
  { name: "10,000 finished watches", finished: 10_000, events: 36 },
  { name: "a watch of 1,000,000 events", finished: 0, events: 1_000_000 }
] as const

const Reply = Schema.fromJsonString(Schema.Struct({ id: Schema.optional(Schema.Int) }))

/** Runs a command until it prints its first line, or ends. Nothing of it is left. */
const untilLine = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const handle = yield* ChildProcess.make(process.execPath, args, { cwd, env, extendEnv: true, stderr: "ignore" })
    yield* handle.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.runDrain)
  }).pipe(Effect.scoped)

const untilEnd = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const handle = yield* ChildProcess.make(process.execPath, args, { cwd, env, extendEnv: true, stderr: "ignore" })
    yield* Stream.runDrain(handle.stdout)
    if ((yield* handle.exitCode) !== 0) return yield* Effect.die(new Error(`${args.join(" ")} failed`))
  }).pipe(Effect.scoped)

/** Starts the tools of an agent, and returns the seconds of some calls of `my_state`. */
const toolCalls = Effect.fnUntraced(function* (entry: string, cwd: string, env: Readonly<Record<string, string>>) {
  const input = yield* Queue.unbounded<string>()
  const handle = yield* ChildProcess.make(process.execPath, [entry, "mcp"], {
    cwd,
    env: { ...env, CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: here.sessionId },
    extendEnv: true,
    stderr: "ignore",
    stdin: Stream.encodeText(Stream.fromQueue(input))
  })
  const answers = yield* Queue.unbounded<number>()
  yield* Effect.forkScoped(
    handle.stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Reply)(line)),
      Stream.runForEach(({ id }) => (id === undefined ? Effect.void : Queue.offer(answers, id)))
    )
  )
  const ask = Effect.fnUntraced(function* (id: number, method: string, params: object) {
    yield* Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    while ((yield* Queue.take(answers)) !== id);
  })
  const clientInfo = { name: "bench", version: "1" }
  yield* ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  yield* Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
  const call = (id: number) => timed(ask(id, "tools/call", { name: "my_state", arguments: {} }))
  yield* call(2)
  return yield* Effect.forEach(Array.from({ length: calls }), (_, n) => call(n + 3))
}, Effect.scoped)

/**
 * Measures commands on full stores, in turns with the same commands on a store of one short watch. Returns whether each
 * takes no longer than it may.
 */
export const store = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" }))
  const project = path.join(folder, "opera")
  yield* fs.makeDirectory(project)
  const { entry } = yield* souffleur
  const now = yield* Clock.currentTimeMillis
  const made = yield* Effect.forEach(stores, (held, n) =>
    Effect.gen(function* () {
      const state = path.join(folder, `state-${n}`)
      yield* fs.makeDirectory(state, { mode: 0o700 })
      const seconds = yield* timed(Effect.sync(() => makeStore(path.join(state, "souffleur.db"), project, now, held)))
      const env = { SOUFFLEUR_STATE_DIR: state, HOME: folder }
      const first = yield* timed(untilEnd([entry, "status", "--json"], project, env))
      yield* Console.log(`${held.name}: made in ${seconds.toFixed(1)} s, folded once in ${first.toFixed(1)} s`)
      return { ...held, env }
    })
  )
  let folders = 0
  const commands = [
    {
      name: "status",
      run: (env: Readonly<Record<string, string>>) => timed(untilEnd([entry, "status"], project, env))
    },
    { name: "status --json", run: (env) => timed(untilEnd([entry, "status", "--json"], project, env)) },
    { name: all, run: (env) => timed(untilEnd([entry, "status", "--all"], project, env)) },
    {
      name: "run, until ready",
      run: Effect.fnUntraced(function* (env) {
        const cwd = path.join(folder, `run-${folders++}`)
        yield* fs.makeDirectory(cwd)
        return yield* timed(untilLine([entry, "run", "--no-guardian", "--json", "--", "sleep", "5"], cwd, env))
      })
    },
    {
      name: "a call of the tools",
      run: (env) => Effect.map(toolCalls(entry, project, env), (seconds) => median(seconds))
    }
  ] satisfies ReadonlyArray<{ name: string; run: (env: Readonly<Record<string, string>>) => unknown }>
  const rows: Array<Row> = []
  const rowsOfAll: Array<Row> = []
  for (const { name, run } of commands) {
    const took = stores.map(() => new Array<number>())
    for (let round = 0; round < warmUp + rounds; round++)
      for (const [n, { env }] of made.entries()) {
        const seconds = yield* run(env)
        if (round >= warmUp) took[n]!.push(seconds)
      }
    // The least time of the rounds: other programs of a busy machine only add to it.
    const [empty = Number.NaN, ...full] = took.map((seconds) => Math.min(...seconds))
    for (const [n, seconds] of full.entries()) {
      const cells = [`${name}, ${stores[n + 1]!.name}`, (empty * 1000).toFixed(0), (seconds * 1000).toFixed(0)]
      if (name === all)
        rowsOfAll.push({ cells, measured: (seconds - empty) * 1000, limit: { atMost: limits.moreMillis } })
      else rows.push({ cells, measured: seconds / empty, limit: { atMost: limits.times } })
    }
  }
  const met = [
    yield* report(["store", "ms, empty", "ms, full", "ratio"], rows),
    yield* report(["store", "ms, empty", "ms, full", "ms more"], rowsOfAll)
  ]
  return !met.includes(false)
})
