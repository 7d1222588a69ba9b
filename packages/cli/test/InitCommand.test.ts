import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Errands } from "@souffleur/domain"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services } from "./mcp/McpPlace.ts"

describe("behaviour#tables-of-comms", () => {
  it.live("init tries again while a program holds comms for a moment", () =>
    Effect.gen(function* () {
      const { as, comms, project } = yield* place()
      const holder = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(comms)),
        (db) => Effect.sync(() => db.close())
      )
      holder.exec("DELETE FROM orchestration_tasks WHERE task_id = 'souffleur'; BEGIN IMMEDIATE")
      const errands = yield* Errands
      const answers: Array<string> = []
      const ask: (typeof errands)["ask"] = (about, line) =>
        Effect.tap(errands.ask(about, line), (answer) =>
          Effect.sync(() => {
            if (answers.push(answer) === 1) holder.exec("COMMIT")
          })
        )
      yield* as("")(cli(["init", "--json", "--project-dir", project])).pipe(Effect.provideService(Errands, { ask }))
      assert.include(answers[0], "locked")
      assert.deepStrictEqual(
        (yield* TestConsole.logLines).map((line) => JSON.parse(String(line))),
        [{ comms, made: ["row souffleur"] }]
      )
    }).pipe(Effect.scoped, Effect.provide([TestConsole.layer, services]))
  )
})
