import { assert, describe, it } from "@effect/vitest"
import { Comms, CommsLink } from "@souffleur/domain"
import { Sqlite } from "@souffleur/eventlog"
import { Effect, type FileSystem, Option } from "effect"
import { CommsErrand, CommsLinkSqlite, CommsSchema, CommsTables } from "../src/index.ts"
import { fixture, services, withComms, withRows } from "./support/CommsFixture.ts"

const noon = Date.UTC(2026, 2, 1, 12)
const { orchestration_messages: messagesDdl, orchestration_tasks: tasksDdl } = CommsTables.tables
const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"

/** Each of these would run for ever, or fill the disk or the memory, in a process that used it. */
const hostile: ReadonlyArray<readonly [what: string, ddl: ReadonlyArray<string>, says: RegExp]> = [
  [
    "a view without an end",
    [
      `CREATE VIEW Orchestration_Tasks AS ${endless} SELECT 'x' || n AS task_id, 'working' AS state, NULL AS last_heartbeat FROM r`,
      messagesDdl
    ],
    /orchestration_tasks is a view/
  ],
  [
    "a view of messages",
    [
      tasksDdl,
      `CREATE VIEW orchestration_messages AS ${endless} SELECT n AS id, '' AS task_id, '' AS message, '' AS message_type FROM r`
    ],
    /orchestration_messages is a view/
  ],
  [
    "a virtual table",
    [tasksDdl, "CREATE VIRTUAL TABLE orchestration_messages USING fts5(id, task_id, message, message_type)"],
    /orchestration_messages is a virtual table/
  ],
  [
    "a trigger without an end",
    [
      tasksDdl,
      messagesDdl,
      `CREATE TRIGGER t AFTER UPDATE ON ORCHESTRATION_TASKS BEGIN INSERT INTO orchestration_messages (message) ${endless} SELECT n FROM r; END`
    ],
    /orchestration_tasks has a trigger/
  ],
  [
    "a generated column of 600 MB",
    [
      "CREATE TABLE orchestration_tasks (task_id, state, last_heartbeat, bomb AS (hex(zeroblob(300000000))))",
      messagesDdl
    ],
    /orchestration_tasks has a generated column/
  ],
  [
    "ids that are texts",
    [tasksDdl, "CREATE TABLE orchestration_messages (id TEXT PRIMARY KEY, task_id, message, message_type)"],
    /column id of orchestration_messages is not INTEGER PRIMARY KEY/
  ]
]

const link = <A, E, R>(path: string, act: (link: CommsLink["Service"]) => Effect.Effect<A, E, R>) =>
  CommsLink.use(act).pipe(Effect.provide(CommsLinkSqlite.layer(path)))
