import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { alive, answers, prints, stage, task, until } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)

const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
/** A table becomes a view that never ends, as anybody may make it who may write the file. */
const view = `ALTER TABLE orchestration_tasks RENAME TO old;
  CREATE VIEW orchestration_tasks AS ${endless} SELECT 'x' || n AS task_id, 'working' AS state, NULL AS last_heartbeat FROM r`
/** Plain tables: a beat of souffleur's own sets off what never ends, in another table. */
const cascade = `CREATE UNIQUE INDEX beats ON orchestration_tasks (last_heartbeat);
  CREATE TABLE junk (beat TEXT REFERENCES orchestration_tasks (last_heartbeat) ON UPDATE CASCADE, n);
  INSERT INTO junk (beat) SELECT last_heartbeat FROM orchestration_tasks WHERE task_id = 'souffleur';
  CREATE TRIGGER more AFTER UPDATE ON junk BEGIN INSERT INTO junk (n) ${endless} SELECT n FROM r; END`

const childrenOf = (pid: number) =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
const errandOf = (pid: number) =>
  childrenOf(pid).filter((child) => {
    try {
      return fs.readFileSync(`/proc/${child}/cmdline`, "utf8").includes("__database")
    } catch {
      return false
    }
  })
describe.concurrent("comms that would block its reader", () => {
  describe("behaviour#use-of-comms", () => {
    live("a view as comms is refused by doctor, init and watch in the same words, and never read", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        the.commsDb((db) => db.exec(view))
        const says = /comms\.db: orchestration_tasks is a view: souffleur uses plain tables alone/
        const doctor = yield* the.run(["doctor"])
        assert.match(doctor.lines.join("\n"), says)
        for (const args of [["init"], ["watch", "--pid", String(conductor.pid), "--session-id", the.session]]) {
          const { code, errors } = yield* the.run(args)
          assert.strictEqual(code, 2, errors)
          assert.match(errors, says)
        }
      })
    )

    live("init in a file whose check does not end is over after 2 s, says so, and leaves the file as it was", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        the.commsDb((db) => {
          const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'orchestration_tasks'").get() ?? {}
          // Compares fifty thousand characters ten million times.
          const endless = "CHECK (printf('%.*c', 10000000, 'a') NOT LIKE printf('%%%.*cb', 49000, 'a'))"
          db.exec(`DROP TABLE orchestration_tasks; ${String(sql).replace(/\)\s*$/u, `, ${endless})`)}`)
        })
        const { code, errors } = yield* the.run(["init"])
        assert.strictEqual(code, 2, errors)
        assert.match(errors, /comms\.db: it did not answer within 2s/)
        assert.deepStrictEqual(
          the.commsDb((db) => db.prepare("SELECT * FROM orchestration_tasks").all()),
          []
        )
      })
    )

    live(
      "a view that appears during a watch is reported; the Conductor's death is seen by its process, and SIGTERM works",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const conductor = yield* the.conductor()
          const watch = the.watch(conductor, "--observe")
          yield* prints(watch, "WatchSettled")
          the.commsDb((db) => db.exec(view))
          yield* until(
            Effect.sync(() => watch.errors()),
            (text) => /warning: comms is out, .*orchestration_tasks is a view/.test(text)
          )
          const [status] = JSON.parse((yield* the.run(["status", "--json"])).lines.join(""))
          assert.deepInclude(status, { comms: "out", comms_out: "schema" })
          the.commsDb((db) => db.exec("DROP VIEW orchestration_tasks; ALTER TABLE old RENAME TO orchestration_tasks"))
          yield* until(
            Effect.sync(() => watch.errors()),
            (text) => /comms\.db can be read again/.test(text)
          )
          conductor.kill("SIGKILL")
          yield* prints(watch, "ConductorDied")
          yield* answers(watch)
        })
    )

    live("eight messages of 100 MB are not read while the watch waits for corrected arguments", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_VALIDATION_RETRY_INTERVAL: "500 millis" })
        yield* the.conductor()
        const watch = the.start(["watch", "--json", "--pid", "4190000", "--session-id", the.session])
        yield* prints(watch, "ValidationFailed")
        the.commsDb((db) =>
          db.exec(`INSERT INTO orchestration_messages (task_id, message, message_type)
          ${endless} SELECT 'souffleur', printf('%.*c', 100000000, 'x'), 'instruction' FROM r LIMIT 8`)
        )
        assert.strictEqual((yield* watch.ended).code, 1, watch.errors())
      })
    )
  })

  describe("behaviour#use-of-comms, security#commsdb", () => {
    live("a write to comms that never ends is ended with its errand, and the watch goes on without comms", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], {
          SOUFFLEUR_MONITOR_STALE_AFTER: "2 minutes",
          SOUFFLEUR_WATCHER_INTERVAL: "500 millis"
        })
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor, "--observe")
        yield* prints(watch, "WatchSettled")
        the.commsDb((db) => db.exec(cascade))
        const [first] = yield* until(
          Effect.sync(() => errandOf(watch.pid)),
          (pids) => pids.length > 0
        )
        yield* until(
          Effect.sync(() => watch.errors()),
          (text) => /warning: comms is out, .*did not answer within 2s/.test(text)
        )
        yield* until(
          Effect.sync(() => alive(first!)),
          (yes) => !yes
        )
        conductor.kill("SIGKILL")
        yield* prints(watch, "ConductorDied")
        const left = errandOf(watch.pid)
        yield* answers(watch)
        yield* until(
          Effect.sync(() => left.filter(alive)),
          (pids) => pids.length === 0
        )
        // Its unfinished change is taken back, and the file is as good as before.
        assert.strictEqual(the.commsDb((db) => db.prepare("SELECT count(*) AS n FROM junk").get())?.["n"], 1)
      })
    )
  })
})
