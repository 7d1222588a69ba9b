import { execFileSync } from "node:child_process"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Schema } from "effect"
import { characterStart, charactersIn } from "../src/export/Characters.ts"
import { reachCharacters } from "../src/export/CompactMarkers.ts"
import { type Estimate, estimate } from "../src/export/Estimate.ts"

const utf8 = new TextEncoder()
const bytesOf = (content: string | Uint8Array) => (typeof content === "string" ? utf8.encode(content) : content)
const characters = (text: string) => [...text].length
const tokens = (text: string) => Math.floor(characters(text) / 3)

const nonce = "0123456789abcdef0123456789abcdef"
const header = `<!-- souffleur-export v1 nonce=${nonce} -->\n# Conversation\n`
const marker = `<!-- compact_boundary nonce=${nonce} -->`
/** Enough characters that a difference of one shows in tokens. */
const tail = "abc".repeat(7)

/** Bytes that make and break UTF-8: every lead, every edge of the second byte, and plain text. */
const hostile = [
  0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xef, 0xf0,
  0xf1, 0xf3, 0xf4
]
const HostileBytes = Schema.Array(Schema.Literals([...hostile, 0xf5, 0xff, 0x0a, 0x3d]))

const decoded = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
/** An independent oracle: the iterator of a string goes by code points. */
const replaced = (bytes: Uint8Array) => characters(decoded(bytes))

