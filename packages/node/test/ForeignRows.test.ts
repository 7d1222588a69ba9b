import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { agentsOwn } from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { Duration, Effect } from "effect"
import * as HostServices from "../src/HostServices.ts"
import { folder } from "./fixtures/Spawned.ts"

/** Makes a database with WAL and one row. Its process is killed, and so leaves the row in the `-wal` alone. */
const killedWriter = (path: string) =>
  spawnSync(process.execPath, [
    "-e",
    `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1])
     db.exec("PRAGMA journal_mode = WAL; CREATE TABLE song (line TEXT); INSERT INTO song VALUES ('la')")
     process.kill(process.pid, "SIGKILL")`,
    path
  ])

const lines = { tables: ["song"], sql: "SELECT line FROM song WHERE line <> ?", values: ["no"] }
const asked = Effect.fnUntraced(function* (path: string, sql = lines.sql) {
  const rows = yield* (yield* TrustedFiles).rows(path, agentsOwn, { ...lines, sql })
  return rows.map((row) => ({ ...row }))
})
const refusal = (path: string, sql?: string) => Effect.flip(asked(path, sql))

describe("behaviour#files-of-others", () => {
  it.live("a question that does not end costs two seconds, and its file is left alone for a while", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "songs.db")
      killedWriter(path)
      const endless =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i <> ?"
      assert.match((yield* refusal(path, endless)).message, /SQLite cannot read it \(it did not answer within 2s/)
      const [time, refused] = yield* Effect.timed(refusal(path))
      assert.match(refused.message, /did not answer/)
      assert.isBelow(Duration.toMillis(time), 1000)
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.layer(HostServices.layer, { excludeTestServices: true })((it) => {
    it.effect("rows that a killed writer left in its -wal are read, and neither file changes", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "songs.db")
        killedWriter(path)
        const content = () => ["", "-wal"].map((part) => fs.readFileSync(path + part).toString("hex"))
        const before = content()
        assert.deepStrictEqual(yield* asked(path), [{ line: "la" }])
        assert.deepStrictEqual(content(), before)
      })
    )
    it.effect("a file that no process has open is read, and nothing is made beside it", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const path = join(at, "songs.db")
        killedWriter(path)
        const closed = new DatabaseSync(path)
        closed.exec("INSERT INTO song VALUES ('lu')")
        closed.close()
        assert.deepStrictEqual(fs.readdirSync(at), ["songs.db"])
        assert.lengthOf(yield* asked(path), 2)
        assert.deepStrictEqual(fs.readdirSync(at), ["songs.db"])
      })
    )
    it.effect("rows are read while another process writes, and a statement that writes is refused", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "songs.db")
        killedWriter(path)
        const writer = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(path)),
          (database) => Effect.sync(() => database.close())
        )
        writer.exec("BEGIN IMMEDIATE; INSERT INTO song VALUES ('lu')")
        assert.deepStrictEqual(yield* asked(path), [{ line: "la" }])
        writer.exec("COMMIT")
        assert.deepStrictEqual(yield* asked(path), [{ line: "la" }, { line: "lu" }])
        assert.match((yield* refusal(path, "DELETE FROM song WHERE line <> ?")).problem, /readonly/)
        assert.lengthOf(yield* asked(path), 2)
      })
    )
    it.effect("a table that is a view, is virtual, or generates a column is refused, and no word of it runs", () =>
      Effect.gen(function* () {
        const endless = "WITH RECURSIVE endless (line) AS (SELECT 1 UNION ALL SELECT line + 1 FROM endless)"
        for (const [made, kind] of [
          [`CREATE VIEW Song AS ${endless} SELECT line FROM endless`, "is a view"],
          ["CREATE VIRTUAL TABLE Song USING fts5 (line)", "is a virtual table"],
          ["CREATE TABLE Song (word TEXT, line TEXT AS (upper(word)))", "has a generated column"]
        ] as const) {
          const path = join(yield* folder, "songs.db")
          const database = new DatabaseSync(path)
          database.exec(made)
          database.close()
          fs.chmodSync(path, 0o600)
          assert.include((yield* refusal(path)).message, `its table Song ${kind}: souffleur reads plain tables alone`)
        }
      })
    )
    it.effect("bytes of a row arrive as they are", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "songs.db")
        killedWriter(path)
        const [row] = yield* asked(path, "SELECT CAST('l\u00e4' AS BLOB) AS line FROM song WHERE line <> ?")
        assert.deepStrictEqual(row?.["line"], new TextEncoder().encode("l\u00e4"))
      })
    )
    it.effect("a file that is missing, no database, or open to others is refused", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "songs.db")
        assert.isTrue((yield* refusal(path)).missing)
        fs.writeFileSync(path, "la la la".repeat(1000), { mode: 0o600 })
        assert.match((yield* refusal(path)).message, /songs\.db: SQLite cannot read it \(file is not a database\)/)
        fs.rmSync(path)
        killedWriter(path)
        for (const part of ["", "-wal", "-shm"]) {
          fs.chmodSync(path + part, 0o666)
          assert.match((yield* refusal(path)).message, new RegExp(`songs.db${part}: others may write`, "u"))
          fs.chmodSync(path + part, 0o600)
        }
        assert.lengthOf(yield* asked(path), 1)
      })
    )
  })
})
