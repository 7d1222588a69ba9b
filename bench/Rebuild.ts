import { EventLog, evolve, initial, type WatchEvent } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { DatabaseSync } from "node:sqlite"
import { cycle } from "./Samples.ts"
import { median, report, timed } from "./Table.ts"

const rounds = 5
const page = 1000

/** The limit: pages of array rows and `JSON.parse`, without validation. */
const rawPages = (path: string, use: (event: WatchEvent) => void) => {
  const database = new DatabaseSync(path, { readOnly: true })
  const statement = database.prepare(
    `SELECT position, stream, revision, tag, version, at, data FROM events WHERE position > ? ORDER BY position LIMIT ${page}`
  )
  statement.setReturnArrays(true)
  for (let last = 0; ;) {
    const rows = statement.all(last) as unknown as ReadonlyArray<
      readonly [number, string, number, string, number, number, string]
    >
    for (const [, , , tag, , at, data] of rows) {
      const event = JSON.parse(data) as { _tag: string; at: number }
      event._tag = tag
      event.at = at
      use(event as WatchEvent)
    }
    if (rows.length < page) break
    last = rows.at(-1)![0]
  }
  database.close()
}

/**
 * Measures microseconds an event, from a file to decoded events and to a state, in turns with the limit. `count` is the
 * number of events.
 */
export const rebuild = (count: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })}/ours.db`
    const took = {
      decoded: [] as Array<number>,
      rawDecoded: [] as Array<number>,
      folded: [] as Array<number>,
      rawFolded: [] as Array<number>
    }
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      for (let revision = 0; revision < count; revision += page) {
        yield* log.append(
          "watch",
          revision,
          Array.from({ length: page / 10 }, (_, n) => cycle(revision / 10 + n, revision)).flat()
        )
      }
      const seen = { ours: 0, raw: 0 }
      for (let round = 0; round <= rounds; round++) {
        let ours = initial
        let raw = initial
        const times = [
          ["rawDecoded", yield* timed(Effect.sync(() => rawPages(path, () => void seen.raw++)))],
          [
            "decoded",
            yield* timed(
              Stream.runForEachArray(log.readAll(0), (events) => {
                seen.ours += events.length
                return Effect.void
              })
            )
          ],
          ["rawFolded", yield* timed(Effect.sync(() => rawPages(path, (event) => void (raw = evolve(raw, event)))))],
          [
            "folded",
            yield* timed(
              Stream.runForEachArray(log.readAll(0), (events) => {
                for (const { event } of events) ours = evolve(ours, event)
                return Effect.void
              })
            )
          ]
        ] as const
        if (ours.revision !== count || raw.revision !== count || seen.ours !== seen.raw)
          return yield* Effect.die("not every event was read")
        // The first round warms up.
        if (round > 0) for (const [name, seconds] of times) took[name].push(seconds)
      }
    }).pipe(Effect.provide(EventLog.layerSql().pipe(Layer.provide(SqliteClient.layerOwn({ path, ...Store })))))
    const row = (what: string, own: ReadonlyArray<number>, peer: ReadonlyArray<number>) => {
      const [a, b] = [(median(own) * 1e6) / count, (median(peer) * 1e6) / count]
      return { cells: [what, a.toFixed(2), b.toFixed(2)], measured: a / b, limit: { atMost: 2.5 } }
    }
    return yield* report(
      [`rebuild of ${count} events, microseconds each`, "ours, validated", "pages + JSON.parse", "ratio"],
      [row("decoded", took.decoded, took.rawDecoded), row("folded to a state", took.folded, took.rawFolded)]
    )
  })
