import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { fromTheEnd } from "../src/lines/Tail.ts"

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
  })
})
