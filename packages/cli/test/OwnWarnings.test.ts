import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect } from "effect"
import { printing } from "../src/Printing.ts"
import { layerOwnWarnings } from "../src/world/OwnWarnings.ts"

describe("command-line#screen", () => {
  it.effect("a warning of the program's own log is one line for a person, without time, level and fiber", () =>
    Effect.gen(function* () {
      const [lines, facts]: [Array<string>, Array<string>] = [[], []]
      const log = (line: string) => void facts.push(line)
      yield* Effect.gen(function* () {
        yield* Effect.logWarning('ntfy did not take the notice "died": the server answered 500\nforged')
        yield* Effect.logInfo("as it is")
        yield* Effect.logError("a loop", Cause.die(new TypeError("SECRET")))
        yield* Effect.logDebug("nothing of this")
      }).pipe(
        Effect.provide(layerOwnWarnings(false)),
        Effect.provideService(Console.Console, printing(false, { log, error: (line) => void lines.push(line) }))
      )
      assert.deepStrictEqual(lines.slice(0, 2), [
        'warning: ntfy did not take the notice "died": the server answered 500\\u000aforged',
        "as it is"
      ])
      assert.match(lines.slice(2).join("|"), /^error: a loop \(a bug: TypeError at [^|]*\)$/u)
      assert.deepStrictEqual(facts, [])
    })
  )
})
