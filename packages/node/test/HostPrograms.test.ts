import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { relative } from "node:path"
import { HostServices } from "../src/index.ts"

describe("behaviour#git, security#processes", () => {
  it.live(
    "a program is the first of its name in the absolute parts of PATH, never one of the folder that souffleur is in",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const here = yield* fs.makeTempDirectoryScoped()
        const there = yield* fs.makeTempDirectoryScoped()
        const program = Effect.fnUntraced(function* (file: string, says: string) {
          yield* fs.writeFileString(file, `#!/bin/sh\necho ${says} "$@"\n`)
          yield* fs.chmod(file, 0o755)
        })
        yield* program(`${here}/tool`, "here")
        yield* program(`${there}/tool`, "there")
        const run = (name: string, PATH: string) =>
          spawner.string(ChildProcess.make(name, ["a b"], { cwd: here, env: { PATH }, extendEnv: true }))
        assert.strictEqual(yield* run("tool", `.::${relative(process.cwd(), here)}:${there}`), "there a b\n")
        assert.strictEqual(yield* run(`${here}/tool`, "/nowhere"), "here a b\n")
        // A file that cannot be executed is no program, nor is a folder.
        yield* fs.makeDirectory(`${here}/folder/tool`, { recursive: true })
        yield* fs.writeFileString(`${here}/folder/other`, "")
        assert.strictEqual(yield* run("tool", `${here}/folder:${there}`), "there a b\n")
        for (const name of ["other", "tool"]) {
          const { reason } = yield* Effect.flip(run(name, `.:${here}/folder`))
          assert.strictEqual(reason._tag, "NotFound")
        }
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
