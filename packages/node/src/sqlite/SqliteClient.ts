import { LogUnusable, Sqlite, type SqliteUnusable, Store } from "@souffleur/eventlog"
import { Cause, Context, type Duration, Effect, FileSystem, Layer, Option, type Path } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { connect } from "./Connection.ts"
import { busyTimeoutMillis, existing, header, nodeOf, type OwnFile, prepareFile, using } from "./OwnFile.ts"
import { fileTrouble, sqliteTrouble, unusable } from "./SqliteTrouble.ts"

export type { OwnFile } from "./OwnFile.ts"

/** Opens again while another process holds the file. */
const untilUnlocked =
  (lockTimeout: Duration.Input = Store.defaultLockTimeout) =>
  <A, R>(open: Effect.Effect<A, SqliteUnusable, R>) =>
    Effect.retry(open, { while: ({ reason }) => reason === "locked", schedule: Store.untilUnlocked(lockTimeout) })

/** Opens a connection. The driver throws here, and where it prepares outside its cache: those errors become typed. */
const open = Effect.fnUntraced(function* (uri: string, settings: ReadonlyArray<string>) {
  const sql = yield* connect(uri)
  for (const setting of settings) yield* sql.unsafe(`PRAGMA ${setting}`)
  return sql
}, Effect.provide(Reactivity.layer))

const opened = (path: string, settings: ReadonlyArray<string>, uri = existing(path)) =>
  Effect.catchCause(open(uri, [`busy_timeout = ${busyTimeoutMillis}`, ...settings]), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.fail(sqliteTrouble(path)(Cause.squash(cause)))
  )

/**
 * Fails with `LogUnusable` if another file has the name now. SQLite keeps using the file that it opened, and never
 * checks the name.
 */
const stillThere = (path: string, opened: string | undefined) =>
  Effect.suspend(() => {
    if (nodeOf(path) === opened) return Effect.void
    return Effect.fail(
      new LogUnusable({
        reason: "replaced",
        problem: `${path}: another file was put in its place, or it was moved away`
      })
    )
  })

/**
 * Opens souffleur's own file. It makes a missing file (0600, in a folder of 0700) and brings an older one forward. Any
 * other file is refused with `SqliteUnusable`, which says what to do.
 * It has one connection with WAL, and each commit is synced. It runs single statements, never `withTransaction`: after
 * a failed COMMIT the driver would continue inside it.
 *
 * @example
 * ```ts
 * import { EventLog } from "@souffleur/domain"
 * import { Store } from "@souffleur/eventlog"
 * import { HostServices, SqliteClient } from "@souffleur/node"
 * import { Layer } from "effect"
 *
 * // The log of watches in a file of its own. An unusable file fails with a sentence that says what to do.
 * const log = EventLog.layerSql().pipe(
 *   Layer.provide(SqliteClient.layerOwn({ ...Store, path: "/var/lib/app/souffleur.db" })),
 *   Layer.provide(HostServices.layer)
 * )
 * ```
 */
export const layerOwn = (
  file: OwnFile
): Layer.Layer<SqlClient.SqlClient, SqliteUnusable, FileSystem.FileSystem | Path.Path> =>
  Layer.effectContext(
    prepareFile(file).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileTrouble(file.path)(error))),
      Effect.andThen(() => {
        const node = nodeOf(file.path)
        const connected = Effect.andThen(
          using(node, file.applicationId),
          opened(file.path, ["synchronous = FULL", "fullfsync = ON"])
        )
        return Effect.map(connected, (sql) =>
          Context.add(Context.make(SqlClient.SqlClient, sql), Store.StillThere, stillThere(file.path, node))
        )
      }),
      untilUnlocked(file.lockTimeout),
      Effect.withSpan("SqliteClient.layerOwn")
    )
  )

/** `kept`: the connection is kept, and sees what others append. */
const looking = Effect.fnUntraced(
  function* ({ applicationId, migrations, path }: OwnFile, kept: boolean) {
    const fs = yield* FileSystem.FileSystem
    const found = yield* header(path)
    if (found._tag === "None") return yield* unusable(path, "missing", "it is not there")
    if (found.value.applicationId !== applicationId)
      return yield* unusable(path, "foreign", "it is no database that souffleur made")
    // Without a `-wal` no process has the file open. A reader that is told so makes no files beside it.
    const mode = kept || (yield* fs.exists(`${path}-wal`)) ? "mode=ro" : "mode=ro&immutable=1"
    yield* using(nodeOf(path), applicationId)
    const sql = yield* opened(path, [], existing(path, mode))
    const [schema] = yield* sql.unsafe<{ readonly user_version: number }>("PRAGMA user_version")
    if ((schema?.user_version ?? 0) > migrations.length)
      return yield* unusable(path, "newer", `it has schema ${schema?.user_version}`)
    return sql
  },
  (effect, { lockTimeout, path }) =>
    effect.pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileTrouble(path)(error))),
      Effect.catchTag("SqlError", (error) => Effect.fail(sqliteTrouble(path)(error))),
      untilUnlocked(lockTimeout)
    )
)

/**
 * Opens souffleur's own file to read it, and changes no byte of it. Nothing is made or brought forward. Fails with
 * `SqliteUnusable` for a missing file and for any other file.
 */
export const layerReading = (
  file: OwnFile
): Layer.Layer<SqlClient.SqlClient, SqliteUnusable, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(SqlClient.SqlClient, looking(file, false).pipe(Effect.withSpan("SqliteClient.layerReading")))

/**
 * Opens souffleur's own file to follow it: what others append is seen. Nothing is made, written or brought forward, but
 * for SQLite's own `-wal` and `-shm` beside the file. Fails with `SqliteUnusable` for a missing file and for any other
 * file.
 */
export const layerFollowing = (
  file: OwnFile
): Layer.Layer<SqlClient.SqlClient, SqliteUnusable, FileSystem.FileSystem | Path.Path> =>
  Layer.effectContext(
    Effect.suspend(() => {
      const node = nodeOf(file.path)
      return Effect.map(looking(file, true), (sql) =>
        Context.add(Context.make(SqlClient.SqlClient, sql), Store.StillThere, stillThere(file.path, node))
      )
    }).pipe(Effect.withSpan("SqliteClient.layerFollowing"))
  )

// SQLite judges the first bytes itself. Closing a descriptor of ours would drop the POSIX locks of this process on the
// file (fcntl(2)). Every other connection of this process to the file would lose its locks.
const openForeign = Effect.fn("Sqlite.openForeign")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.option(fs.stat(path))
  if (Option.isNone(found)) return yield* unusable(path, "missing", "it is not there")
  if (found.value.type !== "File") return yield* unusable(path, "foreign", "it is no file")
  // The schema and the pages may be written by others, so they are not trusted.
  return yield* opened(path, ["trusted_schema = OFF", "cell_size_check = ON", "schema_version"])
})

/** {@link Sqlite} over `node:sqlite`. */
export const layerSqlite: Layer.Layer<Sqlite, never, FileSystem.FileSystem> = Layer.effect(
  Sqlite,
  Effect.map(FileSystem.FileSystem, (fs) =>
    Sqlite.of({ openForeign: (path) => Effect.provideService(openForeign(path), FileSystem.FileSystem, fs) })
  )
)
