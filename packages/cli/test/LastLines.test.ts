import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { drainNarrator } from "../src/watching/WatchSession.ts"
import { Unread } from "../src/world/CommandEnvironment.ts"

const ended = Effect.fnUntraced(function* (narrates: Effect.Effect<void>) {
  const unread = yield* Ref.make(false)
  const narrator = yield* Effect.forkChild(narrates)
  const fiber = yield* drainNarrator("souffleur log opera-1507", narrator).pipe(
    Effect.provideService(Unread, Ref.set(unread, true)),
    Effect.forkChild
  )
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.join(fiber)
  return { unread: yield* Ref.get(unread), errors: yield* TestConsole.errorLines }
})

describe("command-line#screen", () => {
  it.effect("lines that nothing reads hold up the end of a watch for ten seconds, and are told", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ended(Effect.sleep("9 seconds")), { unread: false, errors: [] })
      const { errors, unread } = yield* ended(Effect.never)
      assert.isTrue(unread)
      assert.match(
        errors.join("\n"),
        /^warning: the last lines could not be written.*"souffleur log opera-1507" has them$/u
      )
    }).pipe(Effect.provide(TestConsole.layer))
  )
})
