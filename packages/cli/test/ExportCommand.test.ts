import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { replaceable } from "../src/commands/ExportCommand.ts"

describe("command-line#plumbing", () => {
  it.live("export leaves an existing file as it is, unless it is an export or a person forces it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const [mine, link, own] = [`${folder}/mine.md`, `${folder}/link.md`, `${folder}/own.md`]
      yield* fs.writeFileString(mine, "mine")
      yield* fs.symlink(mine, link)
      yield* fs.writeFileString(own, `<!-- souffleur-export v1 nonce=${"0".repeat(32)} -->\n`)
      for (const path of [`${folder}/none.md`, own]) yield* replaceable(path, false)
      assert.strictEqual((yield* Effect.flip(replaceable(mine, false)))._tag, "BadUsage")
      yield* replaceable(mine, true)
      for (const path of [link, folder])
        for (const force of [false, true])
          assert.strictEqual((yield* Effect.flip(replaceable(path, force)))._tag, "FileRefused")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
