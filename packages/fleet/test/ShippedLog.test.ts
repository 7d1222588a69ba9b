import { assert, describe, it } from "@effect/vitest"
import { Store } from "@souffleur/eventlog"
import { HostServices, SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { ShippedLog } from "../src/index.ts"

const fileOf = (folder: string) => ({ ...Store, path: `${folder}/souffleur.db` })

/** Reads a log as the shipper does. */
const shipped = (folder: string) => Layer.provideMerge(ShippedLog.layerSql, SqliteClient.layerFollowing(fileOf(folder)))

describe("fleet#a-host", () => {
  it.layer(HostServices.layer)((it) => {
    const folderOf = Effect.flatMap(FileSystem.FileSystem, (fs) =>
      fs.makeTempDirectoryScoped({ prefix: "souffleur-shipped-" })
    )
    it.effect("the rows are read as they are, by a connection that cannot write", () =>
      Effect.gen(function* () {
        const folder = yield* folderOf
        const file = fileOf(folder)
        yield* Effect.scoped(Layer.build(SqliteClient.layerOwn(file)))
        yield* Effect.gen(function* () {
          const log = yield* ShippedLog
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* log.after(0, 10), [])
          const db = new DatabaseSync(file.path)
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
        }).pipe(Effect.provide(shipped(folder)))
      })
    )
    it.effect("a log is neither made nor brought forward by its shipper, and one of a newer souffleur is refused", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* folderOf
        const { path } = fileOf(folder)
        const opened = Effect.scoped(Layer.build(shipped(folder)))
        assert.strictEqual((yield* Effect.flip(opened)).reason, "missing")
        assert.deepStrictEqual(yield* fs.readDirectory(folder), [])
        const schema = (version?: number) => {
          const db = new DatabaseSync(path)
          if (version !== undefined) db.exec(`PRAGMA user_version = ${version}`)
          const row = db.prepare("PRAGMA user_version").get()
          db.close()
          return row?.["user_version"]
        }
        // A file of the first souffleur, that its watch has open.
        const [first] = Store.migrations
        yield* Effect.scoped(Layer.build(SqliteClient.layerOwn({ ...fileOf(folder), migrations: [first!] })))
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* (yield* ShippedLog).after(0, 10), [])
        }).pipe(Effect.provide(shipped(folder)))
        assert.strictEqual(schema(), 1)
        assert.strictEqual(schema(Store.migrations.length + 1), Store.migrations.length + 1)
        assert.strictEqual((yield* Effect.flip(opened)).reason, "newer")
      })
    )
  })
})
