import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeLines } from "../src/Lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (limit: number, chunks: ReadonlyArray<Uint8Array>) => {
  const seen: Array<readonly [string, boolean]> = []
  const lines = makeLines(limit, (line, whole) => seen.push([new TextDecoder().decode(line), whole]))
  for (const chunk of chunks) {
    const passing = chunk.slice()
    lines.push(passing)
    passing.fill(0)
  }
  lines.end()
  return { seen, tooLong: lines.tooLong() }
}

it.effect.prop(
  "the lines are the same however the bytes come",
  [
    Schema.Array(Schema.Literals(["", "a", "é", "\n", "\n\n", "longer than the limit", "中文"])),
    Schema.Array(Schema.Literals([1, 2, 3, 7, 50]))
  ],
  ([parts, sizes]) =>
    Effect.sync(() => {
      const all = bytes(parts.join(""))
      const chunks: Array<Uint8Array> = []
      for (let at = 0, n = 0; at < all.length; n++) {
        const size = sizes.length === 0 ? 1 : sizes[n % sizes.length]!
        chunks.push(all.subarray(at, at + size))
        at += size
      }
      const lines = parts.join("").split("\n")
      const last = lines.length - 1
      const expected = lines.flatMap((line, index) =>
        line === "" || bytes(line).length > 12 ? [] : [[line, index < last] as const]
      )
      const result = read(12, chunks)
      assert.deepStrictEqual(result.seen, expected)
      assert.strictEqual(result.tooLong, lines.filter((line) => bytes(line).length > 12).length)
    })
)

it("a line of the limit's length is taken, and one byte more is left out", () => {
  assert.deepStrictEqual(read(4, [bytes("1234\n12345\n1")]), {
    seen: [
      ["1234", true],
      ["1", false]
    ],
    tooLong: 1
  })
  assert.deepStrictEqual(read(4, [bytes("12"), bytes("34"), bytes("5"), bytes("6\nab\n")]), {
    seen: [["ab", true]],
    tooLong: 1
  })
})
