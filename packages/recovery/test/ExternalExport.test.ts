import { Agent } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { layerPartialAgent } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { ExternalExport } from "../src/index.ts"

/** Node, and a script that is one argument; the session id is the next. */
const script = (text: string) => JSON.stringify([process.execPath, "-e", text])
const inner = layerPartialAgent({})

describe("settings#export-command", () => {
  it.layer(HostServices.layer, { excludeTestServices: true })((it) => {
    /** A folder with a conversation as Markdown in it, and an export into another by that command. */
    const setting = Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const made = `${folder}/conversation.md`
      yield* fs.writeFileString(made, "# Hello\n", { mode: 0o644 })
      const out = `${folder}/exports/e.md`
      const exporting = (command: string, within?: "1 second") =>
        Effect.flatMap(Agent, (agent) => agent.exportSession("s1", out)).pipe(
          Effect.provide(ExternalExport.layer(command, folder, within).pipe(Layer.provide(inner)))
        )
      const why = (command: string, within?: "1 second") =>
        Effect.map(Effect.flip(exporting(command, within)), (error) =>
          error._tag === "ExportFailed" ? error.message : error._tag
        )
      return { fs, folder, made, out, exporting, why }
    })
    const saying = (text: string) => script(`process.stdout.write(${JSON.stringify(text)})`)

    it.effect("the program's file is copied, private to its user, and the original is never trimmed", () =>
      Effect.gen(function* () {
        const { exporting, folder, fs, made, out } = yield* setting
        const found = yield* exporting(
          script(
            `require("node:fs").appendFileSync(${JSON.stringify(made)}, process.argv[1]); console.log(${JSON.stringify(made)})`
          )
        )
        assert.deepStrictEqual(found, { path: out, bytes: 10, records: 0, warnings: [] })
        assert.strictEqual(yield* fs.readFileString(out), "# Hello\ns1")
        assert.deepStrictEqual(
          [(yield* fs.stat(out)).mode & 0o777, (yield* fs.stat(`${folder}/exports`)).mode & 0o777],
          [0o600, 0o700]
        )
        yield* fs.truncate(out, 0)
        assert.strictEqual(yield* fs.readFileString(made), "# Hello\ns1")
      })
    )
    it.effect("a program that prints nothing writes to a path that is known by the session", () =>
      Effect.gen(function* () {
        const { exporting, folder, fs, out, why } = yield* setting
        const writes = (text: string, argument = "{session}") => [
          process.execPath,
          "-e",
          `if (${JSON.stringify(text)} !== "") require("node:fs").writeFileSync("${folder}/" + process.argv[1] + "_clean.md", ${JSON.stringify(text)}); console.log("noise")`,
          argument
        ]
        const into = (command: unknown, path = "~/{session}_clean.md") => JSON.stringify({ command, path })
        assert.deepInclude(yield* exporting(into(writes("# One\n"))), { path: out, bytes: 6 })
        assert.strictEqual(yield* fs.readFileString(out), "# One\n")
        // The id comes last where no word asks for it.
        yield* exporting(into(writes("# Two\n").slice(0, 3), `${folder}/{session}_clean.md`))
        assert.strictEqual(yield* fs.readFileString(out), "# Two\n")
        // The same words again are another writing.
        yield* exporting(into(writes("# Two\n")))
        assert.include(yield* why(into(writes(""))), `did not write ${folder}/s1_clean.md`)
        assert.include(yield* why(into("true", "~/{session}/none.md")), "it is not there")
        assert.include(yield* why(into("true", "{session}.md")), "its path is not absolute")
        for (const other of ["{", "{}", into("true", ""), into([]), `${into("true")}x`])
          assert.include(yield* why(other), 'it is no JSON object with "command" and "path"', other)
      })
    )
    it.effect("a session that is no id is not put into a path", () =>
      Effect.gen(function* () {
        const { folder, out } = yield* setting
        const command = JSON.stringify({ command: "true", path: "~/{session}" })
        const exporting = Effect.flatMap(Agent, (agent) => agent.exportSession("../s1", out)).pipe(
          Effect.provide(ExternalExport.layer(command, folder).pipe(Layer.provide(inner)))
        )
        assert.include((yield* Effect.flip(exporting)).message, "the session id cannot be one")
      })
    )
    it.effect("the output must be one absolute path", () =>
      Effect.gen(function* () {
        const { folder, fs, made, why } = yield* setting
        for (const printed of [
          "",
          "\n",
          "conversation.md",
          "./conversation.md",
          `${made}\n${made}`,
          `wrote\n${made}`,
          `{"path":"${made}"}`
        ]) {
          assert.include(yield* why(saying(printed)), "did not print one absolute path", printed)
        }
        assert.deepStrictEqual(yield* fs.readDirectory(folder), ["conversation.md"])
      })
    )
    it.effect("a missing file, an empty file or a folder is refused", () =>
      Effect.gen(function* () {
        const { folder, fs, why } = yield* setting
        yield* fs.writeFileString(`${folder}/empty.md`, "")
        assert.include(yield* why(saying(`${folder}/none.md`)), "none.md: it is not there")
        assert.include(yield* why(saying(`${folder}/a\0b`)), "it cannot be opened")
        assert.include(yield* why(saying(`${folder}/empty.md`)), "empty.md is empty")
        for (const path of [folder, "/dev/null"])
          assert.include(yield* why(saying(path)), "it is no regular file", path)
      })
    )
    it.effect("a file that others may write is refused, and so is a link", () =>
      Effect.gen(function* () {
        const { exporting, folder, fs, made, why } = yield* setting
        yield* fs.symlink(made, `${folder}/link.md`)
        assert.include(yield* why(saying(`${folder}/link.md`)), "it is a link")
        yield* fs.chmod(made, 0o666)
        assert.include(yield* why(saying(made)), "others may write to it")
        // The usual umask of some systems.
        yield* fs.chmod(made, 0o664)
        assert.strictEqual((yield* exporting(saying(made))).bytes, 8)
      })
    )
    it.effect("a program that prints 1 GB is ended early; programs that hang or fail are refused", () =>
      Effect.gen(function* () {
        const { folder, fs, made, why } = yield* setting
        const flood = script(
          `let left = 16384
         const more = () => left-- > 0 ? process.stdout.write("x".repeat(65536), more)
           : require("node:fs").writeFileSync(${JSON.stringify(`${folder}/flooded`)}, "")
         more()`
        )
        assert.include(yield* why(flood), "it printed more than 65536 bytes")
        assert.isFalse(yield* fs.exists(`${folder}/flooded`))
        assert.include(yield* why(script("setInterval(() => {}, 1000)"), "1 second"), "it did not end within 1s")
        assert.include(
          yield* why(script(`console.log(${JSON.stringify(made)}); process.exit(1)`)),
          "it ended with exit code 1"
        )
        assert.include(yield* why("/nowhere/exporter"), "there is no program /nowhere/exporter")
      })
    )
  })
})
