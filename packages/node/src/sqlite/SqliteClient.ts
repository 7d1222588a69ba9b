import { LogUnusable, Sqlite, SqliteUnusable, Store } from "@souffleur/eventlog"
import { sync } from "@souffleur/process"
import { Cause, Context, type Duration, Effect, FileSystem, Layer, Option, Path, Predicate, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { makeFolder } from "../files/Folder.ts"
import { connect } from "./Connection.ts"

/** A SQLite file of souffleur's own: its path, its mark and its schema. */
export interface OwnFile {
  /** Absolute. */
  readonly path: string
  /** Mark in the file's header that identifies it: 32 bits, not 0. */
  readonly applicationId: number
  /** The n-th entry brings the file from schema n - 1 to n. */
  readonly migrations: ReadonlyArray<ReadonlyArray<string>>
  /** Time to wait for others that open, create or migrate the same file. 5 seconds by default. */
  readonly lockTimeout?: Duration.Input
}

/** Milliseconds. node:sqlite waits inside the call, and every fiber of the process waits too. */
const busyTimeoutMillis = 50
/**
 * Bytes. Files up to this size are checked when they are opened, which takes a few milliseconds. `doctor` checks any
 * size.
 */
const maxCheckedBytes = 4_000_000
const untilUnlocked = (lockTimeout: Duration.Input) =>
  Schedule.spaced("25 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: lockTimeout }))

type Reason = SqliteUnusable["reason"]
const reasons: Readonly<Record<number, Reason>> = {
  5: "locked",
  6: "locked",
  11: "damaged",
  13: "full",
  14: "missing",
  26: "foreign"
}
const remedies: Readonly<Record<Reason, string>> = {
  missing: "is it the right path?",
  foreign: "it is left as it is: name another file or move it away",
  damaged: "it is left as it is: move it away, or bring back a copy of it",
  newer: "a newer souffleur made it: use that one",
  locked: "another process holds it: find out which, then try again",
  full: "make room on its disk, then try again",
  failed: "see that its folder can be written to"
}
const unusable = (path: string, reason: Reason, what: string) =>
  new SqliteUnusable({ path, reason, message: `${path}: ${what} (${remedies[reason]})` })

/** Turns a thrown error of SQLite or of the file system into `SqliteUnusable`. */
const classify = (path: string) => (thrown: unknown) => {
  const cause = SqlError.isSqlError(thrown) ? thrown.reason.cause : thrown
  const code = Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode) ? cause.errcode & 0xff : 1
  return unusable(path, reasons[code] ?? "failed", Predicate.isError(cause) ? cause.message : "it failed")
}

/** Returns a URI that never creates the file: a file that vanishes stays away. */
const existing = (path: string, mode = "mode=rw") => `${pathToFileURL(path).href}?${mode}`

/** Opens a connection. The driver throws here, and where it prepares outside its cache: those errors become typed. */
const open = Effect.fnUntraced(function* (uri: string, settings: ReadonlyArray<string>) {
  const sql = yield* connect(uri)
  for (const setting of settings) yield* sql.unsafe(`PRAGMA ${setting}`)
  return sql
}, Effect.provide(Reactivity.layer))

const opened = (path: string, settings: ReadonlyArray<string>, uri = existing(path)) =>
  Effect.catchCause(open(uri, [`busy_timeout = ${busyTimeoutMillis}`, ...settings]), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.fail(classify(path)(Cause.squash(cause)))
  )

/**
 * Reads the first bytes of a file, so that SQLite never touches a foreign file. `None`: there is no such file. Fails
 * with `SqliteUnusable` where it is no SQLite database.
 */
const header = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.option(fs.stat(path))
  if (Option.isNone(found)) return Option.none()
  if (found.value.type !== "File") return yield* unusable(path, "foreign", "it is no file")
  const bytes = yield* Effect.scoped(Effect.flatMap(fs.open(path, { flag: "r" }), (file) => file.readAlloc(100))).pipe(
    Effect.mapError(() => unusable(path, "failed", "it cannot be read"))
  )
  if (Option.isNone(bytes)) return Option.some({ size: 0, applicationId: 0 })
  const view = new DataView(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength)
  if (
    bytes.value.length < 100 ||
    new TextDecoder("latin1").decode(bytes.value.subarray(0, 16)) !== "SQLite format 3\0"
  ) {
    return yield* unusable(path, "foreign", "it is no SQLite database")
  }
  return Option.some({ size: Number(found.value.size), applicationId: view.getUint32(68) })
})

/** Runs on a connection of its own and closes it, so that a failure leaves no transaction open. */
const withDatabase = <A>(
  path: string,
  filename: string,
  use: (database: DatabaseSync) => A
): Effect.Effect<A, SqliteUnusable> =>
  Effect.try({
    try: () => {
      const database = new DatabaseSync(filename, { timeout: busyTimeoutMillis })
      try {
        return use(database)
      } finally {
        database.close()
      }
    },
    catch: (thrown) => (thrown instanceof SqliteUnusable ? thrown : classify(path)(thrown))
  })

const versionOf = (database: DatabaseSync) => Number(database.prepare("PRAGMA user_version").get()?.["user_version"])

