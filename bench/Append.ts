import { EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { died } from "./Samples.ts"
import { median, report, timed } from "./Table.ts"

const rounds = 7
const singles = 1000
const batches = 60
const fibers = 100

/** The peer: the same table with one prepared INSERT and no guard. It encodes its events as JSON, as ours does. */
const rawLog = (path: string) => {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${Store.migrations.flat().join(";")}`)
  const insert = database.prepare(
    "INSERT INTO events (stream, revision, tag, version, at, data) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const append = (stream: string, revision: number, at: number) => {
    const { _tag, at: when, ...data } = died(at)
    insert.run(stream, revision, _tag, 1, when, JSON.stringify(data))
  }
  return {
    close: () => database.close(),
    single: (stream: string) => {
      for (let revision = 1; revision <= singles; revision++) append(stream, revision, revision)
    },
    batched: (stream: string) => {
      for (let revision = 1; revision <= batches; revision++) {
        database.exec("BEGIN")
        for (let n = 0; n < fibers; n++) append(`${stream}/${n}`, revision, revision)
        database.exec("COMMIT")
      }
    }
  }
}

const single = Effect.fnUntraced(function* (stream: string) {
  const log = yield* EventLog
  for (let revision = 0; revision < singles; revision++) yield* log.append(stream, revision, [died(revision)])
})
const concurrent = Effect.fnUntraced(function* (stream: string) {
  const log = yield* EventLog
  for (let revision = 0; revision < batches; revision++) {
    yield* Effect.forEach(
      Array.from({ length: fibers }),
      (_, n) => log.append(`${stream}/${n}`, revision, [died(revision)]),
      {
        concurrency: "unbounded",
        discard: true
      }
    )
  }
})

/** Measures appends a second, in turns with raw `node:sqlite` on files of the same disk. */
export const append = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const raw = yield* Effect.acquireRelease(
    Effect.sync(() => rawLog(`${folder}/raw.db`)),
    (log) => Effect.sync(() => log.close())
  )
  const ours = EventLog.layerSql().pipe(Layer.provide(SqliteClient.layerOwn({ path: `${folder}/ours.db`, ...Store })))
  const measured = {
    single: [] as Array<number>,
    rawSingle: [] as Array<number>,
    many: [] as Array<number>,
    rawMany: [] as Array<number>
  }
  yield* Effect.gen(function* () {
    for (let round = 0; round <= rounds; round++) {
      const took = [
        ["rawSingle", yield* timed(Effect.sync(() => raw.single(`s${round}`)))],
        ["single", yield* timed(single(`s${round}`))],
        ["rawMany", yield* timed(Effect.sync(() => raw.batched(`m${round}`)))],
        ["many", yield* timed(concurrent(`m${round}`))]
      ] as const
      // The first round warms up.
      if (round > 0) for (const [name, seconds] of took) measured[name].push(seconds)
    }
  }).pipe(Effect.provide(ours))
  const rate = (events: number, seconds: ReadonlyArray<number>) => events / median(seconds)
  const row = (what: string, own: number, peer: number) => ({
    cells: [what, own.toFixed(0), peer.toFixed(0)],
    measured: own / peer,
    limit: { atLeast: 0.5 }
  })
  return yield* report(
    ["append, events a second", "ours", "raw", "ratio"],
    [
      row("one after the other", rate(singles, measured.single), rate(singles, measured.rawSingle)),
      row(
        `${fibers} fibers, a stream each`,
        rate(batches * fibers, measured.many),
        rate(batches * fibers, measured.rawMany)
      )
    ]
  )
}).pipe(Effect.provide(Path.layer))
