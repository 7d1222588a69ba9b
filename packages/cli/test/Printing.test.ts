import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Random, Schema } from "effect"
import { TestConsole } from "effect/testing"
import { makeMark, paint, printing, printJson, printLines } from "../src/Printing.ts"

const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u
// oxlint-disable-next-line no-control-regex
const ours = /\u001B\[(?:0|2|31|32|33)m/gu

/** Catches the values that arrive at both streams. */
const caught = () => {
  const [out, err]: [Array<unknown>, Array<unknown>] = [[], []]
  return {
    out,
    err,
    log: (...args: ReadonlyArray<unknown>) => out.push(...args),
    error: (...args: ReadonlyArray<unknown>) => err.push(...args)
  }
}

describe("behaviour#plain-words", () => {
  it.effect.prop("a terminal obeys no foreign text, in any colour of ours", [Schema.String], ([text]) =>
    Effect.gen(function* () {
      const mark = yield* makeMark
      const to = caught()
      const hostile = `${text}\u001B[31mred\u001B[0m\u009B2J\u202E\n2026 a line of ours\r\u0007`
      const brush = paint(mark)
      const all = Console.log(`${hostile} ${brush("red", hostile)} ${brush("dim", hostile)}`).pipe(
        Effect.andThen(Console.error(hostile)),
        Effect.andThen(Effect.logError(hostile))
      )
      yield* Effect.provideService(all, Console.Console, printing(mark, to))
      for (const line of [...to.out, ...to.err]) assert.notMatch(String(line).replaceAll(ours, ""), obeyed)
      // Two pairs, and no more: the red of others is none.
      assert.deepStrictEqual(String(to.out[0]).match(ours), ["\u001B[31m", "\u001B[0m", "\u001B[2m", "\u001B[0m"])
    })
  )

  it.effect("a mark cannot be guessed, and there are no colours where none are wanted", () =>
    Effect.gen(function* () {
      const marks = yield* Effect.replicateEffect(makeMark, 100)
      assert.strictEqual(new Set(marks).size, 100)
      for (const mark of marks) assert.match(mark, /^<[0-9a-f]{32}>$/u)
      assert.strictEqual(paint(false)("red", "a"), "a")
      const to = caught()
      yield* Effect.provideService(Console.log(`${marks[0]}31mred`), Console.Console, printing(false, to))
      assert.deepStrictEqual(to.out, [`${marks[0]}31mred`])
    }).pipe(Random.withSeed("printing"))
  )
})

describe("command-line#conventions", () => {
  it.effect("the console prints in no other way", () =>
    Effect.sync(() => {
      const to = caught()
      const console = printing(false, to)
      for (const method of Object.values(console) as ReadonlyArray<(...args: ReadonlyArray<unknown>) => void>)
        method("\u001B", { a: "\u009B" })
      assert.isAbove(to.out.length + to.err.length, 5)
      for (const line of [...to.out, ...to.err]) assert.strictEqual(line, '\\u001b {"a":"\\u009b"}')
    })
  )

  it.effect("a text with several lines of ours is printed on several, and JSON stays the same", () =>
    Effect.gen(function* () {
      yield* printLines("one\n two", "error")
      assert.deepStrictEqual(yield* TestConsole.errorLines, ["one", " two"])
      const to = caught()
      const value = { a: ["\u001B\u009B\u202E\n", { b: "\u2028" }] }
      yield* Effect.provideService(printJson(value), Console.Console, printing(false, to))
      assert.deepStrictEqual(to.out.length, 1)
      assert.deepStrictEqual(JSON.parse(String(to.out[0])), value)
      yield* Effect.provideService(printLines("a\u001B\nb", "error"), Console.Console, printing(false, to))
      assert.deepStrictEqual(to.err, ["a\\u001b\nb"])
    })
  )
})