/** Brings the file forward under the write lock. The second of two processes finds nothing to do. */
const migrate = (database: DatabaseSync, { migrations, path }: OwnFile) => {
  const upToDate = () => {
    const version = versionOf(database)
    if (version > migrations.length)
      throw unusable(path, "newer", `it has schema ${version}, and this souffleur knows ${migrations.length}`)
    return version === migrations.length
  }
  if (upToDate()) return
  database.exec("BEGIN IMMEDIATE")
  if (!upToDate()) for (const statement of migrations.slice(versionOf(database)).flat()) database.exec(statement)
  database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
}

/**
 * Makes the whole file under another name and links it to its own, which is exclusive. So one of many first openers
 * wins, and no process sees half a file.
 */
const create = Effect.fnUntraced(function* (file: OwnFile) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(file.path)
  // The `-wal` is looked for before the file itself. SQLite would replay a lost database's `-wal` into the new file.
  const left = yield* fs.exists(`${file.path}-wal`)
  if (left && !(yield* fs.exists(file.path)))
    return yield* unusable(file.path, "damaged", "it is gone, and its -wal file is still there")
  const draft = path.join(
    yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: ".new-" }),
    path.basename(file.path)
  )
  yield* fs.writeFile(draft, new Uint8Array(), { flag: "wx", mode: 0o600 })
  yield* withDatabase(file.path, draft, (database) => {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${file.applicationId}`)
    migrate(database, file)
  })
  yield* sync(draft)
  yield* Effect.catchIf(
    fs.link(draft, file.path),
    ({ reason }) => reason._tag === "AlreadyExists",
    () => Effect.void
  )
  yield* sync(folder)
}, Effect.scoped)

/**
 * Checks a file with SQLite. A writable connection would replay a leftover `-wal` into a damaged file when it closes. A
 * read-only connection leaves a `-wal` behind where there was none.
 */
const check = (path: string, left: boolean) =>
  withDatabase(path, left ? `${pathToFileURL(path).href}?mode=ro` : existing(path), (database) => {
    const [verdict] = database.prepare("PRAGMA quick_check(1)").all()
    if (verdict?.["quick_check"] !== "ok") throw unusable(path, "damaged", "it fails SQLite's check")
  })

const prepare = Effect.fnUntraced(function* (file: OwnFile) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* Effect.try({
    try: () => makeFolder(path.dirname(file.path)),
    catch: (cause) => fileTrouble(file.path)({ message: "its folder cannot be made", reason: { cause } })
  })
  const found = yield* header(file.path)
  if (Option.isNone(found)) yield* create(file)
  else if (found.value.applicationId !== file.applicationId)
    return yield* unusable(file.path, "foreign", "it is a database that souffleur did not make")
  yield* fs.access(file.path, { readable: true, writable: true })
  if (Option.isSome(found) && found.value.size <= maxCheckedBytes)
    yield* check(file.path, yield* fs.exists(`${file.path}-wal`))
  yield* withDatabase(file.path, existing(file.path), (database) => migrate(database, file))
})

/** Identifies the file that has a name; `undefined`: none has it. */
const nodeOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

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
 */
export const layerOwn = (
  file: OwnFile
): Layer.Layer<SqlClient.SqlClient, SqliteUnusable, FileSystem.FileSystem | Path.Path> =>
  Layer.effectContext(
    prepare(file).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileTrouble(file.path)(error))),
      Effect.andThen(() => {
        const node = nodeOf(file.path)
        return Effect.map(opened(file.path, ["synchronous = FULL", "fullfsync = ON"]), (sql) =>
          Context.add(Context.make(SqlClient.SqlClient, sql), Store.StillThere, stillThere(file.path, node))
        )
      }),
      Effect.retry({
        while: ({ reason }) => reason === "locked",
        schedule: untilUnlocked(file.lockTimeout ?? "5 seconds")
      }),
      Effect.withSpan("SqliteClient.layerOwn")
    )
  )

const looking = Effect.fnUntraced(function* ({ applicationId, migrations, path }: OwnFile) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* header(path)
  if (!Option.exists(found, (one) => one.applicationId === applicationId))
    return yield* unusable(path, "foreign", "it is no database that souffleur made")
  // Without a `-wal` no process has the file open. A reader that is told so makes no files beside it.
  const mode = (yield* fs.exists(`${path}-wal`)) ? "mode=ro" : "mode=ro&immutable=1"
  const sql = yield* opened(path, [], existing(path, mode))
  const [schema] = yield* sql.unsafe<{ readonly user_version: number }>("PRAGMA user_version")
  if ((schema?.user_version ?? 0) > migrations.length)
    return yield* unusable(path, "newer", `it has schema ${schema?.user_version}`)
  return sql
})

/**
 * Opens souffleur's own file to read it, and changes no byte of it. Nothing is made or brought forward. Fails with
 * `SqliteUnusable` for a missing file and for any other file.
 */
export const layerReading = (
  file: OwnFile
): Layer.Layer<SqlClient.SqlClient, SqliteUnusable, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    SqlClient.SqlClient,
    looking(file).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileTrouble(file.path)(error))),
      Effect.catchTag("SqlError", (error) => Effect.fail(classify(file.path)(error))),
      Effect.withSpan("SqliteClient.layerReading")
    )
  )

const fileTrouble =
  (path: string) => (error: { readonly message: string; readonly reason: { readonly cause?: unknown } }) => {
    const { cause } = error.reason
    const full = Predicate.hasProperty(cause, "code") && (cause.code === "ENOSPC" || cause.code === "EDQUOT")
    return unusable(path, full ? "full" : "failed", error.message)
  }

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
