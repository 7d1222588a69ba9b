import { SqliteUnusable } from "@souffleur/eventlog"
import { sync } from "@souffleur/process"
import { type Duration, Effect, FileSystem, Option, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { makeFolder } from "../files/Folder.ts"
import { fileTrouble, sqliteTrouble, unusable } from "./SqliteTrouble.ts"

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
export const busyTimeoutMillis = 50
/**
 * Bytes. Files up to this size are checked when they are opened, which takes a few milliseconds. `doctor` checks any
 * size.
 */
const maxCheckedBytes = 4_000_000

/** Returns a URI that never creates the file: a file that vanishes stays away. */
export const existing = (path: string, mode = "mode=rw") => `${pathToFileURL(path).href}?${mode}`

/** Identifies the file that has a name; `undefined`: none has it. */
export const nodeOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/** The marks of the files that connections of this process have open, with the count of those, by what they are. */
const inUse = new Map<string, { readonly applicationId: number; connections: number }>()

/** Remembers until the scope closes that a connection of this process has a file open. */
export const using = (node: string | undefined, applicationId: number) =>
  node === undefined
    ? Effect.void
    : Effect.acquireRelease(
        Effect.sync(() => {
          const known = inUse.get(node) ?? { applicationId, connections: 0 }
          known.connections++
          inUse.set(node, known)
          return known
        }),
        (known) =>
          Effect.sync(() => {
            known.connections--
            if (known.connections === 0) inUse.delete(node)
          })
      )

/**
 * Reads the first bytes of a file, so that SQLite never touches a foreign file. `None`: there is no such file. Fails
 * with `SqliteUnusable` where it is no SQLite database. A file that this process has open is not opened: closing a
 * descriptor of it would drop the locks of its connections (fcntl(2)), and another process could then take its `-wal`.
 */
export const header = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.option(fs.stat(path))
  if (Option.isNone(found)) return Option.none()
  if (found.value.type !== "File") return yield* unusable(path, "foreign", "it is no file")
  const known = inUse.get(nodeOf(path) ?? "")
  if (known !== undefined) return Option.some({ size: Number(found.value.size), applicationId: known.applicationId })
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
    catch: (thrown) => (thrown instanceof SqliteUnusable ? thrown : sqliteTrouble(path)(thrown))
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
    // A close that moves a `-wal` to its file is silent about a full disk.
    database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA application_id = ${file.applicationId}`)
    migrate(database, file)
    database.exec("PRAGMA journal_mode = WAL")
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

/**
 * Makes a missing file, and brings an older one forward. Any other file is refused with `SqliteUnusable`. Fails with
 * `PlatformError` where the file cannot be reached.
 */
export const prepareFile = Effect.fnUntraced(function* (file: OwnFile) {
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
