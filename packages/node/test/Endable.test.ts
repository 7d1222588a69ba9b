import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { endable } from "../src/processes/Signals.ts"

it.effect(
  "signals have their default effect during one call alone, and are heard again after it, even if it fails",
  () =>
    Effect.gen(function* () {
      const heard: NodeJS.SignalsListener = () => {}
      const isHeard = (signal: NodeJS.Signals) => process.listeners(signal).includes(heard)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("SIGTERM", heard).on("SIGINT", heard)),
        () => Effect.sync(() => process.off("SIGTERM", heard).off("SIGINT", heard))
      )
      const during = Effect.sync(() => process.listenerCount("SIGTERM") + process.listenerCount("SIGINT"))
      assert.strictEqual(yield* endable(during), 0)
      assert.deepStrictEqual([isHeard("SIGTERM"), isHeard("SIGINT")], [true, true])
      yield* Effect.flip(endable(Effect.fail("it cannot be read")))
      assert.deepStrictEqual([isHeard("SIGTERM"), isHeard("SIGINT")], [true, true])
    })
)
