import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless } from "./ClaudeStage.ts"
import { bash, first, only, permissionsOf, services, staged, waiting } from "./Watched.ts"

const claude = inject("claude")
const goesOn = (said: ReadonlyArray<string>) => said.some((text) => text.includes("Your last turn ended by itself"))

describe("behaviour#print-mode", () => {
  it.live.skipIf(claude === null)(
    "a print-mode turn that ends before the work: the same session goes on, its prompt arrives once",
    () =>
      Effect.gen(function* () {
        const { lab, souffleur } = yield* staged(claude!, headless, (asked, commsDb) => {
          if (goesOn(asked.said)) return Effect.as(commsDb.complete, { text: "All is complete." })
          return Effect.succeed(asked.toolResult === undefined ? bash(waiting) : { text: "My turn is over." })
        })
        yield* lab.write("go", "")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.strictEqual(only(log, "TurnEnded")["retries"], 1)
        assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
        const relaunched = only(log, "ConductorRelaunched")
        assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["continue_turn", first])
        const asked = (yield* lab.asked).filter(({ turn }) => turn)
        assert.isTrue(asked.every(({ sessionId }) => sessionId === first))
        assert.lengthOf(
          asked.filter(({ said }) => goesOn(said)),
          1
        )
        const { all, most } = yield* lab.agents
        assert.strictEqual(most, 1)
        for (const { argv } of all.values()) assert.deepStrictEqual(permissionsOf(argv), ["acceptEdits"])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#retries", () => {
  it.live.skipIf(claude === null)(
    "three turns that end without a change of any task: exported for a person, exit code 1",
    () =>
      Effect.gen(function* () {
        const { lab, souffleur } = yield* staged(claude!, headless, (asked) =>
          Effect.succeed(
            asked.toolResult === undefined && !goesOn(asked.said) ? bash(waiting) : { text: "I have nothing to do." }
          )
        )
        yield* lab.write("go", "")
        assert.strictEqual(yield* souffleur.exitCode, 1, yield* souffleur.said)
        const log = yield* lab.log
        assert.deepStrictEqual(
          log.flatMap((event) => (event._tag === "TurnEnded" ? [event["retries"]] : [])),
          [1, 2, 3]
        )
        assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
        assert.lengthOf(
          log.filter(({ _tag }) => _tag === "ConductorRelaunched"),
          2
        )
        const exported = yield* lab.read(String(only(log, "RetriesExhausted")["exportPath"]))
        assert.lengthOf(exported.match(/I have nothing to do\./g) ?? [], 3)
        assert.lengthOf(
          (yield* lab.asked).filter(({ said, turn }) => turn && goesOn(said)),
          2
        )
        assert.strictEqual(yield* lab.stateOf("souffleur"), "error")
        const { all, most } = yield* lab.agents
        assert.strictEqual(most, 1)
        assert.lengthOf([...all], 3)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
