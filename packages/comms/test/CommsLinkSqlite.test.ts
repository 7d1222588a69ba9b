import { assert, describe, it } from "@effect/vitest"
import { CommsLink } from "@souffleur/domain"
import { Effect } from "effect"
import { CommsLinkSqlite, CommsTables } from "../src/index.ts"
import { fixture, services, tempPath, withRows } from "./support/CommsFixture.ts"

/** 2026-03-01 12:00:00 UTC */
const noon = Date.UTC(2026, 2, 1, 12)
const message = {
  taskId: "task-03",
  from: "s1",
  type: "instruction",
  text: 'it\'s "quoted"; DROP TABLE x -- é 🎭',
  at: noon + 999
}
const query = { after: 0, taskId: null, most: 10, characters: 1000 }

const withLink = <A, E, R>(path: string, act: (link: CommsLink["Service"]) => Effect.Effect<A, E, R>) =>
  CommsLink.use(act).pipe(Effect.provide(CommsLinkSqlite.layer(path)))

describe("behaviour#words-of-the-agent", () => {
  for (const journal of ["DELETE", "WAL"] as const) {
    describe(`journal ${journal}`, () => {
      it.layer(services)((it) => {
        it.effect("the agent's beat is task-00's heartbeat, and never goes back", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            const beats = () =>
              db.prepare("SELECT task_id, state, last_heartbeat FROM orchestration_tasks ORDER BY task_id").all()
            yield* withLink(path, (link) =>
              Effect.gen(function* () {
                yield* link.beat(noon)
                yield* link.beat(noon - 60_000)
              })
            )
            assert.deepStrictEqual(
              beats().map((row) => ({ ...row })),
              [
                { task_id: "souffleur", state: "watching", last_heartbeat: null },
                { task_id: "task-00", state: "working", last_heartbeat: "2026-03-01 12:00:00" }
              ]
            )
          })
        )
        it.effect(
          "the agent's state is written with its heartbeat; a state that the table refuses is reported, and nothing is written",
          () =>
            Effect.gen(function* () {
              const { db, path } = yield* fixture(journal)
              db.exec(withRows)
              const row = () => ({
                ...db.prepare("SELECT state, last_heartbeat FROM orchestration_tasks WHERE task_id = 'task-00'").get()
              })
              yield* withLink(path, (link) =>
                Effect.gen(function* () {
                  yield* link.setState("reviewing", noon)
                  assert.deepStrictEqual(row(), { state: "reviewing", last_heartbeat: "2026-03-01 12:00:00" })
                  const error = yield* Effect.flip(link.setState("napping", noon + 60_000))
                  assert.deepInclude(error, { _tag: "CommsUnavailable", reason: "schema" })
                  assert.include(error.problem, "refuses the state 'napping'")
                  assert.deepStrictEqual(row(), { state: "reviewing", last_heartbeat: "2026-03-01 12:00:00" })
                })
              )
            })
        )
        it.effect("messages are posted as they are, and read after an id, one task's or all, bounded", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(
              "INSERT INTO orchestration_messages (id, task_id, message, message_type) VALUES (7, 'task-01', x'00ff', 'system')"
            )
            yield* withLink(path, (link) =>
              Effect.gen(function* () {
                assert.strictEqual(yield* link.post(message), 8)
                assert.strictEqual(yield* link.post({ ...message, taskId: "task-04", text: "x".repeat(1001) }), 9)
                const error = yield* Effect.flip(link.post({ ...message, type: "gossip" }))
                assert.include(error.problem, "refuses the type 'gossip'")
                assert.notInclude(error.problem, "quoted")

                const [blob, first, long] = yield* link.read(query)
                // Bytes have no sender and no text.
                assert.deepInclude(blob, { id: 7, taskId: "task-01", from: null, text: "", cut: false })
                assert.deepStrictEqual(first, {
                  id: 8,
                  taskId: "task-03",
                  from: "s1",
                  type: "instruction",
                  at: "2026-03-01 12:00:00",
                  text: message.text,
                  cut: false
                })
                assert.deepStrictEqual([long?.text.length, long?.cut], [1000, true])
                const ids = Effect.fnUntraced(function* (change: Partial<typeof query> & { readonly task?: string }) {
                  return (yield* link.read({ ...query, ...change, taskId: change.task ?? null })).map(({ id }) => id)
                })
                assert.deepStrictEqual(yield* ids({ after: 7 }), [8, 9])
                assert.deepStrictEqual(yield* ids({ most: 2 }), [7, 8])
                assert.deepStrictEqual(yield* ids({ task: "task-04" }), [9])
              })
            )
          })
        )
        it.effect("tasks are registered once: an existing task stays as it is, and a refused task rolls all back", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-01', 'complete')")
            const states = () =>
              db
                .prepare("SELECT task_id, state, instruction_path FROM orchestration_tasks ORDER BY task_id")
                .all()
                .map((row) => Object.values(row))
            const tasks = [
              { id: "task-01", state: "watching" },
              { id: "task-02", state: "watching", instructionPath: "plans/2.md" }
            ]
            yield* withLink(path, (link) =>
              Effect.gen(function* () {
                assert.deepStrictEqual(yield* link.register(tasks), ["task-02"])
                assert.deepStrictEqual(yield* link.register(tasks), [])
                yield* Effect.flip(
                  link.register([
                    { id: "task-03", state: "watching" },
                    { id: "task-04", state: "napping" }
                  ])
                )
              })
            )
            assert.deepStrictEqual(states(), [
              ["task-01", "complete", null],
              ["task-02", "watching", "plans/2.md"]
            ])
          })
        )
        it.effect("a lock of another program is reported as a lock", () =>
          Effect.gen(function* () {
            const { db, path } = yield* fixture(journal)
            db.exec(withRows)
            db.exec("BEGIN IMMEDIATE; UPDATE orchestration_tasks SET worked_by = 'x'")
            const error = yield* Effect.flip(withLink(path, (link) => link.beat(noon)))
            assert.strictEqual(error.reason, "locked")
            db.exec("COMMIT")
            yield* withLink(path, (link) => link.beat(noon))
          })
        )
      })
    })
  }
})

