import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Errands } from "@souffleur/domain"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
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
  it.effect("init gives up where a program holds comms for longer than 5 s", () =>
    Effect.gen(function* () {
      const { as, comms, project } = yield* place()
      const holder = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(comms)),
        (db) => Effect.sync(() => db.close())
      )
      holder.exec("DELETE FROM orchestration_tasks WHERE task_id = 'souffleur'; BEGIN IMMEDIATE")
      const errands = yield* Errands
      // The first answer is of the real file, and each later one is the same.
      const answered = yield* Deferred.make<string>()
      const ask: (typeof errands)["ask"] = (about, line) =>
        Effect.flatMap(Deferred.isDone(answered), (done) =>
          done
            ? Deferred.await(answered)
            : Effect.tap(errands.ask(about, line), (answer) => Deferred.succeed(answered, answer))
        )
      const ending = yield* as("")(cli(["init", "--project-dir", project])).pipe(
        Effect.provideService(Errands, { ask }),
        Effect.flip,
        Effect.forkChild({ startImmediately: true })
      )
      assert.include(yield* Deferred.await(answered), "locked")
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(ending.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(ending)).code, 2)
      assert.match(String((yield* TestConsole.errorLines).at(-1)), /comms\.db: database is locked/u)
    }).pipe(Effect.scoped, Effect.provide([TestConsole.layer, services]))
  )
})