/** The original estimator, by its description: every pattern over the whole text at once. */
const original = (bytes: Uint8Array) => {
  const text = decoded(bytes).replaceAll(/\r\n?/gu, "\n")
  const ends = [
    /compact_boundary/giu,
    /microcompact_boundary/giu,
    /(?:^|\n)\s*\/compact(?![\p{L}\p{N}_])/giu,
    /Compacted\s*\(/giu,
    /\[lethe summary\]/giu
  ].flatMap((pattern) => Array.from(text.matchAll(pattern), ({ 0: found, index }) => index + found.length))
  const before = text.slice(0, Math.max(0, ...ends))
  return {
    estimated_tokens: tokens(text.slice(before.length)),
    estimated_tokens_full: tokens(text),
    chars_scoped: characters(text) - characters(before),
    chars_full: characters(text),
    start_mode: ends.length > 0 ? "last_compact_marker" : "full_file",
    start_offset: characters(before),
    marker_found: ends.length > 0,
    marker_count: ends.length,
    warnings: []
  }
}

describe("behaviour#estimate", () => {
  plain.prop("characters are what a decoder with replacements gives", [HostileBytes], ([bytes]) => {
    assert.strictEqual(charactersIn(Uint8Array.from(bytes)), replaced(Uint8Array.from(bytes)))
  })

  plain("every pair, and every edge of three and four bytes, among text and at the end", () => {
    const check = (...bytes: ReadonlyArray<number>) => {
      for (const around of [[], [0x61], [0xe2, 0x82, 0xac]]) {
        const sequence = Uint8Array.from([...around, ...bytes, ...around])
        assert.strictEqual(
          charactersIn(sequence),
          replaced(sequence),
          Array.from(sequence, (byte) => byte.toString(16)).join(" ")
        )
      }
    }
    for (let first = 0; first < 256; first++) for (const second of hostile) check(first, second)
    for (const first of hostile)
      for (const second of hostile)
        for (const third of [0x41, 0x80, 0xbf, 0xc2, 0xe1]) check(first, second, third, 0x80)
  })

  plain("counts as Python's errors='replace' does", () => {
    // Recorded: len(bytes.fromhex(text).decode("utf-8", errors="replace")) on CPython 3.11.
    const recorded: ReadonlyArray<readonly [string, number]> = [
      ["61f0908062", 3],
      ["eda080", 3],
      ["f4908080", 4],
      ["c080", 2],
      ["e28228a1", 3],
      ["f09f98", 1],
      ["f09f9880", 1],
      ["efbbbf61", 2],
      ["80808080", 4],
      ["f0808080", 4],
      ["e0a0", 1],
      ["e08080", 3],
      ["f5808080", 4],
      ["c3", 1],
      ["e2e282ac", 2]
    ]
    for (const [hex, expected] of recorded)
      assert.strictEqual(charactersIn(Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16))), expected, hex)
  })

  plain.prop("a cut where a character starts changes no count", [HostileBytes, Schema.Int], ([list, seed]) => {
    const bytes = Uint8Array.from(list)
    if (bytes.length === 0) return
    const cut = characterStart(bytes, Math.abs(seed) % bytes.length)
    assert.strictEqual(charactersIn(bytes.subarray(0, cut)) + charactersIn(bytes.subarray(cut)), charactersIn(bytes))
  })

  plain("a character begins at its first byte, of up to four", () => {
    const text = utf8.encode("aé€😀")
    assert.deepStrictEqual(
      Array.from(text, (_, at) => characterStart(text, at)),
      [0, 1, 1, 3, 3, 3, 6, 6, 6, 6]
    )
  })

  layer(HostServices.layer)("estimate", (it) => {
    const estimated = Effect.fnUntraced(function* (content: string | Uint8Array, blockBytes?: number) {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      yield* fs.writeFile(path, bytesOf(content))
      return yield* estimate(path, blockBytes)
    })
    const scoped = Effect.fnUntraced(function* (content: string, expected: string, markers = 1) {
      const found = yield* estimated(content)
      assert.deepStrictEqual(
        found,
        {
          estimated_tokens: tokens(expected),
          estimated_tokens_full: tokens(content),
          chars_scoped: characters(expected),
          chars_full: characters(content),
          start_mode: "last_compact_marker",
          start_offset: characters(content) - characters(expected),
          marker_found: true,
          marker_count: markers,
          warnings: []
        },
        content
      )
    })
    const whole = Effect.fnUntraced(function* (content: string, markers: number, warnings: number) {
      const found = yield* estimated(content)
      assert.deepStrictEqual(
        { ...found, warnings: found.warnings.length },
        {
          estimated_tokens: tokens(content),
          estimated_tokens_full: tokens(content),
          chars_scoped: characters(content),
          chars_full: characters(content),
          start_mode: "full_file",
          start_offset: 0,
          marker_found: markers > 0,
          marker_count: markers,
          warnings
        },
        content
      )
    })

    it.effect("an empty file and two characters have no token", () =>
      Effect.gen(function* () {
        for (const text of ["", "ab", "abc", "é😀x", "\u{feff}ab"]) yield* whole(text, 0, 0)
      })
    )
    it.effect("the estimate counts code points, neither bytes nor UTF-16", () =>
      whole("é".repeat(1000) + "😀".repeat(500), 0, 0)
    )

    it.effect("each of the five markers counts, in any case, and the scope starts after the latest", () =>
      Effect.gen(function* () {
        const lines = [
          "system: compact_boundary",
          "x COMPACT_Boundary",
          "Compacted (",
          "Compacted(",
          "Compacted  \u{3000} (",
          "Compacted\n \n(",
          "was compacted (",
          "[lethe summary]",
          "[Lethe SUMMARY]",
          "[lethe \u{17f}ummary]",
          "/compact",
          "/COMPACT",
          " \t /compact",
          "\u{a0}\u{3000}\u{2003}\u{85}/compact"
        ]
        for (const line of lines) {
          yield* scoped(`before\n${line} ${tail}`, ` ${tail}`)
          yield* scoped(`${line}\n${tail}`, `\n${tail}`)
          yield* scoped(`compact_boundary\n${line}${"\n"}`, "\n", 2)
          yield* scoped(`${line}\n compact_boundary ${tail}`, ` ${tail}`, 2)
        }
      })
    )

    it.effect("a text that only resembles a marker does not count", () =>
      Effect.gen(function* () {
        const lines = [
          "compact boundary",
          "Compacted",
          "Compacted \n x (",
          "[lethe  summary]",
          "lethe summary",
          "see /compact",
          "/compacted",
          "/compacté"
        ]
        for (const line of [...lines, "/compact_", "./compact", "/ compact", "compact", "C..p.c [le"])
          yield* whole(`before\n${line}\n${tail}`, 0, 0)
      })
    )
    const Text = Schema.Literals([
      "compact_boundary",
      "COMPACT_Boundary",
      "microcompact_boundary",
      "MicroCompact_boundary",
      "/compact",
      "\n/Compact",
      "\r \u{3000}/COMPACT",
      `\n${" ".repeat(300)}/compact`,
      "compacted",
      "Compacted(",
      `Compacted${" \n".repeat(700)}`,
      "(",
      "[lethe summary]",
      "[Lethe \u{17f}UMMARY]",
      "\r",
      "\n",
      "\r\n",
      " ",
      "_",
      "word ".repeat(90),
      "é😀€",
      "\u{feff}x"
    ])
    it.effect.prop(
      "every number is the original's, with any line endings and invalid bytes, wherever a block ends",
      [
        Schema.Array(Schema.Union([Text, Schema.Literals([0x80, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xed, 0xff])])),
        Schema.Literals([65_536, 1024, 1031])
      ],
      ([pieces, blockBytes]) =>
        Effect.gen(function* () {
          const content = Buffer.concat(
            pieces.map((piece) => (typeof piece === "number" ? Buffer.from([piece]) : Buffer.from(piece)))
          )
          assert.deepStrictEqual(yield* estimated(content, blockBytes), original(content) as Estimate)
        }),
      { arbitrary: { runs: 300 } }
    )

    it.effect("markers in a code fence or a quoted line alone are ambiguous: the whole file, with a warning", () =>
      Effect.gen(function* () {
        yield* whole(`a\n\`\`\`\ncompact_boundary\n\`\`\`\n${tail}`, 1, 1)
        yield* whole(`a\n~~~~ts\ncompact_boundary\n~~~\n\`\`\`\n/compact\n~~~~\n> [lethe summary]\n${tail}`, 3, 1)
        yield* whole(`   > Compacted (\n${tail}`, 1, 1)
        yield* whole(`\`\`\`\nnever closed\ncompact_boundary\n${tail}`, 1, 1)
        yield* whole(`\`\`\`\n\`\`\` not closed by this\ncompact_boundary\n${tail}`, 1, 1)
      })
    )

    it.effect("a marker counts beside text that only resembles a fence or a quote", () =>
      Effect.gen(function* () {
        yield* scoped(`\`\`\`\ncode\n\`\`\`\ncompact_boundary${tail}`, tail)
        yield* scoped(`    \`\`\`\ncompact_boundary${tail}`, tail)
        yield* scoped(`\`\`\`inline\`\`\`\ncompact_boundary${tail}`, tail)
        yield* scoped(`text \`\`\`\ncompact_boundary${tail}`, tail)
        yield* scoped(`a > b\n    > compact_boundary${tail}`, tail)
        yield* scoped(`> quoted\ncompact_boundary${tail}`, tail)
      })
    )

    it.effect("the scope never starts at a quoted marker, even beside a plain one", () =>
      scoped(`compact_boundary${tail}\n> compact_boundary\n${tail}`, `${tail}\n> compact_boundary\n${tail}`, 2)
    )
    it.effect("markers of souffleur's own exports count only as whole lines with the nonce", () =>
      Effect.gen(function* () {
        yield* scoped(`${header}${tail}\n${marker}\n${tail}`, `\n${tail}`)
        yield* scoped(`${header}\`\`\`\n${marker}\n${tail}`, `\n${tail}`)
        yield* scoped(`${header}${marker}\n${marker}`, "", 2)
        const other = marker.replace("0123", "1123")
        for (const line of [
          "compact_boundary",
          "/compact",
          "[lethe summary]",
          other,
          ` ${marker}`,
          `${marker} `,
          marker.toUpperCase()
        ]) {
          yield* whole(`${header}${line}\n${tail}`, 0, 0)
        }
      })
    )

    it.effect("a damaged header, or a marker without a header, counts the whole file, with a warning", () =>
      Effect.gen(function* () {
        const damaged = ["v2 nonce", "v1 nonse", "V1 nonce"].map((text) => header.replace("v1 nonce", text))
        for (const first of [
          ...damaged,
          header.replace("01", "0"),
          header.replace("ab", "AB"),
          ` ${header}`,
          header.slice(10),
          header.replace("\n", " \n")
        ]) {
          yield* whole(`${first}${marker}\n${tail}`, 1, 1)
          yield* whole(`${first}compact_boundary\n${tail}`, 1, 1)
        }
        yield* whole(`# Something\ncompact_boundary\n${marker}\n${tail}`, 2, 1)
      })
    )

    it.effect("a conversation about souffleur is not a damaged export", () =>
      scoped(`# souffleur\ncompact_boundary${tail}`, tail)
    )

    it.effect("invalid bytes count as replacements before and after the marker", () =>
      Effect.gen(function* () {
        const content = Uint8Array.from([
          ...utf8.encode("é"),
          0xf0,
          0x90,
          0xff,
          ...utf8.encode("\ncompact_boundary"),
          0x80,
          0xe2,
          0x82,
          ...utf8.encode("xyz€")
        ])
        const found = yield* estimated(content)
        assert.strictEqual(found.estimated_tokens, Math.floor(6 / 3))
        assert.strictEqual(found.estimated_tokens_full, Math.floor(replaced(content) / 3))
      })
    )

    const Piece = Schema.Literals([
      "compact_boundary",
      "\n/compact\n",
      "\n" + " ".repeat(300) + "/compact",
      "\n\u{3000}\u{3000}/compact!",
      "Compacted (",
      "[lethe summary]",
      "\n```\n",
      "\n~~~~\n",
      "\n> quoted ",
      `\n> ${"quoted ".repeat(100)}`,
      "\n",
      "long ".repeat(250),
      "é😀€",
      "x",
      marker
    ])
    it.effect.prop(
      "the block size changes nothing, with a whole, a damaged or no header",
      [Schema.Array(Piece), Schema.Literals(["", header, header.slice(5)]), Schema.Literals([1024, 1031, 1500])],
      ([pieces, first, blockBytes]) =>
        Effect.gen(function* () {
          const content = first + pieces.join("").repeat(3)
          assert.deepStrictEqual(yield* estimated(content, blockBytes), yield* estimated(content))
        }),
      { arbitrary: { runs: 150 } }
    )

    it.effect("the border of two blocks changes nothing, wherever it falls", () =>
      Effect.gen(function* () {
        const blockBytes = 1024
        // The first window ends here: a decision before it may read the rest of the block.
        const border = blockBytes - reachCharacters
        for (const found of [
          "microcompact_boundary",
          "[lethe summary]",
          `\n${" ".repeat(400)}/compact`,
          "é Compacted (",
          `Compacted${" ".repeat(400)}(`,
          `Compacted${"\r\n".repeat(200)}(`,
          "😀/compact",
          "\r\n \r\n",
          `\n${marker}\n`,
          `\n> x\n  compact_boundary`
        ]) {
          const first = found.includes(nonce) ? header : ""
          const length = bytesOf(found).length
          for (
            let at = border - length - 4;
            at < border + 4;
            at += length > 100 && at === border - length + 12 ? length - 30 : 1
          ) {
            const content = bytesOf(`${first}${"x".repeat(at - first.length)}${found} ${tail.repeat(50)}`)
            assert.deepStrictEqual(
              yield* estimated(content, blockBytes),
              first === "" ? (original(content) as Estimate) : yield* estimated(content),
              `${found} at ${at}`
            )
          }
        }
      })
    )

    it.effect.prop(
      "text after the last marker only adds",
      [Schema.String, Schema.String],
      ([some, more]) =>
        Effect.gen(function* () {
          const start = `${header}${marker}\n${some}`
          assert.isAtLeast(
            (yield* estimated(start + more)).estimated_tokens,
            (yield* estimated(start)).estimated_tokens
          )
        }),
      { arbitrary: { runs: 50 } }
    )
    it.effect("a missing file, a folder and a pipe fail, and the error says why", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const missing = yield* Effect.flip(estimate(`${folder}/none.md`))
        assert.deepInclude(missing, { _tag: "EstimateFailed", missing: true })
        assert.match(missing.message, /none\.md cannot be read: it is not there/)
        execFileSync("mkfifo", [`${folder}/pipe.md`])
        for (const path of [folder, `${folder}/pipe.md`])
          assert.match((yield* Effect.flip(estimate(path))).message, /regular/, path)
      })
    )

    it.effect("a file that grows while it is read is a failure", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* fs.makeTempFileScoped()
        yield* fs.writeFileString(path, "x".repeat(5000))
        let reads = 0
        const growing = FileSystem.FileSystem.of({
          ...fs,
          open: (name, options) =>
            Effect.map(fs.open(name, options), (file) =>
              Object.assign(Object.create(file) as FileSystem.File, {
                read: (buffer: Uint8Array) =>
                  Effect.flatMap(reads++ === 1 ? fs.writeFileString(path, "more", { flag: "a" }) : Effect.void, () =>
                    file.read(buffer)
                  )
              })
            )
        })
        const failed = yield* Effect.flip(
          estimate(path, 1024).pipe(Effect.provideService(FileSystem.FileSystem, growing))
        )
        assert.match(failed.message, /changed/)
      })
    )
  })
})
