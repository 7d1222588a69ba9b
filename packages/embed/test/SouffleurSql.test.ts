import { PgClient } from "@effect/sql-pg"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Duration, Effect, FileSystem, Layer, Path } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { Souffleur } from "../src/index.ts"

/** A folder of the test's own, and the service on a database that the app itself opens. */
const home = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
  const database = SqliteClient.layer({ filename: path.join(folder, "app.db") })
  const stateDir = path.join(folder, "state")
  const options = {
    stateDir,
    environment: { HOME: folder, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: folder },
    settings: { watcherInitialWait: Duration.zero, watcherInterval: Duration.millis(50) },
    sql: database
  }
  return { fs, folder, database, layer: Souffleur.layerNode(options), options, stateDir }
})

/** Runs statements by the app's own client. */
const told = (database: Layer.Layer<SqlClient.SqlClient>, ...statements: ReadonlyArray<string>) =>
  Effect.provide(
    SqlClient.SqlClient.use((sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe<Record<string, unknown>>(statement, []))
    ),
    database
  )

it.live(
  "an app gives the log its own database, which keeps its marks and its tables, also those with a name of ours",
  () =>
    Effect.gen(function* () {
      const { database, folder, fs, layer, stateDir } = yield* home
      const theirs = ["events", "beats", "folded", "migrations", "effect_sql_migrations", "streams"]
      yield* told(
        database,
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 7",
        ...theirs.map((table) => `CREATE TABLE ${table} (x)`),
        "INSERT INTO events VALUES ('a customer')"
      )
      const id = yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const watch = yield* souffleur.run({ project: folder, command: ["/bin/sh", "-c", "exit 0"] })
        const { end } = yield* watch.awaitEnd
        assert.strictEqual(end, "completed")
        return watch.id
      }).pipe(Effect.scoped, Effect.provide(layer))
      // A later souffleur reads what was done.
      const seen = yield* Effect.flatMap(Souffleur, ({ find }) => find({ project: folder })).pipe(Effect.provide(layer))
      assert.deepStrictEqual([seen.id, seen.watch.end], [id, "completed"])
      assert.isFalse((yield* fs.readDirectory(stateDir)).some((name) => name.startsWith("souffleur.db")))
      const [mark, version, kept, made] = yield* told(
        database,
        "PRAGMA application_id",
        "PRAGMA user_version",
        "SELECT x FROM events",
        "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
      )
      assert.deepStrictEqual(
        [mark, version, kept],
        [[{ application_id: 7 }], [{ user_version: 7 }], [{ x: "a customer" }]]
      )
      const ours = made!.map(({ name }) => String(name)).filter((name) => !theirs.includes(name))
      assert.isAbove(ours.length, 10)
      assert.deepStrictEqual(
        ours.filter((name) => !name.startsWith("souffleur_")),
        []
      )
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

it.live("two apps have their logs in one database, each by its prefix, and begin at once", () =>
  Effect.gen(function* () {
    const { database } = yield* home
    const begun = (prefix: string) =>
      Effect.flatMap(EventLog, ({ streams }) => streams).pipe(
        Effect.provide(
          EventLog.layerSql().pipe(Layer.provide(Store.layerMigrated({ prefix })), Layer.provide(database))
        )
      )
    const found = yield* Effect.all(["a_", "b_", "a_", "a_"].map(begun), { concurrency: "unbounded" })
    assert.deepStrictEqual(found, [[], [], [], []])
    const counts = yield* told(
      database,
      "SELECT count(*) AS n FROM a_migrations",
      "SELECT count(*) AS n FROM b_migrations"
    )
    assert.deepStrictEqual(counts, [[{ n: Store.migrations.length }], [{ n: Store.migrations.length }]])
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.live("tables of a newer souffleur, a prefix that is no name, and a damaged file are refused without advice", () =>
  Effect.gen(function* () {
    const { database, folder, fs, layer, options } = yield* home
    const failing = (sql: typeof layer) => Effect.flip(Effect.provide(Souffleur, sql))
    const [unnamed, reserved] = yield* Effect.forEach(["my-app", "sqlite_"], (tablePrefix) =>
      failing(Souffleur.layerNode({ ...options, tablePrefix }))
    )
    assert.include(unnamed?.message, '"my-app" cannot begin the name of a table')
    assert.include(reserved?.message, "reserved")
    yield* Effect.provide(Souffleur, layer)
    yield* told(database, "INSERT INTO souffleur_migrations (migration_id, name) VALUES (99, 'later')")
    const newer = yield* failing(layer)
    assert.deepInclude(newer, { _tag: "LogUnusable", reason: "newer" })
    assert.include(newer.message, "schema 99")
    yield* told(database, "DELETE FROM souffleur_migrations WHERE migration_id = 99", "PRAGMA journal_mode = DELETE")
    yield* fs.writeFile(`${folder}/app.db`, (yield* fs.readFile(`${folder}/app.db`)).fill(0xa5, 4096))
    const damaged = yield* failing(layer)
    assert.deepInclude(damaged, { _tag: "LogUnusable", reason: "damaged" })
    assert.notInclude(damaged.message, "souffleur doctor")
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.effect("nothing is appended in a transaction of the app, whose rollback would take it back", () =>
  Effect.gen(function* () {
    const { database } = yield* home
    const append = Effect.flatMap(EventLog, (log) =>
      log.append("a", 0, [{ _tag: "WatcherStarted", at: 0, watcher: 1, awaiting: false, mode: "normal" }])
    )
    const log = EventLog.layerSql().pipe(Layer.provide(Store.layerMigrated()), Layer.provideMerge(database))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* Effect.exit(sql.withTransaction(append)))._tag, "Failure")
      assert.strictEqual(yield* append, 1)
    }).pipe(Effect.provide(log))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.effect("a database of another dialect is refused before its first statement", () =>
  Effect.gen(function* () {
    const postgres = Layer.effect(
      SqlClient.SqlClient,
      SqlClient.make({
        acquirer: Effect.die("no statement is due"),
        compiler: PgClient.makeCompiler(),
        driver: "none",
        spanAttributes: []
      })
    ).pipe(Layer.provide(Reactivity.layer))
    for (const log of [Store.layerMigrated(), EventLog.layerSql()]) {
      const error = yield* Effect.flip(Layer.build(Layer.provide(log, postgres)))
      assert.strictEqual(error.message, "the event log cannot be used: it is kept in SQLite only")
    }
  })
)
