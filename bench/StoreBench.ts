import { Clock, Console, Effect, FileSystem, Path, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { souffleur } from "./Child.ts"
import { measured, storeRows } from "./CommandRows.ts"
import { addShort, here, makeStore } from "./StoreFile.ts"
import { isMet, report, type Row, timed } from "./Table.ts"
import { toolCalls, toolNames } from "./ToolCalls.ts"

/** A row beyond its limit gets so many times the rounds: other programs only ever add to its time. */
const [warmUp, rounds, patience] = [1, 7, 4]
const all = "status --all"
/** A full store may take so many times the empty store's time, and `status --all` so many milliseconds more. */
const limits = { times: 1.2, moreMillis: 200 }

const stores = [
  { name: "empty", finished: 0, events: 36, comms: true },
  { name: "10,000 finished watches", finished: 10_000, events: 36, comms: true },
  { name: "a watch of 1,000,000 events", finished: 0, events: 1_000_000, comms: true }
] as const

/** Runs a command until it prints its first line, or ends, and returns the seconds. Nothing of it is left then. */
const untilLine = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const line = Effect.gen(function* () {
      const handle = yield* ChildProcess.make(process.execPath, args, { cwd, env, extendEnv: true, stderr: "ignore" })
      yield* handle.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.runDrain)
    })
    return yield* timed(line)
  }).pipe(Effect.scoped)

const untilEnd = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const handle = yield* ChildProcess.make(process.execPath, args, { cwd, env, extendEnv: true, stderr: "ignore" })
    yield* Stream.runDrain(handle.stdout)
    // A command that refuses has looked too. No log, and a defect, have greater codes.
    if ((yield* handle.exitCode) > 3) return yield* Effect.die(new Error(`${args.join(" ")} failed`))
  }).pipe(Effect.scoped)

type Env = Readonly<Record<"SOUFFLEUR_STATE_DIR" | "HOME", string>>
type Run = (env: Env) => Effect.Effect<number, unknown, Needs>
type Needs = Effect.Services<ReturnType<typeof untilEnd>>

/** Rows whose command prints a line for each event. */
const printsAll = new Set(["log", "log --all"])

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
      const first = yield* timed(untilEnd([entry, "status"], project, env))
      yield* Console.log(`${held.name}: made in ${seconds.toFixed(1)} s, folded once in ${first.toFixed(1)} s`)
      return { ...held, env }
    })
  )
  yield* untilEnd([entry, "init"], project, made[0]!.env)
  let folders = 0
  const until = (args: ReadonlyArray<string>): Run => {
    const name = args.join(" ")
    return printsAll.has(name)
      ? (env) => untilLine([entry, ...args], project, env)
      : (env) => timed(untilEnd([entry, ...args], project, env))
  }
  let words = 0
  const ends = (word: string): Run =>
    Effect.fnUntraced(function* (env) {
      const id = `short-${(words++).toString(16).padStart(4, "0")}`
      yield* Effect.sync(() => addShort(path.join(env.SOUFFLEUR_STATE_DIR, "souffleur.db"), id, now))
      return yield* until([word, id])(env)
    })
  const held: Run = Effect.fnUntraced(function* (env) {
    return (yield* until(["hold", here.id])(env)) + (yield* until(["go", here.id])(env))
  })
  const runs: Run = Effect.fnUntraced(function* (env) {
    const cwd = path.join(folder, `run-${folders++}`)
    yield* fs.makeDirectory(cwd)
    return yield* untilLine([entry, "run", "--no-guardian", "--json", "--", "sleep", "5"], cwd, env)
  })
  const commands: ReadonlyArray<readonly [name: string, run: Run]> = [
    ["souffleur", until([])],
    ...measured(storeRows).map((args) => [args.join(" "), until(args)] as const),
    ["hold and go", held],
    ["done", ends("done")],
    ["release", ends("release")],
    ["run, until it watches", runs]
  ]
  const rows: Array<Row> = []
  const rowsOfAll: Array<Row> = []
  /** The rows of the times in each store. The least time of the rounds counts. */
  const rowsFrom = (name: string, took: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Row> => {
    const [empty = Number.NaN, ...full] = took.map((seconds) => Math.min(...seconds))
    return full.map((seconds, n) => ({
      cells: [`${name}, ${stores[n + 1]!.name}`, (empty * 1000).toFixed(1), (seconds * 1000).toFixed(1)],
      ...(name === all
        ? { measured: (seconds - empty) * 1000, limit: { atMost: limits.moreMillis } }
        : { measured: seconds / empty, limit: { atMost: limits.times } })
    }))
  }
  /** Runs one round after the other in all stores, and goes on while a row is beyond its limit. */
  const measure = Effect.fnUntraced(function* (
    names: ReadonlyArray<string>,
    run: (env: Env) => Effect.Effect<ReadonlyArray<ReadonlyArray<number>>, unknown, Needs>
  ) {
    const took = names.map(() => stores.map(() => new Array<number>()))
    const found = () => names.flatMap((name, index) => rowsFrom(name, took[index]!))
    for (let round = 0; round < warmUp + rounds * patience; round++) {
      if (round >= warmUp + rounds && found().every(isMet)) break
      for (const [n, { env }] of made.entries())
        for (const [index, seconds] of (yield* run(env)).entries())
          if (round >= warmUp) took[index]![n]!.push(...seconds)
    }
    for (const row of found()) (names[0] === all ? rowsOfAll : rows).push(row)
  })
  for (const [name, run] of commands) yield* measure([name], (env) => Effect.map(run(env), (seconds) => [[seconds]]))
  // The word that ends the watch comes last.
  for (const names of [toolNames.filter((name) => name !== "done"), ["done"] as const])
    yield* measure(
      names.map((name) => `tool ${name}`),
      (env) => toolCalls(names, entry, project, env)
    )
  const met = [
    yield* report(["store", "ms, empty", "ms, full", "ratio"], rows),
    yield* report(["store", "ms, empty", "ms, full", "ms more"], rowsOfAll)
  ]
  return !met.includes(false)
})
