import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { fromTheEnd } from "../../src/kit/lines/Tail.ts"

describe("behaviour#signs", () => {
  it.layer(HostServices.layer)((it) => {
    const linesOf = Effect.fnUntraced(function* (
      text: string,
      limits: { readonly bytes: number; readonly line: number },
      enough = Infinity
    ) {
      const seen: Array<string> = []
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-session-" })}/s.jsonl`
      yield* fs.writeFileString(file, text)
      yield* fromTheEnd(file, limits, (line) => {
        seen.push(line)
        return seen.length < enough ? "more" : "enough"
      })
      return seen
    })
    const all = { bytes: 1 << 24, line: 1 << 22 }
    /** Of every length around the blocks that are read, with characters of several bytes. */
    const lines = [1, 9, 262_143, 262_144, 262_145, 3, 600_001, 17, 262_142, 2].map(
      (length, n) => `${n}${"é中a".repeat(length / 3)}`
    )

    it.effect("lines come from the last to the first, wherever the blocks are cut", () =>
      Effect.gen(function* () {
        for (const text of [lines.join("\n"), `${lines.join("\n")}\n`, `\n\n${lines.join("\n\n")}\n\n`]) {
          assert.deepStrictEqual(yield* linesOf(text, all), lines.toReversed())
        }
        assert.deepStrictEqual(yield* linesOf("", all), [])
      })
    )
    it.effect("lines too long or too far from the end are left out, and reading stops when asked", () =>
      Effect.gen(function* () {
        const text = `${lines.join("\n")}\n`
        const short = lines.filter((line) => new TextEncoder().encode(line).length <= 100_000)
        assert.deepStrictEqual(yield* linesOf(text, { ...all, line: 100_000 }), short.toReversed())
        assert.deepStrictEqual(yield* linesOf("first\nsecond\nthird\n", { ...all, bytes: 9 }), ["third"])
        assert.deepStrictEqual(yield* linesOf(text, all, 2), lines.toReversed().slice(0, 2))
      })
    )
    it.effect("a record that is longer than a line may be comes with its long strings cut, wherever it is", () =>
      Effect.gen(function* () {
        const limits = { bytes: 300_000, line: 100_000 }
        const record = (text: string) => ({ type: "user", parts: [{ id: 'a "quoted" \\ id', text }], at: "é" })
        for (const unit of ["A", "é", "\\", '"', "\u0007", "😀"]) {
          const long = JSON.stringify(record(unit.repeat(400_000)))
          for (const text of [`first\n${long}\nlast\n`, `first\n${long}\n${long}`, long]) {
            const seen = yield* linesOf(text, limits)
            const parsed = seen.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
            const [cut] = parsed
            assert.deepStrictEqual(cut, record(cut.parts[0].text))
            assert.strictEqual(cut.parts[0].text, unit.repeat(400_000).slice(0, cut.parts[0].text.length))
            assert.isAbove(cut.parts[0].text.length, 500)
            assert.strictEqual(seen.length, text.split("\n").filter((line) => line !== "").length)
          }
        }
        // Many strings are no less for being cut, and a line that is torn stays so.
        assert.deepStrictEqual(
          yield* linesOf(`first\n${JSON.stringify(Array.from({ length: 20_000 }, () => "number"))}`, limits),
          ["first"]
        )
        const [torn = ""] = yield* linesOf(`{"type":"user","text":"${"A".repeat(400_000)}`, limits)
        assert.isFalse(torn.endsWith("}"))
      })
    )
  })
})
