import * as NodeServices from "@effect/platform-node/NodeServices"
import { Sqlite } from "@souffleur/eventlog"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, type Path, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { layerFollowing, layerOwn, layerReading, layerSqlite, type OwnFile } from "../src/sqlite/SqliteClient.ts"

const mark = 0x74657374
const first = ["CREATE TABLE words (word TEXT NOT NULL) STRICT", "INSERT INTO words VALUES ('first')"]
const second = ["ALTER TABLE words ADD COLUMN size INTEGER", "INSERT INTO words VALUES ('second', 6)"]

type Needs = FileSystem.FileSystem | Path.Path | Scope.Scope
const test = (what: string, body: (folder: string) => Effect.Effect<void, unknown, Needs>) =>
  it.live(what, () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* body(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-sqlite-" }))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

const own = (path: string, migrations: OwnFile["migrations"] = [first]) =>
  layerOwn({ path, applicationId: mark, migrations })
const words = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<{ word: string }>`SELECT word FROM words`.pipe(Effect.map((rows) => rows.map(({ word }) => word)))
)
const wordsOf = (path: string, migrations?: OwnFile["migrations"]) => Effect.provide(words, own(path, migrations))
const refused = (path: string, migrations?: OwnFile["migrations"]) =>
  Effect.flip(Effect.provide(Effect.void, own(path, migrations)))
const raw = <A>(path: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(path)
  try {
    return use(database)
  } finally {
    database.close()
  }
}
const openForeign = (path: string) =>
  Effect.flatMap(Sqlite, (sqlite) => sqlite.openForeign(path)).pipe(Effect.provide(layerSqlite))

test("a new file is private, marked, in WAL, with every commit synced, and nothing beside it", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${folder}/a/b/own.db`
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pragma = (name: string) => Effect.map(sql.unsafe(`PRAGMA ${name}`).values, (rows) => rows[0]![0])
      assert.strictEqual(yield* pragma("journal_mode"), "wal")
      assert.strictEqual(yield* pragma("synchronous"), 2)
      assert.strictEqual(yield* pragma("busy_timeout"), 50)
      assert.strictEqual(yield* pragma("application_id"), mark)
      assert.strictEqual(yield* pragma("user_version"), 1)
      assert.strictEqual((yield* fs.stat(`${path}-wal`)).mode & 0o777, 0o600)
    }).pipe(Effect.provide(own(path)))
    assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o600)
    assert.strictEqual((yield* fs.stat(`${folder}/a`)).mode & 0o777, 0o700)
    assert.deepStrictEqual(yield* fs.readDirectory(`${folder}/a/b`), ["own.db"])
    assert.deepStrictEqual(yield* wordsOf(path), ["first"])
  }))

test("an older file is brought forward once, and a newer one is refused", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/own.db`
    assert.deepStrictEqual(yield* wordsOf(path), ["first"])
    const both = yield* Effect.all([wordsOf(path, [first, second]), wordsOf(path, [first, second])], { concurrency: 2 })
    assert.deepStrictEqual(both, [
      ["first", "second"],
      ["first", "second"]
    ])
    const newer = yield* refused(path)
    assert.strictEqual(newer.reason, "newer")
    assert.include(newer.message, path)
  }))

