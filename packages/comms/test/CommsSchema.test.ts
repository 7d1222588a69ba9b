import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { CommsSchema, CommsTables } from "../src/index.ts"
import { services, tempPath, theirs, withRows } from "./support/CommsFixture.ts"

const words = (text: string) => {
  const found = text.split(/\s+/u)
  assert.lengthOf(found, 13)
  return found
}

describe("behaviour#tables-of-comms", () => {
  it("times are UTC text in whole seconds", () => {
    assert.strictEqual(CommsSchema.timeText(Date.UTC(2026, 0, 2, 3, 4, 5, 999)), "2026-01-02 03:04:05")
    assert.strictEqual(CommsSchema.timeText(0), "1970-01-01 00:00:00")
  })

  it.layer(services)((it) => {
    it.effect("init makes the missing tables and rows and says so, once", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* tempPath
        const all = [
          `file ${path}`,
          "table orchestration_tasks",
          "table orchestration_messages",
          "row task-00",
          "row souffleur"
        ]
        assert.deepStrictEqual(yield* CommsSchema.init(path), all)
        assert.strictEqual((yield* files.stat(path)).mode & 0o777, 0o600)
        const db = yield* theirs(path)
        assert.deepEqual(
          db
            .prepare("SELECT task_id, state, last_heartbeat, retry_count FROM orchestration_tasks ORDER BY rowid")
            .all()
            .map((row) => Object.values(row)),
          [
            ["task-00", "working", null, 0],
            ["souffleur", "watching", null, 0]
          ]
        )
        assert.strictEqual(db.prepare("PRAGMA journal_mode").get()!["journal_mode"], "delete")
        assert.isTrue(yield* CommsSchema.isMade(path))
        assert.deepStrictEqual(yield* CommsSchema.init(path), [])

        db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'")
        db.exec("DELETE FROM orchestration_tasks WHERE task_id = 'souffleur'")
        assert.isFalse(yield* CommsSchema.isMade(path))
        db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('souffleur', 'watching')")
        db.exec("DROP TABLE orchestration_messages")
        assert.isFalse(yield* CommsSchema.isMade(path))
        db.exec("DELETE FROM orchestration_tasks WHERE task_id = 'souffleur'")
        assert.deepStrictEqual(yield* CommsSchema.init(path), ["table orchestration_messages", "row souffleur"])
        assert.strictEqual(
          db.prepare("SELECT state FROM orchestration_tasks WHERE task_id = 'task-00'").get()!["state"],
          "complete"
        )
      })
    )

    it.effect("the tables are the Conductor's: every state and type of the specification, and no other", () =>
      Effect.gen(function* () {
        const path = yield* tempPath
        yield* CommsSchema.init(path)
        const db = yield* theirs(path)
        const state = db.prepare("UPDATE orchestration_tasks SET state = ? WHERE task_id = 'task-00'")
        const type = db.prepare("INSERT INTO orchestration_messages (message_type) VALUES (?)")
        // As the specification writes them, not as the source does.
        for (const word of words(`watching reviewing exit_requested complete working needs_review review_approved review_failed error
        fix_proposed exited context_recovery confirmed`))
          state.run(word)
        for (const word of words(`review_request error context_warning completion emergency handoff approval fix_proposal rejection
        instruction claim_blocked resumption system`))
          type.run(word)
        for (const word of ["", "Complete", "dead"]) assert.throws(() => state.run(word), /CHECK/)
        for (const word of ["warning", "info"]) assert.throws(() => type.run(word), /CHECK/)
        assert.match(
          String(db.prepare("SELECT timestamp FROM orchestration_messages").get()!["timestamp"]),
          /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
        )
      })
    )

    it.effect("other tables in the file stay as they are", () =>
      Effect.gen(function* () {
        const path = yield* tempPath
        const db = yield* theirs(path)
        db.exec("PRAGMA journal_mode = WAL")
        db.exec("CREATE TABLE plans (name TEXT); INSERT INTO plans VALUES ('ours')")
        assert.deepStrictEqual((yield* CommsSchema.init(path)).slice(0, 1), ["table orchestration_tasks"])
        assert.strictEqual(db.prepare("SELECT name FROM plans").get()!["name"], "ours")
        assert.strictEqual(db.prepare("PRAGMA journal_mode").get()!["journal_mode"], "wal")
      })
    )

    it.effect("a file of another kind is refused, untouched", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const text = yield* tempPath
        yield* files.writeFileString(text, "# my notes\n".repeat(100))
        assert.strictEqual((yield* Effect.flip(CommsSchema.init(text))).reason, "foreign")
        assert.strictEqual(yield* files.readFileString(text), "# my notes\n".repeat(100))

        const claimed = yield* tempPath
        const app = yield* theirs(claimed)
        app.exec("CREATE TABLE t (x); PRAGMA application_id = 252006673")
        assert.strictEqual((yield* Effect.flip(CommsSchema.init(claimed))).reason, "foreign")

        const strange = yield* tempPath
        const db = yield* theirs(strange)
        db.exec("CREATE TABLE orchestration_messages (body TEXT)")
        const error = yield* Effect.flip(CommsSchema.init(strange))
        assert.deepStrictEqual(
          [error.reason, error.problem],
          ["schema", "the table orchestration_messages has no column id"]
        )
        for (const other of [app, db])
          assert.strictEqual(other.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!["n"], 1)
      })
    )

    it.effect("an interrupted init is finished by the next; no folder, no file", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* tempPath
        yield* files.writeFile(path, new Uint8Array())
        const db = yield* theirs(path)
        db.exec(CommsTables.tables.orchestration_tasks)
        db.exec(withRows.replace("('task-00', 'working'), ", ""))
        assert.deepStrictEqual(yield* CommsSchema.init(path), ["table orchestration_messages", "row task-00"])
        assert.strictEqual((yield* Effect.flip(CommsSchema.init(`${path}/below/comms.db`))).reason, "failed")
        assert.strictEqual(
          (yield* Effect.flip(CommsSchema.init(path.replace("comms.db", "nowhere/comms.db")))).reason,
          "missing"
        )
      })
    )
  })
})