it.layer(services)((it) => {
  describe("behaviour#use-of-comms, security#commsdb", () => {
    describe("comms whose tables are not plain", () => {
      for (const [what, ddl, says] of hostile) {
        it.effect(`runs no foreign code and is refused by name: ${what}`, () =>
          Effect.gen(function* () {
            const { path } = yield* fixture("DELETE", ddl)
            const all: ReadonlyArray<
              Effect.Effect<
                unknown,
                { readonly reason: string; readonly problem: string },
                Sqlite | FileSystem.FileSystem
              >
            > = [
              withComms(path, (comms) => comms.snapshot),
              withComms(path, (comms) => comms.replies({ after: 0, sessions: [] })),
              withComms(path, (comms) => comms.setState("error", noon)),
              withComms(path, (comms) => comms.post({ key: "k", kind: "system", text: "t", at: noon })),
              link(path, (one) => one.beat(noon)),
              link(path, (one) => one.read({ after: 0, taskId: null, most: 10, characters: 10 })),
              CommsSchema.sound(path),
              CommsSchema.init(path)
            ]
            for (const use of all) {
              const { problem, reason } = yield* Effect.flip(use)
              assert.strictEqual(reason, "schema")
              assert.match(problem, says)
            }
          })
        )
      }
    })
  })

  describe("behaviour#use-of-comms", () => {
    it.effect("a table that becomes a view is noticed before it is read, in one transaction", () =>
      Effect.gen(function* () {
        const { db, path } = yield* fixture("DELETE")
        db.exec(withRows)
        const sqlite = yield* Sqlite
        // Right after our look at the tables, somebody wants to change them.
        const meddling = Sqlite.of({
          openForeign: (file) =>
            Effect.map(
              sqlite.openForeign(file),
              (sql) =>
                Object.assign((...args: Parameters<typeof sql>) => sql(...args), sql, {
                  unsafe: (text: string, params?: ReadonlyArray<unknown>) => {
                    if (/^\s*WITH states/u.test(text)) {
                      try {
                        db.exec("ALTER TABLE orchestration_tasks RENAME TO old")
                      } catch {
                        // It is kept out until we are done.
                      }
                    }
                    return sql.unsafe(text, params)
                  }
                }) as typeof sql
            )
        })
        const snapshot = withComms(path, (comms) => comms.snapshot)
        const taken = yield* Effect.provideService(snapshot, Sqlite, meddling)
        assert.deepStrictEqual(taken.souffleur, Option.some("watching"))
      })
    )

    it.effect("an id beyond 2^53 - 1 is skipped and hides no other message; a check of the whole file reports it", () =>
      Effect.gen(function* () {
        for (const id of ["9007199254740993", "9223372036854775807"]) {
          const { db, path } = yield* fixture("WAL")
          db.exec(withRows)
          db.exec(
            "INSERT INTO orchestration_messages (id, task_id, message, message_type) VALUES (7, 'souffleur', 'PID:7', 'instruction')"
          )
          db.exec(
            `INSERT INTO orchestration_messages (id, task_id, message, message_type) VALUES (${id}, 'souffleur', 'PID:8', 'instruction')`
          )
          db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'")
          yield* withComms(path, (comms) =>
            Effect.gen(function* () {
              const { conductor, lastMessageId } = yield* comms.snapshot
              assert.strictEqual(Option.getOrThrow(conductor).state, "complete")
              assert.strictEqual(lastMessageId, 7)
              assert.deepStrictEqual(
                (yield* comms.replies({ after: 0, sessions: [] })).heard.map((reply) => ({ ...reply })),
                [{ id: 7, text: "PID:7" }]
              )
              yield* comms.post({ key: "k", kind: "system", text: "told", at: noon })
            })
          )
          assert.match((yield* Effect.flip(CommsSchema.sound(path))).problem, /an id beyond 2\^53 - 1/)
          const post = link(path, (one) => one.post({ taskId: "t", from: "s", type: "system", text: "t", at: noon }))
          if (id.startsWith("9007")) assert.match((yield* Effect.flip(post)).problem, /an id beyond 2\^53 - 1/)
          const read = yield* link(path, (one) => one.read({ after: 0, taskId: null, most: 10, characters: 10 }))
          assert.deepStrictEqual(
            read.map((message) => message.id),
            [7]
          )
        }
      })
    )

    it.effect("a text that would fill the memory is not read", () =>
      Effect.gen(function* () {
        const { db, path } = yield* fixture("WAL")
        db.exec(withRows)
        const message = db.prepare(
          "INSERT INTO orchestration_messages (task_id, message, message_type) VALUES ('souffleur', ?, 'instruction')"
        )
        message.run("PID:1")
        const before = (yield* withComms(path, (comms) => comms.snapshot)).taskFingerprint
        db.exec(`INSERT INTO orchestration_messages (task_id, message, message_type)
        SELECT 'souffleur', 'CONTEXT_RECOVERY_PAYLOAD_V1' || printf('%.*c', 50000000, 'x'), 'instruction'
        UNION ALL SELECT 'task-00', 'CONTEXT_RECOVERY_PAYLOAD_V1' || printf('%.*c', 50000000, 'x'), 'handoff'`)
        db.exec("INSERT INTO orchestration_tasks (task_id, state) SELECT printf('%.*c', 5000000, 'x'), 'working'")
        db.exec(
          "UPDATE orchestration_tasks SET last_heartbeat = printf('%.*c', 5000000, 'x'), session_id = printf('%.*c', 5000000, 'x') WHERE task_id = 'task-00'"
        )
        yield* withComms(path, (comms) =>
          Effect.gen(function* () {
            const { conductor, taskCount, taskFingerprint } = yield* comms.snapshot
            assert.deepStrictEqual((yield* comms.payload({ after: 0, sessions: [] })).heard, Option.none())
            assert.strictEqual(taskCount, 1)
            assert.notStrictEqual(taskFingerprint, before)
            assert.deepStrictEqual(
              conductor,
              Option.some({ state: "working", lastHeartbeat: "5000000 bytes", sessionId: null })
            )
            assert.deepStrictEqual(
              (yield* comms.replies({ after: 0, sessions: [] })).heard.map(({ text }) => text),
              ["PID:1", ""]
            )
          })
        )
        const [, huge] = yield* link(path, (one) => one.read({ after: 0, taskId: null, most: 10, characters: 10 }))
        assert.deepInclude(huge, { text: "", cut: true })
      })
    )

    it.effect("each change of state among very many tasks is seen, and a hundred replies at once", () =>
      Effect.gen(function* () {
        const { db, path } = yield* fixture("WAL")
        db.exec(withRows)
        db.exec(
          `INSERT INTO orchestration_tasks (task_id, state) ${endless} SELECT 'task-' || n, 'working' FROM r LIMIT 200000`
        )
        db.exec(
          `INSERT INTO orchestration_messages (task_id, message, message_type) ${endless} SELECT 'souffleur', n, 'instruction' FROM r LIMIT 1000`
        )
        yield* withComms(path, (comms) =>
          Effect.gen(function* () {
            const before = yield* comms.snapshot
            assert.strictEqual(before.taskCount, 200_000)
            db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-99999'")
            assert.notStrictEqual((yield* comms.snapshot).taskFingerprint, before.taskFingerprint)
            const replies = (yield* comms.replies({ after: 10, sessions: [] })).heard
            assert.deepStrictEqual([replies.length, replies[0]?.id, replies.at(-1)?.id], [100, 11, 110])
          })
        )
      })
    )

    describe("comms by an errand", () => {
      it.effect("behaves as without one: for values, missing files and refusals", () =>
        Effect.gen(function* () {
          const { db, path } = yield* fixture("WAL")
          const remote = Effect.provide(CommsErrand.layer(path))
          assert.deepStrictEqual(
            yield* remote(Comms.use((comms) => comms.snapshot)),
            yield* withComms(path, (comms) => comms.snapshot)
          )
          db.exec(withRows)
          db.prepare(
            "INSERT INTO orchestration_messages (task_id, message, message_type) VALUES ('task-00', ?, 'handoff')"
          ).run('CONTEXT_RECOVERY_PAYLOAD_V1\n{"_id":"Option","_tag":"None"}')
          const query = { after: 0, sessions: [] }
          const payload = yield* withComms(path, (comms) => comms.payload(query))
          assert.isTrue(Option.isSome(payload.heard))
          assert.deepStrictEqual(yield* remote(Comms.use((comms) => comms.payload(query))), payload)
          assert.deepStrictEqual(
            yield* remote(Comms.use((comms) => comms.snapshot)),
            yield* withComms(path, (comms) => comms.snapshot)
          )
          // The error of before goes.
          db.exec("UPDATE orchestration_tasks SET last_error = 'before' WHERE task_id = 'souffleur'")
          yield* remote(Comms.use((comms) => comms.setState("error", noon, undefined)))
          assert.deepEqual(
            { ...db.prepare("SELECT state, last_error FROM orchestration_tasks WHERE task_id = 'souffleur'").get() },
            { state: "error", last_error: null }
          )
          const id = yield* Effect.provide(
            CommsLink.use((one) => one.post({ taskId: "t", from: "s", type: "system", text: "\u2028 \n", at: noon })),
            CommsErrand.layerLink(path)
          )
          assert.strictEqual(id, 2)
          assert.deepStrictEqual(yield* CommsErrand.init(path), [])
          yield* CommsErrand.sound(path)
          db.exec("DROP TABLE orchestration_messages")
          const error = yield* Effect.flip(remote(Comms.use((comms) => comms.snapshot)))
          assert.deepInclude(error, {
            _tag: "CommsUnavailable",
            path,
            reason: "schema",
            problem: "the table orchestration_messages is not there"
          })
        }).pipe(Effect.provide(CommsErrand.layerHere))
      )
    })
  })
})
