import { assert, describe, it } from "@effect/vitest"
import type { SessionPast, Todo } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { makePasts } from "../src/history/Pasts.ts"

const item = (text: string, state: Todo["state"]): Todo => ({ text, state })

describe("command-line#page", () => {
  it.effect("the list of an agent is read whole where the end of its session tells a change of it alone", () =>
    Effect.gen(function* () {
      let whole = [item("read it", "doing"), item("build it", "open")]
      let end: ReadonlyArray<Todo> | null = whole
      const pasts = yield* makePasts({
        past: (_, bytes) =>
          Effect.succeed(Option.some<SessionPast>({ points: [], todos: bytes > 1 << 20 ? whole : end }))
      })
      const watch = { id: "a", sessionId: "s" }
      assert.deepStrictEqual((yield* pasts(watch))?.todos, whole)
      whole = [item("read it", "done"), item("build it", "open")]
      end = []
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual((yield* pasts(watch))?.todos, whole)
    })
  )
  it.effect("readers share one look at a session", () =>
    Effect.gen(function* () {
      const looks: Array<number> = []
      const pasts = yield* makePasts({
        past: (_, bytes) =>
          Effect.gen(function* () {
            looks.push(bytes)
            yield* Effect.yieldNow
            return Option.some<SessionPast>({ points: [], todos: null })
          })
      })
      const readers = Array.from({ length: 20 }, () => pasts({ id: "a", sessionId: "s" }))
      yield* Effect.all(readers, { concurrency: "unbounded" })
      assert.deepStrictEqual(looks, [16 << 20])
      yield* TestClock.adjust("5 seconds")
      yield* Effect.all(readers, { concurrency: "unbounded" })
      assert.deepStrictEqual(looks, [16 << 20, 1 << 20])
    })
  )
})
