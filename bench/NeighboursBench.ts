import { Clock, Effect, FileSystem, Schedule } from "effect"
import { DatabaseSync } from "node:sqlite"
import { restingWatch } from "./Resting.ts"
import { report } from "./Table.ts"
import { shares } from "./Used.ts"

/** Opens a store as another souffleur, whose watch beats in it. */
const neighbour = (store: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const database = new DatabaseSync(store, { timeout: 5000 })
      database.exec("PRAGMA synchronous = NORMAL")
      return database
    }),
    (database) => Effect.sync(() => database.close())
  )

/** Measures the processor of a watch at rest beside ten commits a second of others: beats, and no event. */
export const neighbours = (seconds: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
    const { pid, store } = yield* restingWatch(folder)
    const database = yield* neighbour(store)
    const beats = database.prepare(
      "INSERT INTO beats VALUES ('other', 'watcher/1', ?) ON CONFLICT (watch) DO UPDATE SET at = excluded.at"
    )
    const beat = Effect.map(Clock.currentTimeMillis, (now) => void beats.run(now))
    const alone = (yield* shares([pid], seconds))[0]!.percent
    yield* Effect.forkScoped(Effect.repeat(beat, Schedule.spaced("100 millis")))
    yield* Effect.sleep("2 seconds")
    const beside = (yield* shares([pid], seconds))[0]!.percent
    return yield* report(
      [`a watch at rest for ${seconds} s`, "% of a core"],
      [
        { cells: ["alone"], measured: alone },
        { cells: ["beside ten commits a second"], measured: beside },
        { cells: ["more"], measured: beside - alone, limit: { atMost: 0.2 } }
      ]
    )
  })
