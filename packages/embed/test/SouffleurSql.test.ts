import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert, it } from "@effect/vitest"
import { Store } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Duration, Effect, FileSystem, Path } from "effect"
import { SqlClient } from "effect/sql"
import { Souffleur } from "../src/index.ts"

/** A folder of the test's own, and the service on a database that the app itself opens. */
const home = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
  const database = SqliteClient.layer({ filename: path.join(folder, "app.db") })
  const stateDir = path.join(folder, "state")
  const layer = Souffleur.layerNode({
    stateDir,
    environment: { HOME: folder, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: folder },
    settings: { watcherInitialWait: Duration.zero, watcherInterval: Duration.millis(50) },
    sql: database
  })
  return { fs, folder, database, layer, stateDir }
})

it.live("an app gives the log its own SQL client, and a later souffleur reads there what was done", () =>
  Effect.gen(function* () {
    const { database, folder, fs, layer, stateDir } = yield* home
    const id = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.run({ project: folder, command: ["/bin/sh", "-c", "exit 0"] })
      const { end } = yield* watch.awaitEnd
      assert.strictEqual(end, "completed")
      return watch.id
    }).pipe(Effect.scoped, Effect.provide(layer))
    const seen = yield* Effect.flatMap(Souffleur, ({ find }) => find({ project: folder })).pipe(Effect.provide(layer))
    assert.deepStrictEqual([seen.id, seen.watch.end], [id, "completed"])
    assert.isFalse((yield* fs.readDirectory(stateDir)).some((name) => name.startsWith("souffleur.db")))
    const rows = yield* SqlClient.SqlClient.use((sql) => sql`SELECT count(*) AS events FROM events`).pipe(
      Effect.provide(database)
    )
    assert.isAbove(Number(rows[0]!["events"]), 5)
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.live("a guardian, which reads the file of the state folder alone, is refused beside another database", () =>
  Effect.gen(function* () {
    const { folder, fs, layer } = yield* home
    const guardian = { line: () => [process.execPath, "-e", ""] as const, cwd: folder }
    const error = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const command = ["/bin/touch", "began"] as const
      const refused = yield* Effect.flip(souffleur.run({ project: folder, command, guardian }))
      assert.deepStrictEqual(yield* souffleur.watches, [])
      return refused
    }).pipe(Effect.scoped, Effect.provide(layer))
    assert.strictEqual(error._tag, "NoGuardian")
    assert.isFalse(yield* fs.exists(`${folder}/began`))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.live("a database of another program or of a newer souffleur is refused, and left as it is", () =>
  Effect.gen(function* () {
    const { database, layer } = yield* home
    for (const [pragma, reason] of [
      ["application_id = 7", "foreign"],
      ["application_id = 0; PRAGMA user_version = 3", "foreign"],
      [`application_id = ${Store.applicationId}; PRAGMA user_version = 99`, "newer"]
    ] as const) {
      const told = SqlClient.SqlClient.use((sql) =>
        Effect.forEach(`PRAGMA ${pragma}`.split("; "), (one) => sql.unsafe(one, []))
      )
      yield* Effect.provide(told, database)
      const error = yield* Effect.flip(Effect.provide(Souffleur, layer))
      assert.deepInclude(error, { _tag: "LogUnusable", reason })
      const tables = yield* Effect.provide(
        SqlClient.SqlClient.use((sql) => sql`SELECT name FROM sqlite_master`),
        database
      )
      assert.deepStrictEqual(tables, [])
    }
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)
