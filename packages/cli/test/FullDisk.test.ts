import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Runtime } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { ofFullDisk } from "../src/Failure.ts"
import { place, services } from "./mcp/McpPlace.ts"

describe("command-line#exit-codes", () => {
  it.layer(services)((it) => {
    it.effect("an error of a full disk names it, with the exit code of a log that cannot be used", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const full = ofFullDisk(yield* Effect.flip(fs.writeFileString("/dev/full", "a")))
        assert.strictEqual(full.message, "/dev/full cannot be written: its disk is full: make room on it")
        assert.strictEqual(Runtime.getErrorExitCode(full), 4)
        const opened = yield* fs.open("/dev/full", { flag: "w" })
        const numbered = ofFullDisk(yield* Effect.flip(opened.writeAll(new Uint8Array(1))))
        assert.strictEqual(numbered.message, "a file cannot be written: its disk is full: make room on it")
        const other = yield* Effect.flip(fs.writeFileString("/dev/null/x", "a"))
        assert.strictEqual(ofFullDisk(other), other)
      })
    )
    it.effect("a command that meets a full disk says so", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { as, project } = yield* place({ comms: false })
        const failed = yield* Effect.flip(fs.writeFileString("/dev/full", "a"))
        const exists = (path: string) => (path.endsWith("souffleur.db") ? Effect.fail(failed) : fs.exists(path))
        const code = yield* cli(["uninstall", "--project-dir", project]).pipe(
          as(""),
          Effect.provideService(FileSystem.FileSystem, { ...fs, exists }),
          Effect.match({ onFailure: (ended) => ended.code, onSuccess: () => 0 })
        )
        assert.deepStrictEqual(
          [code, yield* TestConsole.errorLines],
          [4, ["souffleur: /dev/full cannot be written: its disk is full: make room on it"]]
        )
      })
    )
  })
})
