import { assert, describe, it } from "@effect/vitest"
import { formatTime } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

const session = "8c4e0f0e-3a52-4b5f-9a51-6c1c1f6f0a07"

/** Prints what a command says of a living watch whose comms has these tasks. */
const staged = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const the = yield* place()
  yield* the.watch("w", [...watching({ project: the.project, comms: the.comms }), examples.ConductorDied])
  const db = yield* the.commsDb
  const now = Date.UTC(2026, 2, 1, 12)
  yield* TestClock.setTime(now)
  const beat = formatTime(now - 600_000)
  yield* db.unsafe(`INSERT INTO orchestration_tasks (task_id, state, session_id, last_heartbeat) VALUES
    ('task-01', 'working', '${session}', '${beat}'), ('task-02-fix', 'watching', NULL, NULL), ('../task-03', 'error', NULL, NULL)`)
  yield* fs.makeDirectory(`${the.project}/temp`)
  yield* fs.writeFileString(`${the.project}/temp/musician-task-01.pid`, "4711\n", { mode: 0o644 })
  yield* fs.writeFileString(`${the.project}/task-03.pid`, "4712\n", { mode: 0o644 })
  return Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
    const before = (yield* TestConsole.logLines).length
    yield* the.as("")(cli([...words, "--project-dir", the.project]))
    return (yield* TestConsole.logLines).slice(before).map(String).join("\n")
  })
})

describe("behaviour#silent-tasks", () => {
  it.layer(services)((it) => {
    it.effect(
      "status, why and report list the tasks of comms, each with its state, session, heartbeat and window",
      () =>
        Effect.gen(function* () {
          const said = yield* staged
          const line = new RegExp(`task-01 +working +heartbeat 10 m 0 s ago +window pid 4711 +session ${session}`, "u")
          const status = yield* said("status")
          assert.include(status, "TASKS OF w")
          assert.match(status, line)
          assert.match(status, /task-02-fix +watching +no heartbeat$/mu)
          assert.match(status, /\.\.\/task-03 +error +no heartbeat$/mu, "no name leads out of the folder")
          const why = yield* said("why")
          assert.include(why, "Its tasks now")
          assert.match(why, line)
          const report = yield* said("report", "--since", "30000d")
          assert.match(report, /^- task-01, working, heartbeat 10 m .*, window pid 4711, session 8c4e/mu)

          const first = { task: "task-01", state: "working", session_id: session, window_pid: 4711 }
          const [watch] = JSON.parse(yield* said("status", "--json"))
          assert.deepInclude(watch.tasks[1], first)
          assert.strictEqual(watch.tasks[1].heartbeat_age_ms, 600_000)
          assert.deepInclude(JSON.parse(yield* said("why", "--json")).tasks[1], first)
          assert.deepInclude(
            JSON.parse(yield* said("report", "--since", "30000d", "--json")).watches[0].tasks[1],
            first
          )
        })
    )
  })
})
