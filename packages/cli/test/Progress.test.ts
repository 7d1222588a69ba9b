import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { withProgressLine } from "../src/explain/Progress.ts"

const stage = (terminal: boolean) => {
  const written: Array<string> = []
  const layer = Stdio.layerTest({
    stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => void written.push(String(text)))),
    stderrIsTerminal: Effect.succeed(terminal)
  })
  return { layer, written }
}
const line = (text: string) => `\r\u001B[2K${text}`

describe("command-line#conventions", () => {
  it.effect("an act of seconds has one line on a terminal, which is erased at its end", () =>
    Effect.gen(function* () {
      const { layer, written } = stage(true)
      const act = Effect.as(Effect.sleep("2500 millis"), 7)
      const acting = yield* Effect.provide(withProgressLine("exporting")(act), layer).pipe(
        Effect.tap(() => Effect.sleep("1 minute")),
        Effect.forkChild
      )
      yield* TestClock.adjust("2500 millis")
      assert.deepStrictEqual(written, [line("exporting: 1 s"), line("exporting: 2 s"), line("")])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(acting), 7)
      assert.lengthOf(written, 3)
    })
  )
  it.effect("a failed and an interrupted act leave no line either", () =>
    Effect.gen(function* () {
      for (const end of ["fails", "is interrupted"]) {
        const { layer, written } = stage(true)
        const act = Effect.andThen(Effect.sleep("1500 millis"), end === "fails" ? Effect.fail("no") : Effect.never)
        const acting = yield* Effect.forkChild(Effect.provide(withProgressLine("exporting")(act), layer))
        yield* TestClock.adjust("1500 millis")
        if (end !== "fails") yield* Fiber.interrupt(acting)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(acting)))
        assert.deepStrictEqual(written, [line("exporting: 1 s"), line("")], end)
      }
    })
  )
  it.effect("a quick act writes nothing, and no act does where there is no terminal", () =>
    Effect.gen(function* () {
      for (const [terminal, time] of [
        [true, "900 millis"],
        [false, "1 minute"]
      ] as const) {
        const { layer, written } = stage(terminal)
        const acting = yield* Effect.forkChild(Effect.provide(withProgressLine("x")(Effect.sleep(time)), layer))
        yield* TestClock.adjust(time)
        yield* Fiber.join(acting)
        assert.deepStrictEqual(written, [])
      }
    })
  )
})
