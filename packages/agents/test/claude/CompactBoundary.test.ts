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

    describe("a boundary after the mark", () => {
      it.effect("proves the compaction, wherever the mark was: at 0, at a newline, in a torn line", () =>
        Effect.gen(function* () {
          for (const before of [
            "",
            said,
            boundary,
            said + said,
            said.slice(0, 20),
            `${said}${said.slice(0, 1)}`,
            `${said}\n`
          ]) {
            const torn = before !== "" && !before.endsWith("\n")
            assert.isTrue(yield* compacted(before, `${torn ? "\n" : ""}${boundary}`), JSON.stringify(before))
            assert.isTrue(
              yield* compacted(before, `${torn ? "rest\n" : ""}${said}${boundary}${said}`),
              JSON.stringify(before)
            )
          }
        })
      )
      it.effect("can be anywhere at the border of a chunk", () =>
        Effect.gen(function* () {
          // The reading begins a byte before the mark; so many bytes of the boundary's line stand before the border.
          for (const shift of [
            0,
            1,
            2,
            40,
            boundary.length - 2,
            boundary.length - 1,
            boundary.length,
            boundary.length + 1
          ]) {
            const filler = line({
              type: "user",
              filler: "x".repeat(chunk - 1 - shift - line({ type: "user", filler: "" }).length)
            })
            assert.isTrue(yield* compacted(said, `${filler}${boundary}`), String(shift))
          }
        })
      )
      it.effect("may follow a line that is too long to read, even if the mark was in that line", () =>
        Effect.gen(function* () {
          const long = `{"type":"user","x":"${"é".repeat(1 << 20)}"}\n`
          assert.isTrue(yield* compacted(said, `${long}${boundary}`))
          assert.isTrue(yield* compacted(`${said}${long.slice(0, 9)}`, `${long.slice(9)}${boundary}`))
        })
      )
      it.effect("may be between malformed lines", () =>
        Effect.gen(function* () {
          const bad = [
            "not json",
            '{"subtype":"compact_boundary"',
            '["compact_boundary"]',
            "null",
            '"compact_boundary"',
            ""
          ].join("\n")
          assert.isFalse(yield* compacted(said, `${bad}\n`))
          const invalid = Uint8Array.of(0xff, 0xfe, 0x22, 10, ...utf8.encode(boundary))
          assert.isTrue(yield* compacted(said, `${bad}\n${boundary}`))
          assert.isTrue(yield* compacted(said, invalid))
        })
      )
    })

    describe("a compaction is not proved by", () => {
      it.effect("a boundary that began before the mark, whole or torn by it", () =>
        Effect.gen(function* () {
          assert.isFalse(yield* compacted(boundary, ""))
          assert.isFalse(yield* compacted(boundary, said))
          for (const cut of [1, 30, boundary.length - 2, boundary.length - 1]) {
            assert.isFalse(yield* compacted(`${said}${boundary.slice(0, cut)}`, boundary.slice(cut)), String(cut))
          }
        })
      )
      it.effect("half a line, until it is whole", () =>
        Effect.gen(function* () {
          for (const cut of [30, boundary.length - 1]) {
            const { compacted, fs, mark, path } = yield* since(said, boundary.slice(0, cut))
            assert.isFalse(compacted, String(cut))
            yield* fs.writeFileString(path, boundary.slice(cut), { flag: "a" })
            assert.isTrue(yield* compactedSince(mark), String(cut))
          }
        })
      )
      it.effect("text about a compaction, of a person or a tool", () =>
        Effect.gen(function* () {
          for (const record of [
            { type: "user", message: { content: boundary } },
            { type: "user", subtype: "compact_boundary", message: { content: "compact_boundary" } },
            { type: "system", subtype: "local_command", content: '"subtype":"compact_boundary"' },
            { type: "system", subtype: "microcompact_boundary", of: "compact_boundary" },
            {
              type: "assistant",
              message: { content: [{ type: "text", text: '{"type":"system","subtype":"compact_boundary"}' }] }
            },
            { type: "user", nested: { type: "system", subtype: "compact_boundary" } }
          ]) {
            assert.isFalse(yield* compacted(said, line(record)), JSON.stringify(record))
          }
        })
      )
      it.effect("another file under the same name, however it came there", () =>
        Effect.gen(function* () {
          const { fs, mark, path } = yield* since(said, "")
          yield* fs.writeFileString(`${path}.new`, `${said}${boundary}`)
          yield* fs.rename(`${path}.new`, path)
          assert.isFalse(yield* compactedSince(mark))
        })
      )
      it.effect("a file that became shorter, or is gone", () =>
        Effect.gen(function* () {
          const { fs, mark, path } = yield* since(`${said}${said}${said}${said}`, "")
          yield* fs.truncate(path, 0)
          yield* fs.writeFileString(path, boundary, { flag: "a" })
          assert.isFalse(yield* compactedSince(mark))
          yield* fs.remove(path)
          assert.isFalse(yield* compactedSince(mark))
        })
      )
    })

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
