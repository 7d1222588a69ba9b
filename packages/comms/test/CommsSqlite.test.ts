import { assert, describe, it } from "@effect/vitest"
import { type CommsUnavailable } from "@souffleur/domain"
import { Sqlite } from "@souffleur/eventlog"
import { Duration, Effect, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { CommsSchema, CommsTables } from "../src/index.ts"
import { fixture, services, tempPath, theirs, withComms, withRows } from "./support/CommsFixture.ts"

/** 2026-03-01 12:00:00 UTC */
const noon = Date.UTC(2026, 2, 1, 12)
const { orchestration_messages: messagesDdl, orchestration_tasks: tasksDdl } = CommsTables.tables
const run = it.layer(services)

for (const journal of ["DELETE", "WAL"] as const) {
  describe(`journal ${journal}`, () => {
    describe("behaviour#use-of-comms", () => {
      run((it) => {
        it.effect("a snapshot has the Conductor's row, ours, the others counted, the last message", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const empty = yield* comms.snapshot
                assert.deepStrictEqual(empty.conductor, Option.none())
                assert.deepStrictEqual(empty.souffleur, Option.none())
                assert.strictEqual(empty.taskCount, 0)
                assert.strictEqual(empty.lastMessageId, 0)

                db.exec(withRows)
                db.exec(
                  "UPDATE orchestration_tasks SET last_heartbeat = '2026-03-01 11:59:00', session_id = 'abc' WHERE task_id = 'task-00'"
                )
                db.exec("INSERT INTO orchestration_messages (id, message, message_type) VALUES (7, 'x', 'system')")
                const taken = yield* comms.snapshot
                assert.deepStrictEqual(
                  taken.conductor,
                  Option.some({ state: "working", lastHeartbeat: "2026-03-01 11:59:00", sessionId: "abc" })
                )
                assert.deepStrictEqual(taken.souffleur, Option.some("watching"))
                assert.strictEqual(taken.taskCount, 0)
                assert.strictEqual(taken.lastMessageId, 7)
                assert.strictEqual(taken.taskFingerprint, empty.taskFingerprint)
              })
            )
          })
        )

        it.effect("the tasks of others are listed as they are written, a hundred at most", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            const row = db.prepare(
              "INSERT INTO orchestration_tasks (task_id, state, session_id, last_heartbeat) VALUES (?, ?, ?, ?)"
            )
            row.run("task-02", "working", "s2", "2026-03-01 11:59:00")
            row.run("task-01", "watching", null, null)
            row.run(new Uint8Array([1]), "working", null, null)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                assert.deepStrictEqual(yield* comms.tasks, [
                  { id: "task-01", state: "watching", sessionId: null, lastHeartbeat: null },
                  { id: "task-02", state: "working", sessionId: "s2", lastHeartbeat: "2026-03-01 11:59:00" }
                ])
                for (let n = 0; n < 150; n += 1) row.run(`x${n}`.padEnd(300, "x"), "working", null, null)
                const many = yield* comms.tasks
                assert.lengthOf(many, 100)
                assert.lengthOf(many.at(-1)!.id, 64)
              })
            )
          })
        )

        it.effect("the fingerprint changes with a task and its state, and with nothing else", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const print = Effect.map(comms.snapshot, (taken) => taken.taskFingerprint)
                const prints = new Set<string>()
                const before = yield* print
                db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-02', 'working')")
                const added = yield* print
                assert.notStrictEqual(added, before)
                db.exec("UPDATE orchestration_tasks SET last_heartbeat = 'now', worked_by = 'me', retry_count = 3")
                db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id IN ('task-00', 'souffleur')")
                assert.strictEqual(yield* print, added)
                db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-02'")
                const done = yield* print
                assert.notStrictEqual(done, added)
                db.exec("DELETE FROM orchestration_tasks WHERE task_id = 'task-02'")
                assert.strictEqual(yield* print, before)
                for (const order of ["('b', 'working'), ('a', 'complete')", "('a', 'complete'), ('b', 'working')"]) {
                  db.exec(`INSERT INTO orchestration_tasks (task_id, state) VALUES ${order}`)
                  prints.add(yield* print)
                  assert.strictEqual((yield* comms.snapshot).taskCount, 2)
                  db.exec("DELETE FROM orchestration_tasks WHERE task_id IN ('a', 'b')")
                }
                assert.strictEqual(prints.size, 1, "the order of the rows is no fact")
              })
            )
          })
        )

        it.effect(
          "a state is written with its heartbeat and the reason, in UTC seconds, and never moves the heartbeat back",
          () =>
            Effect.gen(function* () {
              const { db, path } = yield* fixture(journal)
              db.exec(withRows)
              const row = db.prepare(
                "SELECT state, last_heartbeat AS beat, last_error AS error FROM orchestration_tasks WHERE task_id = 'souffleur'"
              )
              yield* withComms(path, (comms) =>
                Effect.gen(function* () {
                  yield* comms.setState("error", noon + 999, "no session file")
                  assert.deepEqual(
                    { ...row.get() },
                    { state: "error", beat: "2026-03-01 12:00:00", error: "no session file" }
                  )
                  yield* comms.setState("confirmed", noon + 60_000)
                  assert.deepEqual({ ...row.get() }, { state: "confirmed", beat: "2026-03-01 12:01:00", error: null })
                  // Told late, after an outage: the state of then, and the newer beat stays.
                  yield* comms.setState("complete", noon)
                  assert.deepEqual({ ...row.get() }, { state: "complete", beat: "2026-03-01 12:01:00", error: null })
                })
              )
              const others = db
                .prepare("SELECT state, last_heartbeat FROM orchestration_tasks WHERE task_id = 'task-00'")
                .get()
              assert.deepEqual({ ...others }, { state: "working", last_heartbeat: null })
            })
        )

        it.effect("a row that is missing is never made", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                for (const write of [comms.setState("confirmed", noon), comms.beat(noon)]) {
                  const error = yield* Effect.flip(write)
                  assert.strictEqual(error.reason, "row")
                  assert.include(error.problem, "row souffleur is missing")
                }
              })
            )
            assert.strictEqual(db.prepare("SELECT count(*) AS n FROM orchestration_tasks").get()!["n"], 0)
          })
        )

        it.effect("a beat never goes back; what is no time gives way", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            const beatText = () =>
              db.prepare("SELECT last_heartbeat AS beat FROM orchestration_tasks WHERE task_id = 'souffleur'").get()![
                "beat"
              ]
            const put = (value: string | Uint8Array) =>
              db.prepare("UPDATE orchestration_tasks SET last_heartbeat = ? WHERE task_id = 'souffleur'").run(value)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                yield* comms.beat(noon)
                assert.strictEqual(beatText(), "2026-03-01 12:00:00")
                yield* comms.beat(noon - 1000)
                assert.strictEqual(beatText(), "2026-03-01 12:00:00")
                put("2026-03-01T12:00:30.500Z")
                yield* comms.beat(noon + 10_000)
                assert.strictEqual(beatText(), "2026-03-01T12:00:30.500Z")
                yield* comms.beat(noon + 31_000)
                assert.strictEqual(beatText(), "2026-03-01 12:00:31")
                for (const nonsense of ["yesterday", "", new Uint8Array([0, 255])]) {
                  put(nonsense)
                  yield* comms.beat(noon)
                  assert.strictEqual(beatText(), "2026-03-01 12:00:00")
                }
              })
            )
          })
        )

        it.effect("values of any type are read; heartbeats stay raw", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal, [
              "CREATE TABLE orchestration_tasks (task_id, state, last_heartbeat, session_id)",
              messagesDdl
            ])
            const put = db.prepare(
              "UPDATE orchestration_tasks SET state = ?, last_heartbeat = ?, session_id = ? WHERE task_id = 'task-00'"
            )
            db.exec(
              "INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-00', NULL), (NULL, 'working'), (x'ff', NULL), (5, 1.5)"
            )
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const conductor = Effect.map(comms.snapshot, (taken) => Option.getOrThrow(taken.conductor))
                assert.deepStrictEqual(yield* conductor, { state: "", lastHeartbeat: null, sessionId: null })
                assert.strictEqual((yield* comms.snapshot).taskCount, 3)
                put.run(new Uint8Array([1]), new Uint8Array([0x32, 0x30]), new Uint8Array([1]))
                assert.deepStrictEqual(yield* conductor, { state: "X'01'", lastHeartbeat: "X'3230'", sessionId: null })
                put.run(3n, 1_772_366_400, 12)
                assert.deepStrictEqual(yield* conductor, { state: "3", lastHeartbeat: "1772366400.0", sessionId: null })
                for (const time of [
                  "2026-03-01 12:00:00.123",
                  "2026-03-01T12:00:00Z",
                  "2026-03-01T14:00:00+02:00",
                  "soon",
                  ""
                ]) {
                  put.run("complete", time, "")
                  assert.deepStrictEqual(yield* conductor, { state: "complete", lastHeartbeat: time, sessionId: "" })
                }
                put.run("working", "x".repeat(1_000_000), null)
                assert.isAtMost((yield* conductor).lastHeartbeat!.length, 64)
              })
            )
          })
        )

        it.effect("a message is told once, with its key, type and time", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                yield* comms.post({ key: "w1.3", kind: "error", text: "first", at: noon })
                yield* comms.post({ key: "w1.3", kind: "error", text: "first", at: noon })
                yield* comms.post({ key: "w1.30", kind: "completion", text: "second", at: noon })
                yield* comms.post({ key: "W1.3", kind: "system", text: "third", at: noon })
                yield* comms.post({ key: "w_.%", kind: "system", text: "fourth", at: noon })
              })
            )
            const rows = db
              .prepare(
                "SELECT task_id, from_session, message, message_type, timestamp FROM orchestration_messages ORDER BY id"
              )
              .all()
            assert.deepEqual(
              rows.map((row) => Object.values(row)),
              [
                ["souffleur", "souffleur", "[w1.3] first", "error", "2026-03-01 12:00:00"],
                ["souffleur", "souffleur", "[w1.30] second", "completion", "2026-03-01 12:00:00"],
                ["souffleur", "souffleur", "[W1.3] third", "system", "2026-03-01 12:00:00"],
                ["souffleur", "souffleur", "[w_.%] fourth", "system", "2026-03-01 12:00:00"]
              ]
            )
          })
        )

        it.effect("a message is told whatever others wrote under its key before", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            const put = db.prepare(
              "INSERT INTO orchestration_messages (task_id, from_session, message, message_type, timestamp) VALUES (?, ?, ?, ?, ?)"
            )
            const then = "2026-03-01 12:00:00"
            put.run("souffleur", "souffleur", "[w1#3] it is well", "error", then)
            put.run("souffleur", "souffleur", "[w1#3] it is dead", "system", then)
            put.run("souffleur", "souffleur", "[w1#3] it is dead", "error", "2026-03-01 09:00:00")
            put.run("souffleur", "another", "[w1#3] it is dead", "error", then)
            put.run("task-01", "souffleur", "[w1#3] it is dead", "error", then)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const tell = comms.post({ key: "w1#3", kind: "error", text: "it is dead", at: noon })
                yield* tell
                yield* tell
              })
            )
            assert.strictEqual(db.prepare("SELECT count(*) AS n FROM orchestration_messages").get()!["n"], 6)
          })
        )

        it.effect("a warning is a warning where the CHECK has the word, else system", () =>
          Effect.gen(function* () {
            const wide = messagesDdl.replace("'system'", "'system', 'warning'")
            for (const [ddl, expected] of [
              [messagesDdl, "system"],
              [wide, "warning"]
            ] as const) {
              const { db, path } = yield* fixture(journal, [tasksDdl, ddl])
              const tell = withComms(path, (comms) =>
                comms.post({ key: "k", kind: "warning", text: "careful", at: noon })
              )
              yield* tell
              yield* tell
              assert.deepEqual(
                db
                  .prepare("SELECT message_type AS type FROM orchestration_messages")
                  .all()
                  .map((row) => row["type"]),
                [expected]
              )
            }
          })
        )

        it.effect("a row that a CHECK refuses fails with the reason schema, without the text", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal, [
              tasksDdl.replace("'confirmed'", "'otherwise'"),
              messagesDdl.replace("'system'", "'sysop'").replace("'completion'", "'done'")
            ])
            db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('souffleur', 'watching')")
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const state = yield* Effect.flip(comms.setState("confirmed", noon))
                assert.strictEqual(state.reason, "schema")
                assert.include(state.problem, "orchestration_tasks refuses the state 'confirmed'")
                for (const kind of ["warning", "completion", "system"] as const) {
                  const message = yield* Effect.flip(
                    comms.post({ key: "k", kind, text: "the words of a conversation", at: noon })
                  )
                  assert.strictEqual(message.reason, "schema")
                  assert.include(message.problem, `refuses the type '${kind}'`)
                  assert.notInclude(JSON.stringify(message), "conversation")
                }
                yield* comms.setState("error", noon)
              })
            )
            assert.strictEqual(db.prepare("SELECT count(*) AS n FROM orchestration_messages").get()!["n"], 0)
          })
        )

        it.effect("replies are instructions to souffleur after an id, oldest first", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(`INSERT INTO orchestration_messages (id, task_id, message, message_type) VALUES
            (1, 'souffleur', 'PID:1', 'instruction'), (2, 'task-00', 'no', 'instruction'), (3, 'souffleur', 'no', 'system'),
            (9, 'souffleur', 'PID:9', 'instruction'), (5, 'souffleur', 'PID:5', 'instruction'), (10, 'souffleur', NULL, 'instruction')`)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                assert.deepEqual((yield* comms.replies({ after: 1, sessions: [] })).heard, [
                  { id: 5, text: "PID:5" },
                  { id: 9, text: "PID:9" },
                  { id: 10, text: "" }
                ])
                assert.deepEqual((yield* comms.replies({ after: 10, sessions: [] })).heard, [])
              })
            )
          })
        )

        it.effect("a locked file fails each call soon, and serves again after", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                const write = comms.post({ key: "k", kind: "system", text: "told", at: noon })
                // In WAL a writer holds up only writers. An exclusive holder of a rollback file stops readers too.
                const calls = [
                  write,
                  comms.beat(noon),
                  comms.setState("error", noon),
                  ...(journal === "DELETE" ? [comms.snapshot, comms.replies({ after: 0, sessions: [] })] : [])
                ]
                db.exec("BEGIN EXCLUSIVE")
                for (const call of calls) {
                  const [took, error] = yield* TestClock.withLive(
                    Effect.timed(Effect.flip(call as Effect.Effect<unknown, CommsUnavailable>))
                  )
                  assert.strictEqual(error.reason, "locked")
                  // The busy wait is SQLite's own, in real time: 50 ms, and two hundred times that on a busy machine.
                  assert.isBelow(Duration.toMillis(took), 10_000)
                }
                db.exec("COMMIT")
                yield* write
                yield* comms.beat(noon)
                assert.strictEqual((yield* comms.snapshot).lastMessageId, 1)
              })
            )
          })
        )

        it.effect("a reader in our way leaves no transaction behind: what is acknowledged later stays", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                yield* comms.snapshot
                db.exec("BEGIN")
                db.prepare("SELECT * FROM orchestration_tasks").all()
                for (const write of [
                  comms.post({ key: "blocked", kind: "system", text: "blocked", at: noon }),
                  comms.setState("error", noon)
                ]) {
                  if (journal === "DELETE") assert.strictEqual((yield* Effect.flip(write)).reason, "locked")
                  else yield* write
                }
                db.exec("COMMIT")
                db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-01', 'working')")
                yield* comms.post({ key: "after", kind: "system", text: "after", at: noon })
                assert.strictEqual((yield* comms.snapshot).taskCount, 1)
              })
            )
            const later = yield* theirs(path)
            const messages = later
              .prepare("SELECT message FROM orchestration_messages")
              .all()
              .map((row) => row["message"])
            assert.deepEqual(
              messages,
              journal === "DELETE" ? ["[after] after"] : ["[blocked] blocked", "[after] after"]
            )
            const { state } = later
              .prepare("SELECT state FROM orchestration_tasks WHERE task_id = 'souffleur'")
              .get() as { state: string }
            assert.strictEqual(state, journal === "DELETE" ? "watching" : "error")
          })
        )

        it.effect("journal mode and schema stay as they were", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            const look = () => [
              db.prepare("PRAGMA journal_mode").get(),
              db.prepare("PRAGMA schema_version").get(),
              db.prepare("PRAGMA user_version").get()
            ]
            const before = look()
            yield* withComms(path, (comms) =>
              Effect.all([
                comms.snapshot,
                comms.beat(noon),
                comms.setState("complete", noon),
                comms.post({ key: "k", kind: "warning", text: "t", at: noon })
              ])
            )
            assert.deepEqual(look(), before)
          })
        )

        it.effect("a file that was replaced is opened again", () =>
          Effect.gen(function* () {
            const files = yield* FileSystem.FileSystem
            const { db, path } = yield* fixture(journal)
            const next = yield* fixture(journal)
            next.db.exec(withRows)
            next.db.close()
            yield* withComms(path, (comms) =>
              Effect.gen(function* () {
                assert.deepStrictEqual((yield* comms.snapshot).souffleur, Option.none())
                db.close()
                assert.isFalse(
                  yield* files.exists(`${path}-wal`),
                  "a log that we kept alive would be replayed into the next file"
                )
                yield* files.rename(next.path, path)
                assert.deepStrictEqual((yield* comms.snapshot).souffleur, Option.some("watching"))
                yield* comms.setState("confirmed", noon)
                yield* files.remove(path)
                assert.strictEqual((yield* Effect.flip(comms.beat(noon))).reason, "missing")
                assert.isFalse(yield* files.exists(path))
                yield* files.writeFileString(path, "no database, ".repeat(100))
                assert.strictEqual((yield* Effect.flip(comms.snapshot)).reason, "foreign")
              })
            )
          })
        )
      })
    })
  })
}

