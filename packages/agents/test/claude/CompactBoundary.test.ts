import { assert, describe, it } from "@effect/vitest"
import type { SessionMark } from "@souffleur/domain"
import { Effect, FileSystem, Path } from "effect"
import { markOf } from "../../src/kit/lines/FileIdentity.ts"
import { saidCompacted } from "../../src/kit/said/SaidCompaction.ts"
import { claudeSayings } from "../../src/claude/session/ClaudeSayings.ts"
import { claudeFolder, services } from "./support/ClaudeFolder.ts"

const line = (record: unknown) => `${JSON.stringify(record)}\n`
const boundary = line({
  parentUuid: null,
  type: "system",
  subtype: "compact_boundary",
  compactMetadata: { trigger: "manual" }
})
const said = line({ type: "user", message: { role: "user", content: "hello" } })
/** What a file had at its mark, and what was appended since. */
type Pair = readonly [before: string, after: string]
/** Bytes of one read of a file, as Effect's FileSystem makes them. */
const chunk = 64 * 1024
const utf8 = new TextEncoder()
const summary = line({ type: "user", isCompactSummary: true, message: { role: "user", content: "what was said" } })
const compactionSince = (mark: SessionMark) => saidCompacted(claudeSayings, mark)
const compactedSince = (mark: SessionMark) => Effect.map(compactionSince(mark), (how) => how !== "not yet")

describe("claude-code#compaction", () => {
  it.layer(services)((it) => {
    /** A session file that stood so at its mark, to which this was appended since. */
    const since = Effect.fnUntraced(function* (before: string, after: string | Uint8Array) {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* claudeFolder({ "s.jsonl": before })}/s.jsonl`
      const mark = yield* markOf({ path, sessionId: "s" })
      yield* fs.writeFile(path, typeof after === "string" ? utf8.encode(after) : after, { flag: "a" })
      return { fs, path, mark, compacted: yield* compactedSince(mark) }
    })
    const compacted = (before: string, after: string | Uint8Array) =>
      Effect.map(since(before, after), (all) => all.compacted)

    const long = `{"type":"user","x":"${"é".repeat(1 << 20)}"}\n`
    const bad = 'not json\n{"subtype":"compact_boundary"\n["compact_boundary"]\nnull\n"compact_boundary"\n\n'
    /** A line after which the boundary begins so many bytes before the border of a chunk. The reading begins a byte before the mark. */
    const filler = (shift: number) => line({ type: "user", filler: "x".repeat(chunk - 29 - shift) })

    it.effect("a boundary after the mark proves the compaction, wherever the mark was, and whatever is before it", () =>
      Effect.gen(function* () {
        for (const [before, after] of [
          ...["", said, boundary, said + said, `${said}\n`].flatMap((text): ReadonlyArray<Pair> => [
            [text, boundary],
            [text, said + boundary + said]
          ]),
          ...[said.slice(0, 20), `${said}${said.slice(0, 1)}`].map((text): Pair => [text, `rest\n${said}${boundary}`]),
          ...[0, 1, 2, 40, -2, -1, 0, 1].map((at, nth): Pair => [
            said,
            filler(nth < 4 ? at : boundary.length + at) + boundary
          ]),
          [said, long + boundary],
          [said + long.slice(0, 9), long.slice(9) + boundary],
          [said, bad + boundary]
        ] satisfies ReadonlyArray<Pair>)
          assert.isTrue(yield* compacted(before, after), JSON.stringify([before, after]).slice(0, 300))
        assert.isTrue(yield* compacted(said, Uint8Array.of(0xff, 0xfe, 0x22, 10, ...utf8.encode(boundary))))
      })
    )
    it.effect("a boundary before the mark proves nothing, nor does half a line, text about one, or another file", () =>
      Effect.gen(function* () {
        const content = [{ type: "text", text: '{"type":"system","subtype":"compact_boundary"}' }]
        for (const [before, after] of [
          [boundary, ""],
          [boundary, said],
          ...[1, 30, boundary.length - 2, boundary.length - 1].map((cut): Pair => [
            said + boundary.slice(0, cut),
            boundary.slice(cut)
          ]),
          ...[
            { type: "user", message: { content: boundary } },
            { type: "user", subtype: "compact_boundary", message: { content: "compact_boundary" } },
            { type: "system", subtype: "local_command", content: '"subtype":"compact_boundary"' },
            { type: "system", subtype: "microcompact_boundary", of: "compact_boundary" },
            { type: "assistant", message: { content } },
            { type: "user", nested: { type: "system", subtype: "compact_boundary" } }
          ].map((record): Pair => [said, line(record)]),
          [said, bad]
        ] satisfies ReadonlyArray<Pair>)
          assert.isFalse(yield* compacted(before, after), JSON.stringify([before, after]))
        for (const cut of [30, boundary.length - 1]) {
          const half = yield* since(said, boundary.slice(0, cut))
          assert.isFalse(half.compacted, String(cut))
          yield* half.fs.writeFileString(half.path, boundary.slice(cut), { flag: "a" })
          assert.isTrue(yield* compactedSince(half.mark), String(cut))
        }
        const { fs, mark, path } = yield* since(said + said + said + said, "")
        yield* fs.writeFileString(`${path}.new`, said + boundary)
        yield* fs.rename(`${path}.new`, path)
        assert.isFalse(yield* compactedSince(mark))
        yield* fs.truncate(path, 0)
        yield* fs.writeFileString(path, boundary, { flag: "a" })
        assert.isFalse(yield* compactedSince(mark))
        yield* fs.remove(path)
        assert.isFalse(yield* compactedSince(mark))
      })
    )

    it.effect("a compaction is whole once a summary of the agent follows its boundary, as a whole line", () =>
      Effect.gen(function* () {
        const how = (after: string) =>
          Effect.flatMap(since(`${boundary}${summary}`, after), ({ mark }) => compactionSince(mark))
        const quoted = line({ type: "user", message: { content: summary } })
        for (const [after, expected] of [
          ["", "not yet"],
          [summary, "not yet"],
          [boundary, "boundary"],
          [`${summary}${boundary}`, "boundary"],
          [`${boundary}${summary.slice(0, -1)}`, "boundary"],
          [`${boundary}${quoted}`, "boundary"],
          [`${boundary}${line({ type: "user", isCompactSummary: false })}`, "boundary"],
          [`${boundary}${summary}`, "summary"],
          [`${boundary}${said}${summary}${said}`, "summary"]
        ] as const)
          assert.strictEqual(yield* how(after), expected, after)
      })
    )
    it.effect("the boundary of Claude Code 2.1.329 is found from every line before it, and from none after", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const whole = yield* fs.readFileString(path.join(import.meta.dirname, "fixtures/session.jsonl"))
        const lines = whole.trimEnd().split("\n")
        const at = lines.findIndex((text) => text.includes('"subtype":"compact_boundary"'))
        assert.isAbove(at, 0)
        for (const from of [0, at - 1, at, at + 1, lines.length - 1]) {
          const before = lines.slice(0, from).map((text) => `${text}\n`)
          const after = lines.slice(from).map((text) => `${text}\n`)
          const { compacted, mark } = yield* since(before.join(""), after.join(""))
          assert.strictEqual(compacted, from <= at, String(from))
          assert.strictEqual(yield* compactionSince(mark), from <= at ? "summary" : "not yet", String(from))
        }
      })
    )
  })
})