describe("behaviour#use-of-comms", () => {
  it.layer(services)((it) => {
    it.effect("the link works with the columns that exist, and names a missing row", () =>
      Effect.gen(function* () {
        const { db, path } = yield* fixture("DELETE", [
          "CREATE TABLE orchestration_tasks (task_id TEXT, state TEXT, last_heartbeat TEXT)",
          "CREATE TABLE orchestration_messages (id INTEGER PRIMARY KEY, task_id TEXT, message TEXT, message_type TEXT)"
        ])
        yield* withLink(path, (link) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* link.post(message), 1)
            assert.deepInclude((yield* link.read(query))[0], { from: null, at: null, text: message.text })
            assert.deepStrictEqual(yield* link.register([{ id: "task-01", state: "watching", instructionPath: "p" }]), [
              "task-01"
            ])
            const error = yield* Effect.flip(link.beat(noon))
            assert.strictEqual(error.problem, "the row task-00 is missing in orchestration_tasks")
          })
        )
        assert.strictEqual(db.prepare("SELECT count(*) AS n FROM orchestration_tasks").get()?.["n"], 1)
      })
    )
    it.effect("the link makes no file", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(withLink(yield* tempPath, (link) => link.read(query)))
        assert.strictEqual(error.reason, "missing")
      })
    )
    it("the words that the tables allow are those of the schema", () => {
      for (const word of CommsTables.states) assert.include(CommsTables.tables.orchestration_tasks, `'${word}'`)
      for (const word of CommsTables.messageTypes)
        assert.include(CommsTables.tables.orchestration_messages, `'${word}'`)
    })
  })
})
