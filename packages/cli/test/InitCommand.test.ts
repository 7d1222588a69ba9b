import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Errands } from "@souffleur/domain"
import { newPlan } from "@souffleur/plan"
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

describe("command-line#setting-up", () => {
  it.live(
    "init --plan writes a new plan where there is none, and never over a file; conduct without one names it",
    () =>
      Effect.gen(function* () {
        const { as, project } = yield* place()
        const lines = Effect.map(TestConsole.logLines, (all) => all.map(String))
        const init = as("")(cli(["init", "--plan", "--project-dir", project]))
        yield* init
        const file = `${project}/plan.yaml`
        assert.deepStrictEqual(yield* lines, [`made ${file}: write its tasks, then souffleur conduct plan.yaml`])
        assert.strictEqual(readFileSync(file, "utf8"), newPlan)
        writeFileSync(file, "mine")
        yield* init
        assert.strictEqual((yield* lines).at(-1), `there is a plan already: ${file}`)
        assert.strictEqual(readFileSync(file, "utf8"), "mine")
        rmSync(file)
        symlinkSync(`${project}/nowhere`, file)
        yield* init
        assert.strictEqual((yield* lines).at(-1), `there is a plan already: ${file}`)
        assert.isFalse(existsSync(`${project}/nowhere`))
        rmSync(file)
        writeFileSync(`${project}/plan.md`, "mine")
        yield* as("")(cli(["init", "--plan", "--json", "--project-dir", project]))
        assert.deepStrictEqual(JSON.parse((yield* lines).at(-1)!), { plan: `${project}/plan.md`, made: false })
        assert.isFalse(existsSync(file))
        const { code } = yield* Effect.flip(as("")(cli(["conduct", "--project-dir", project])))
        assert.strictEqual(code, 2)
        assert.include(String((yield* TestConsole.errorLines).at(-1)), '"souffleur init --plan" writes a new one')
      }).pipe(Effect.scoped, Effect.provide([TestConsole.layer, services]))
  )
})
