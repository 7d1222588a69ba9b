import { assert, describe, it } from "@effect/vitest"
import { makeWatchRef } from "@souffleur/domain"
import { Effect, Fiber } from "effect"
import { attended, attendedHere } from "../src/index.ts"
import { settle, until } from "@souffleur/testing"
import { living, watching } from "./SupervisorWorld.ts"

const attending = Effect.fnUntraced(function* (run: (n: number) => Effect.Effect<void>) {
  const all = yield* living(watching)
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
  let runs = 0
  const fiber = yield* Effect.forkChild(
    attended(
      ref,
      "publisher",
      Effect.suspend(() => run((runs += 1)))
    )
  )
  yield* settle
  return { ...all, fiber, runs: () => runs }
})

describe("behaviour#defects", () => {
  it.effect("a reporter that dies is started again, and its third death in a row is its last, as an event", () =>
    Effect.gen(function* () {
      const { fiber, runs, tags } = yield* attending(() => Effect.die(new RangeError("x")))
      assert.strictEqual(runs(), 1)
      yield* until(1)
      assert.strictEqual(runs(), 2)
      yield* until(3)
      assert.strictEqual(runs(), 3)
      yield* Fiber.join(fiber)
      yield* until(1000)
      assert.strictEqual(runs(), 3)
      assert.deepStrictEqual(yield* tags, ["RoleFailed", "RoleFailed", "RoleFailed", "RoleGaveUp"])
    })
  )
  it.effect("a reporter that ends is not started again; after one death it runs once more", () =>
    Effect.gen(function* () {
      const ended = yield* attending(() => Effect.void)
      yield* Fiber.join(ended.fiber)
      assert.deepStrictEqual([ended.runs(), yield* ended.tags], [1, []])
      const once = yield* attending((n) => (n === 1 ? Effect.die("x") : Effect.never))
      yield* until(100)
      assert.deepStrictEqual([once.runs(), yield* once.tags], [2, ["RoleFailed"]])
      yield* Fiber.interrupt(once.fiber)
    })
  )
  it.effect("a role without a log also ends at its third death in a row; hours of life reset the count", () =>
    Effect.gen(function* () {
      let runs = 0
      const dies = yield* Effect.forkChild(
        attendedHere(
          "publisher",
          Effect.suspend(() => Effect.die((runs += 1)))
        )
      )
      yield* until(1000)
      yield* Fiber.join(dies)
      assert.strictEqual(runs, 3)
      const lives = yield* Effect.forkChild(
        attendedHere("publisher", Effect.andThen(Effect.sleep("7 hours"), Effect.die((runs += 1))))
      )
      yield* until(50 * 7 * 3600)
      assert.isUndefined(lives.pollUnsafe())
      yield* Fiber.interrupt(lives)
    })
  )
})
