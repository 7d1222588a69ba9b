import { assert, describe, it } from "@effect/vitest"
import type { SaidPart, SaidPlace } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import { makeSaidPart } from "../../src/kit/said/SaidPart.ts"
import { makeSaidConversation } from "../../src/kit/said/SaidExport.ts"

const part = makeSaidPart({
  conversation: makeSaidConversation({
    sayings: ({ said }) => (typeof said === "string" ? [{ _tag: "Answer", text: said }] : [])
  }),
  isOther: () => false
})

const read = (path: string, place?: SaidPlace) => Effect.map(part(path, place), Option.getOrThrow)

const textsIn = ({ records }: SaidPart) =>
  records.flatMap(({ said }) => said.map((one) => (one._tag === "Words" ? one.text.slice(0, 9) : one._tag)))

const session = Effect.fnUntraced(function* (text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-said-" })}/session.jsonl`
  yield* fs.writeFileString(path, text, { mode: 0o600 })
  return path
})

const line = (said: string) => `${JSON.stringify({ said })}\n`
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(`word ${n}`)).join("")

describe("command-line#page", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a conversation opens from its end, and its earlier parts fit without a gap", () =>
      Effect.gen(function* () {
        const path = yield* session(lines(250))
        const last = yield* read(path)
        assert.deepStrictEqual([last.records.length, textsIn(last).at(-1)], [100, "word 249"])
        const middle = yield* read(path, { before: last.from })
        const first = yield* read(path, { before: middle.from })
        assert.strictEqual(first.from, 0)
        assert.deepStrictEqual(
          [first, middle, last].flatMap(textsIn),
          Array.from({ length: 250 }, (_, n) => `word ${n}`)
        )
      })
    )
    it.effect("a line that the agent is writing comes once it is whole", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* session(`${lines(1)}{"said":"to`)
        const { to, ...first } = yield* read(path)
        assert.deepStrictEqual([textsIn({ to, ...first }), to], [["word 0"], lines(1).length])
        assert.deepStrictEqual((yield* read(path, { after: to })).to, to)
        yield* fs.writeFileString(path, 'rn"}\n', { flag: "a" })
        const next = yield* read(path, { after: to })
        assert.deepStrictEqual([textsIn(next), next.to], [["torn"], Number((yield* fs.stat(path)).size)])
      })
    )
    it.effect("a long record is cut and says so, and one that is longer still is left out", () =>
      Effect.gen(function* () {
        const path = yield* session(
          `${line("first")}${line("l".repeat(3_000_000))}${line("second")}${line("m".repeat(17 << 20))}${line("third")}`
        )
        const last = yield* read(path)
        assert.deepStrictEqual(textsIn(last), ["LeftOut", "third"])
        let [from, earlier]: [number, ReadonlyArray<string>] = [last.from, []]
        for (let more = 0; from > 0 && more < 4; more++) {
          const one = yield* read(path, { before: from })
          ;[from, earlier] = [one.from, [...textsIn(one), ...earlier]]
        }
        assert.deepStrictEqual([from, earlier], [0, ["first", "lllllllll", "second"]])
        const [, long] = (yield* read(path, { before: line("first").length + line("l".repeat(3_000_000)).length }))
          .records
        assert.deepStrictEqual([long?.cut, textsIn({ from: 0, to: 0, records: [long!] })[0]!.length], [true, 9])
        let [to, followed]: [number, ReadonlyArray<string>] = [0, []]
        for (let more = 0; more < 9; more++) {
          const one = yield* read(path, { after: to })
          ;[to, followed] = [one.to, [...followed, ...textsIn(one)]]
        }
        // It is left out in two pieces.
        assert.deepStrictEqual([...new Set(followed)], ["first", "lllllllll", "second", "LeftOut", "third"])
      })
    )
    it.effect("a reader who is far behind gets the end, and sees that by where it begins", () =>
      Effect.gen(function* () {
        const path = yield* session(`${line("m".repeat(33 << 20))}${lines(2)}`)
        const found = yield* read(path, { after: 0 })
        assert.deepStrictEqual(textsIn(found), ["LeftOut", "word 0", "word 1"])
        assert.isAbove(found.from, 0)
      })
    )
    it.effect("a file that became shorter is read from its end again", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(textsIn(yield* read(yield* session(lines(2)), { after: 1000 })), ["word 0", "word 1"])
        assert.isTrue(Option.isNone(yield* part("/nothing/here.jsonl")))
      })
    )
  })
})
