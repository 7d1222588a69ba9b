import { assert, it } from "@effect/vitest"
import { Store } from "@souffleur/eventlog"
import { HostServices, SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { ShippedLog } from "../src/index.ts"

it.layer(HostServices.layer)((it) => {
  it.effect("the rows are read as they are, by a connection that cannot write", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-shipped-" })}/souffleur.db`
      const layer = Layer.provideMerge(ShippedLog.layerSql, SqliteClient.layerOwn({ ...Store, path }))
      yield* Effect.gen(function* () {
        const log = yield* ShippedLog
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* log.after(0, 10), [])
        const db = new DatabaseSync(path)
        const put = (stream: string, data: string) =>
          db.exec(
            `INSERT INTO events (stream, revision, tag, version, at, data) VALUES ('${stream}', 1, 'Unheard', 99, 5, '${data}')`
          )
        put("a", '{"x": 1.0,  "x":"é"}')
        put("b", "no JSON")
        assert.deepStrictEqual(yield* log.after(0, 10), [
          [1, "a", 1, "Unheard", 99, 5, '{"x": 1.0,  "x":"é"}'],
          [2, "b", 1, "Unheard", 99, 5, "no JSON"]
        ])
        assert.deepStrictEqual(
          (yield* log.after(1, 10)).map(([at]) => at),
          [2]
        )
        assert.deepStrictEqual(
          (yield* log.after(0, 1)).map(([at]) => at),
          [1]
        )
        const written = yield* Effect.exit(sql`DELETE FROM events`)
        assert.strictEqual(written._tag, "Failure")
        assert.lengthOf(yield* log.after(0, 10), 2)
        put("", "{}")
        const out = yield* Effect.flip(log.after(2, 10))
        assert.deepInclude(out, { _tag: "LogUnusable", reason: "damaged" })
        db.close()
      }).pipe(Effect.provide(layer))
    })
  )
})
