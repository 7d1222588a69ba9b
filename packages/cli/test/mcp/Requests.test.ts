import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref, Schema, Sink, Stdio, Stream } from "effect"
import { screened } from "../../src/mcp/Requests.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Returns the text of these chunks that comes through, and the answers to the rest. */
const through = Effect.fnUntraced(function* (chunks: ReadonlyArray<Uint8Array>) {
  const answers = yield* Ref.make("")
  const stdio = Stdio.make({
    args: Effect.succeed([]),
    stdin: Stream.fromIterable(chunks),
    stdout: () => Sink.forEach((text) => Ref.update(answers, (before) => before + String(text))),
    stderr: () => Sink.drain
  })
  const passed = yield* Stream.runFold(
    Stream.decodeText(screened(stdio).stdin),
    () => "",
    (before, text) => before + text
  )
  return { passed, answers: (yield* Ref.get(answers)).split("\n").filter((line) => line !== "") }
})

const Message = Schema.Struct({ id: Schema.Int, params: Schema.String })

describe("behaviour#words-of-the-agent", () => {
  it.effect.prop(
    "messages arrive whole, however they are cut into chunks and whatever lies between them",
    [
      Schema.Array(Message),
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))),
      Schema.Boolean
    ],
    ([messages, sizes, garbage]) =>
      Effect.gen(function* () {
        const lines = messages.map((message) => `${JSON.stringify(message)}\n`)
        const all = bytes(lines.map((line) => (garbage ? `{"torn": \n${line}` : line)).join(""))
        const chunks: Array<Uint8Array> = []
        for (let from = 0, n = 0; from < all.length; n += 1) {
          const size = sizes[n % Math.max(1, sizes.length)] ?? 7
          chunks.push(all.slice(from, from + size))
          from += size
        }
        const { answers, passed } = yield* through(chunks)
        assert.strictEqual(passed, lines.join(""))
        assert.lengthOf(answers, garbage ? messages.length : 0)
      })
  )
  it.effect("a line that is too long is answered once and dropped, and the next line is read", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 40 }, () => bytes("x".repeat(100_000)))
      const { answers, passed } = yield* through([bytes('{"a":1}\n{"b":"'), ...long, bytes('"}\n{"c":3}\n5\n{"d":4}')])
      assert.strictEqual(passed, '{"a":1}\n{"c":3}\n')
      assert.deepStrictEqual(
        answers.map((line) => JSON.parse(line).error.message),
        ["a line is longer than 1000000 bytes", "a line is not JSON: send one message a line"]
      )
    })
  )
  it.effect("a line of blanks is no message, and the text after it is kept", () =>
    Effect.gen(function* () {
      const { answers, passed } = yield* through([bytes('{"a":1}\n   \t \n\n\r\n{"b":2}\n')])
      assert.strictEqual(passed, '{"a":1}\n{"b":2}\n')
      assert.deepStrictEqual(answers, [])
    })
  )
})