test("a migration that fails leaves the file as it was", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/own.db`
    yield* wordsOf(path)
    assert.strictEqual(
      (yield* refused(path, [first, ["INSERT INTO words VALUES ('half')", "nonsense"]])).reason,
      "failed"
    )
    assert.deepStrictEqual(yield* wordsOf(path), ["first"])
  }))

test("a foreign file is left alone", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = `${folder}/text`
    yield* fs.writeFileString(text, "no database, but long enough to be one\n".repeat(50))
    const empty = `${folder}/empty`
    yield* fs.writeFileString(empty, "")
    const stranger = `${folder}/stranger.db`
    raw(stranger, (database) => database.exec("CREATE TABLE theirs (a)"))
    for (const path of [text, empty, stranger, folder]) {
      const before = path === folder ? undefined : yield* fs.readFile(path)
      const error = yield* refused(path)
      assert.deepInclude(error, { _tag: "SqliteUnusable", path, reason: "foreign" })
      assert.include(error.message, path)
      if (before !== undefined) assert.deepStrictEqual(yield* fs.readFile(path), before)
    }
    assert.deepStrictEqual((yield* fs.readDirectory(folder)).toSorted(), ["empty", "stranger.db", "text"])
  }))

test("a damaged or truncated file is named, and so is a missing file whose -wal is there", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${folder}/own.db`
    yield* wordsOf(path)
    raw(path, (database) => {
      const insert = database.prepare("INSERT INTO words VALUES (?)")
      database.exec("BEGIN")
      for (let n = 0; n < 500; n++) insert.run(`a word that takes some room, number ${n}`)
      database.exec("COMMIT")
    })
    const whole = Uint8Array.from(yield* fs.readFile(path))
    const flipped = Uint8Array.from(whole)
    for (let at = 4096 * 3; at < 4096 * 3 + 64; at++) flipped[at] = flipped[at]! ^ 0xff
    yield* fs.writeFile(path, flipped)
    assert.strictEqual((yield* refused(path)).reason, "damaged")
    yield* fs.writeFile(path, whole.slice(0, whole.length - 5000))
    assert.strictEqual((yield* refused(path)).reason, "damaged")
    yield* fs.writeFile(path, whole.slice(0, 60))
    assert.strictEqual((yield* refused(path)).reason, "foreign")
    yield* fs.writeFile(path, whole)
    assert.lengthOf(yield* wordsOf(path), 501)
    yield* fs.remove(path)
    yield* fs.writeFileString(`${path}-wal`, "what a lost file left behind")
    assert.strictEqual((yield* refused(path)).reason, "damaged")
  }))

test("a lock is waited for, for a while", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/own.db`
    yield* wordsOf(path)
    const holder = new DatabaseSync(path)
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO words VALUES ('held')")
    const impatient = layerOwn({ path, applicationId: mark, migrations: [first], lockTimeout: "100 millis" })
    assert.strictEqual((yield* Effect.flip(Effect.provide(Effect.void, impatient))).reason, "locked")
    const patient = yield* Effect.forkChild(wordsOf(path), { startImmediately: true })
    // Its first try is over when another file has been opened since.
    yield* wordsOf(`${folder}/another.db`)
    holder.exec("COMMIT")
    holder.close()
    assert.deepStrictEqual(yield* Fiber.join(patient), ["first", "held"])
  }))

test("a reader waits for a lock too, for a while", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/own.db`
    yield* wordsOf(path)
    for (const reader of [layerReading, layerFollowing]) {
      const holder = new DatabaseSync(path)
      holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO words VALUES ('held')")
      const file = { path, applicationId: mark, migrations: [first] }
      const impatient = reader({ ...file, lockTimeout: "100 millis" })
      assert.strictEqual((yield* Effect.flip(Effect.provide(Effect.void, impatient))).reason, "locked")
      const patient = yield* Effect.forkChild(Effect.provide(Effect.void, reader(file)), { startImmediately: true })
      // Its first try is over when another file has been opened since.
      yield* wordsOf(`${folder}/another.db`)
      holder.exec("ROLLBACK")
      holder.close()
      yield* Fiber.join(patient)
    }
  }))

test("a folder that cannot be made or written to is reported", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFileString(`${folder}/file`, "")
    const error = yield* refused(`${folder}/file/own.db`)
    assert.deepInclude(error, { _tag: "SqliteUnusable", reason: "failed", path: `${folder}/file/own.db` })
    assert.strictEqual((yield* refused("/proc/self/own.db")).reason, "failed")
  }))