describe("behaviour#use-of-comms", () => {
  run((it) => {
    it.effect("a file that comes later is found; a call makes none", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* tempPath
        yield* withComms(path, (comms) =>
          Effect.gen(function* () {
            for (const call of [
              comms.snapshot,
              comms.replies({ after: 0, sessions: [] }),
              comms.beat(noon),
              comms.post({ key: "k", kind: "system", text: "t", at: noon })
            ]) {
              assert.strictEqual(
                (yield* Effect.flip(call as Effect.Effect<unknown, { reason: string }>)).reason,
                "missing"
              )
            }
            assert.isFalse(yield* files.exists(path))
            yield* CommsSchema.init(path)
            assert.deepStrictEqual((yield* comms.snapshot).souffleur, Option.some("watching"))
          })
        )
      })
    )

    it.effect("a folder, text and an empty file are told apart", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* tempPath
        const reason = withComms(path, (comms) => Effect.flip(comms.snapshot)).pipe(Effect.map((error) => error.reason))
        yield* files.makeDirectory(path)
        assert.strictEqual(yield* reason, "foreign")
        yield* files.remove(path, { recursive: true })
        yield* files.writeFileString(path, "# notes\n".repeat(200))
        assert.strictEqual(yield* reason, "foreign")
        yield* files.writeFile(path, new Uint8Array())
        assert.strictEqual(yield* reason, "schema")
      })
    )

    it.effect("a lacking table or column is named; columns that may lack do", () =>
      Effect.gen(function* () {
        const { db, path } = yield* fixture("DELETE", ["CREATE TABLE Orchestration_Tasks (task_id, STATE)"])
        yield* withComms(path, (comms) =>
          Effect.gen(function* () {
            const detail = Effect.map(Effect.flip(comms.snapshot), (error) => [error.reason, error.problem])
            assert.deepStrictEqual(yield* detail, [
              "schema",
              "the table orchestration_tasks has no column last_heartbeat"
            ])
            db.exec("ALTER TABLE orchestration_tasks ADD COLUMN last_heartbeat")
            assert.deepStrictEqual(yield* detail, ["schema", "the table orchestration_messages is not there"])
            db.exec("CREATE TABLE orchestration_messages (id INTEGER PRIMARY KEY, task_id, message)")
            assert.deepStrictEqual(yield* detail, [
              "schema",
              "the table orchestration_messages has no column message_type"
            ])
            db.exec("ALTER TABLE orchestration_messages ADD COLUMN message_type")
            db.exec(withRows)
            assert.deepStrictEqual(Option.getOrThrow((yield* comms.snapshot).conductor), {
              state: "working",
              lastHeartbeat: null,
              sessionId: null
            })
            yield* comms.setState("error", noon, "why")
            yield* comms.post({ key: "k", kind: "warning", text: "t", at: noon })
            yield* comms.post({ key: "k", kind: "warning", text: "t", at: noon })
            assert.strictEqual(
              db.prepare("SELECT count(*) AS n FROM orchestration_messages WHERE message_type = 'warning'").get()!["n"],
              1
            )

            db.exec("ALTER TABLE orchestration_tasks ADD COLUMN last_error")
            db.exec("ALTER TABLE orchestration_tasks ADD COLUMN session_id")
            db.exec("UPDATE orchestration_tasks SET session_id = 'late' WHERE task_id = 'task-00'")
            assert.strictEqual(Option.getOrThrow((yield* comms.snapshot).conductor).sessionId, "late")
            yield* comms.setState("error", noon, "why")
            const error = db
              .prepare("SELECT last_error AS error FROM orchestration_tasks WHERE task_id = 'souffleur'")
              .get()!["error"]
            assert.strictEqual(error, "why")
          })
        )
      })
    )
  })
})

run((it) => {
  it.effect("uses run one at a time: closing the file releases the locks of all connections of this process", () =>
    Effect.gen(function* () {
      const { db, path } = yield* fixture("DELETE")
      db.exec(withRows)
      const real = yield* Sqlite
      let [open, most] = [0, 0]
      const counted = Sqlite.of({
        openForeign: (file) =>
          Effect.tap(real.openForeign(file), () =>
            Effect.andThen(
              Effect.acquireRelease(
                Effect.sync(() => (most = Math.max(most, (open += 1)))),
                () => Effect.sync(() => (open -= 1))
              ),
              Effect.yieldNow
            )
          )
      })
      yield* withComms(path, (comms) =>
        Effect.all([comms.snapshot, comms.beat(noon), comms.snapshot], { concurrency: 3 })
      ).pipe(Effect.provideService(Sqlite, counted))
      assert.deepStrictEqual([open, most], [0, 1])
    })
  )
})
