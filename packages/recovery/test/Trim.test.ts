import { assert, describe, layer } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path, Schema } from "effect"
import { estimate } from "../src/export/Estimate.ts"
import { trim } from "../src/export/Trim.ts"

const nonce = "0123456789abcdef0123456789abcdef"
const header = `<!-- souffleur-export v1 nonce=${nonce} -->\n# Conversation\n\n## Files Modified\n- a.ts\n- é.ts\n`
const conversation = `<!-- souffleur-conversation nonce=${nonce} -->\n`
const marker = `<!-- compact_boundary nonce=${nonce} -->\n`
const characters = (text: string) => [...text].length

describe("behaviour#trim", () => {
  layer(HostServices.layer)("trim", (it) => {
    const trimmed = Effect.fnUntraced(function* (content: string | Uint8Array, limit: number) {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const folder = yield* fs.makeTempDirectoryScoped()
      const file = path.join(folder, "export.md")
      yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
      const result = yield* trim(file, limit)
      assert.deepStrictEqual(yield* fs.readDirectory(folder), ["export.md"])
      const bytes = yield* fs.readFile(file)
      assert.strictEqual(result.bytesAfter, bytes.length)
      return { file, result, bytes, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) }
    })
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} é😀\n`).join("")

    it.effect("a file of exactly the limit is not touched; one character less, and it is trimmed", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const content = header + conversation + lines(200)
        const kept = yield* trimmed(content, characters(content))
        assert.deepStrictEqual(kept.result, {
          trimmed: false,
          characters: characters(content),
          bytesBefore: kept.bytes.length,
          bytesAfter: kept.bytes.length,
          leftOutBytes: 0
        })
        assert.strictEqual(kept.text, content)
        const cut = yield* trimmed(content, characters(content) - 1)
        assert.isTrue(cut.result.trimmed)
        assert.isBelow(cut.result.bytesAfter, kept.bytes.length)
        assert.strictEqual((yield* fs.stat(cut.file)).mode & 0o777, 0o600)
      })
    )

    it.effect("trim keeps header, summary and the newest lines, and says how much is left out", () =>
      Effect.gen(function* () {
        const content = header + conversation + lines(5000)
        const { text, result } = yield* trimmed(content, 10_000)
        assert.isTrue(text.startsWith(header + conversation))
        const [, , notice, blank, ...rest] = text.slice(header.length).split("\n")
        assert.strictEqual(
          notice,
          `[older conversation is left out here, ${result.leftOutBytes} bytes of this export, to keep within 10000 characters]`
        )
        assert.strictEqual(blank, "")
        const tail = rest.join("\n")
        assert.isTrue(content.endsWith(`\n${tail}`))
        assert.strictEqual(result.characters, characters(text))
        // Another line would not have fitted.
        assert.isAtMost(result.characters, 10_000)
        assert.isAtLeast(result.characters, 10_000 - 30)
        const bytes = (part: string) => new TextEncoder().encode(part).length
        assert.strictEqual(result.bytesBefore, bytes(header + conversation) + result.leftOutBytes + bytes(tail))
      })
    )

    it.effect("markers in the tail still count, and those left out no longer", () =>
      Effect.gen(function* () {
        const content = header + conversation + marker + lines(5000) + marker + lines(10)
        const { file } = yield* trimmed(content, 10_000)
        const found = yield* estimate(file)
        assert.strictEqual(found.start_mode, "last_compact_marker")
        assert.strictEqual(found.marker_count, 1)
        assert.strictEqual(found.estimated_tokens, Math.floor(characters(`\n${lines(10)}`) / 3))
      })
    )

    it.effect("a summary over a tenth of the limit is cut at a line, and header and nonce stay", () =>
      Effect.gen(function* () {
        const summary = Array.from({ length: 5000 }, (_, index) => `- file ${index}.ts\n`).join("")
        const { text } = yield* trimmed(header + summary + conversation + marker + lines(5000), 10_000)
        const top = text.slice(0, text.indexOf(conversation))
        assert.isAtMost(characters(top), 1000)
        assert.isAtLeast(characters(top), 980)
        assert.isTrue((header + summary).startsWith(top) && top.endsWith("\n"))
      })
    )

    it.effect("a trimmed export can be trimmed again", () =>
      Effect.gen(function* () {
        const first = yield* trimmed(header + conversation + lines(5000), 10_000)
        const second = yield* trimmed(first.text, 5000)
        assert.isTrue(second.text.startsWith(header + conversation))
        assert.isTrue(first.text.endsWith(second.text.split("]\n\n")[1]!))
        assert.isAtMost(characters(second.text), 5000)
      })
    )

    it.effect("a single line that takes the whole tail is cut inside, between two characters", () =>
      Effect.gen(function* () {
        const { text, result } = yield* trimmed(`${header}${conversation}${"😀".repeat(5000)}\nend\n`, 3000)
        assert.isTrue(text.endsWith("😀\nend\n"))
        assert.notInclude(text, "\u{fffd}")
        assert.strictEqual(result.characters, characters(text))
        assert.isAtLeast(result.characters, 2990)
      })
    )

    it.effect("a limit too small for the frame leaves the tail alone", () =>
      Effect.gen(function* () {
        const { text } = yield* trimmed(header + conversation + lines(100), 60)
        assert.isAtMost(characters(text), 60)
        assert.isTrue(lines(100).endsWith(text) && text.startsWith("line "))
      })
    )

    const Piece = Schema.Literals(["a", "é", "€", "😀", "\n", "line of text\n", "\u{feff}"])
    it.effect.prop(
      "a trimmed export is never over the limit, has the newest part, and splits no character",
      [
        Schema.Array(Piece),
        Schema.Literals([7, 50, 300, 1000, 2500]),
        Schema.Literals(["", header + conversation]),
        Schema.Literals([1, 40, 400])
      ],
      ([pieces, limit, first, times]) =>
        Effect.gen(function* () {
          const content = first + pieces.join("").repeat(times)
          const { text, result } = yield* trimmed(content, limit)
          assert.isAtMost(characters(text), limit)
          assert.strictEqual(result.characters, characters(text))
          assert.strictEqual(result.trimmed, characters(content) > limit)
          assert.isTrue(
            content.endsWith(text.slice(text.indexOf("characters]\n\n") < 0 ? 0 : text.indexOf("]\n\n") + 3))
          )
        }),
      { arbitrary: { runs: 100 } }
    )

    const Broken = Schema.Array(Schema.Literals([0x41, 0x0a, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xff]))
    it.effect.prop(
      "invalid bytes count as replacements, and the tail is the file's bytes",
      [Broken, Schema.Literals([5, 30, 400])],
      ([list, limit]) =>
        Effect.gen(function* () {
          const content = Uint8Array.from(Array.from({ length: 50 }, () => list).flat())
          const { text, bytes, result } = yield* trimmed(content, limit)
          assert.strictEqual(result.characters, characters(text))
          assert.isAtMost(result.characters, limit)
          if (!result.trimmed) assert.deepStrictEqual(bytes, content)
        }),
      { arbitrary: { runs: 60 } }
    )

    it.effect("trim reads only the two ends of a large file", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* fs.makeTempFileScoped()
        yield* fs.writeFileString(path, header + conversation)
        yield* fs.truncate(path, 300_000_000)
        yield* fs.writeFileString(path, `\n${lines(5000)}`, { flag: "a" })
        let read = 0
        const counting = FileSystem.FileSystem.of({
          ...fs,
          open: (name, options) =>
            Effect.map(fs.open(name, options), (file) =>
              Object.assign(Object.create(file) as FileSystem.File, {
                read: (buffer: Uint8Array, options?: FileSystem.File.ReadOptions) =>
                  Effect.tap(file.read(buffer, options), (bytes) => Effect.sync(() => (read += bytes)))
              })
            )
        })
        const result = yield* trim(path, 10_000).pipe(Effect.provideService(FileSystem.FileSystem, counting))
        assert.isTrue(result.trimmed)
        assert.isBelow(read, 2_000_000)
        const text = yield* fs.readFileString(path)
        assert.isTrue(text.startsWith(header + conversation) && lines(5000).endsWith(text.split("]\n\n")[1]!))
      })
    )

    it.effect("trim fails and leaves the export as it was when it cannot be read or written", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        assert.match((yield* Effect.flip(trim(`${folder}/none.md`, 10))).message, /NotFound/)
        assert.match((yield* Effect.flip(trim(folder, 10))).message, /regular/)
        yield* fs.writeFileString(`${folder}/export.md`, lines(100))
        for (const limit of [0, -1, 1.5, NaN, Infinity])
          assert.match((yield* Effect.flip(trim(`${folder}/export.md`, limit))).message, /limit/)
        const full = FileSystem.FileSystem.of({ ...fs, rename: (from) => fs.rename(`${from}-gone`, from) })
        yield* Effect.flip(trim(`${folder}/export.md`, 100).pipe(Effect.provideService(FileSystem.FileSystem, full)))
        assert.deepStrictEqual(yield* fs.readDirectory(folder), ["export.md"])
        assert.strictEqual(yield* fs.readFileString(`${folder}/export.md`), lines(100))
      })
    )

    it.effect("a file with the name of a draft is no obstacle, and is left as it is", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${folder}/export.md`, lines(100))
        yield* fs.writeFileString(`${folder}/export.md.trimming`, "torn")
        assert.isTrue((yield* trim(`${folder}/export.md`, 100)).trimmed)
        assert.deepStrictEqual((yield* fs.readDirectory(folder)).toSorted(), ["export.md", "export.md.trimming"])
        assert.strictEqual(yield* fs.readFileString(`${folder}/export.md.trimming`), "torn")
      })
    )
  })
})