test("a foreign file is opened as it is, and never made", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const missing = yield* Effect.flip(openForeign(`${folder}/missing.db`))
    assert.deepInclude(missing, { reason: "missing", path: `${folder}/missing.db` })
    assert.deepStrictEqual(yield* fs.readDirectory(folder), [])
    yield* fs.writeFileString(`${folder}/text`, "no database ".repeat(50))
    assert.strictEqual((yield* Effect.flip(openForeign(`${folder}/text`))).reason, "foreign")

    const path = `${folder}/their comms?#%.db`
    raw(path, (database) => database.exec("CREATE TABLE tasks (id TEXT PRIMARY KEY)"))
    const sql = yield* openForeign(path)
    yield* sql`INSERT INTO tasks VALUES ('souffleur')`
    assert.deepStrictEqual(yield* sql.unsafe("PRAGMA journal_mode").values, [["delete"]])
    assert.deepStrictEqual(yield* sql.unsafe("PRAGMA busy_timeout").values, [[50]])
    assert.deepStrictEqual(
      raw(path, (database) => database.prepare("SELECT id FROM tasks").all().length),
      1
    )
  }))

test("a statement that fails is typed, and the next one works: locked, wrong, read by others", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/comms.db`
    raw(path, (database) => database.exec("CREATE TABLE tasks (id TEXT PRIMARY KEY)"))
    const sql = yield* openForeign(path)
    const other = new DatabaseSync(path)
    // Their reader is enough to fail our commit, in a rollback journal.
    other.exec("BEGIN")
    other.prepare("SELECT * FROM tasks").all()
    const locked = yield* Effect.flip(sql`INSERT INTO tasks VALUES ('lost')`)
    assert.strictEqual(locked.reason._tag, "LockTimeoutError")
    other.exec("COMMIT")
    const wrong = yield* Effect.flip(sql.unsafe("SELECT nothing FROM nowhere"))
    assert.strictEqual(wrong._tag, "SqlError")
    yield* sql`INSERT INTO tasks VALUES ('kept')`
    other.exec("INSERT INTO tasks VALUES ('theirs')")
    assert.deepStrictEqual(
      other
        .prepare("SELECT id FROM tasks ORDER BY id")
        .all()
        .map(({ id }) => id),
      ["kept", "theirs"]
    )
    other.exec("BEGIN EXCLUSIVE")
    assert.strictEqual((yield* Effect.flip(openForeign(path))).reason, "locked")
    other.close()
  }))

// Why the log is written by single statements alone.
it.effect.fails("the driver's own transaction is over after a COMMIT that failed", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped()}/comms.db`
    raw(path, (database) => database.exec("CREATE TABLE tasks (id TEXT PRIMARY KEY)"))
    const sql = yield* openForeign(path)
    const other = new DatabaseSync(path)
    other.exec("BEGIN")
    other.prepare("SELECT * FROM tasks").all()
    yield* Effect.exit(sql.withTransaction(sql`INSERT INTO tasks VALUES ('lost')`))
    other.exec("COMMIT")
    yield* sql`INSERT INTO tasks VALUES ('acknowledged')`
    const found = other.prepare("SELECT id FROM tasks").all()
    other.close()
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      ["acknowledged"]
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

test("two clients of one file each go on with their own", (folder) =>
  Effect.gen(function* () {
    const path = `${folder}/own.db`
    const each = Layer.build(Layer.fresh(own(path)))
    const [one, two] = yield* Effect.all([each, each])
    yield* Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO words VALUES ('one')`),
      one
    )
    assert.deepStrictEqual(yield* Effect.provide(words, two), ["first", "one"])
  }))

test("a second layer over a file leaves this process the locks of the first", (folder) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${folder}/own.db`
    yield* Effect.gen(function* () {
      yield* words
      const { ino } = yield* fs.stat(path)
      const locks = Effect.map(fs.readFileString("/proc/locks"), (text) =>
        text
          .split("\n")
          .filter(
            (line) => line.includes(` ${process.pid} `) && line.includes(`:${ino._tag === "Some" ? ino.value : 0} `)
          )
      )
      assert.isNotEmpty(yield* locks)
      const before = (yield* locks).length
      yield* Effect.provide(words, own(path))
      yield* Effect.provide(words, layerReading({ path, applicationId: mark, migrations: [first] }))
      assert.strictEqual((yield* locks).length, before)
    }).pipe(Effect.provide(own(path)))
    assert.deepStrictEqual(yield* wordsOf(path), ["first"])
  }))
