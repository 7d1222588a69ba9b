import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { resolveProgram } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"

/** Returns the problem or the path of a file with this content, by three of its names. */
const found = Effect.fnUntraced(function* (content: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-program-" }))
  yield* fs.writeFileString(`${folder}/tool`, content)
  yield* fs.chmod(`${folder}/tool`, 0o755)
  return yield* Effect.forEach([`${folder}/tool`, "tool", "./tool"], (name) =>
    Effect.match(resolveProgram(name, folder, folder), {
      onFailure: ({ problem }) => problem.replace(folder, ""),
      onSuccess: (path) => path.replace(folder, "")
    })
  )
}, Effect.scoped)

describe("behaviour#launch", () => {
  it.layer(NodeServices.layer)((it) => {
    it.effect("a program is found by its path, in PATH or in its folder, where the system can run it", () =>
      Effect.gen(function* () {
        for (const content of ["#!/bin/sh\n", "#! /usr/bin/env node\r\n", "#!relative\n", "\u007FELF\0", "MZ\0"])
          assert.deepStrictEqual(yield* found(content), ["/tool", "/tool", "/tool"], JSON.stringify(content))
      })
    )
    it.effect(
      "a name means the first program in PATH: what is no program is passed over, and so is a relative part",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-program-" }))
          for (const [folder, mode] of [
            ["plain", 0o644],
            ["first", 0o755],
            ["second", 0o755]
          ] as const) {
            yield* fs.makeDirectory(`${root}/${folder}`)
            yield* fs.writeFileString(`${root}/${folder}/tool`, "#!/bin/sh\n")
            yield* fs.chmod(`${root}/${folder}/tool`, mode)
          }
          yield* fs.makeDirectory(`${root}/folder/tool`, { recursive: true })
          const inRoot = (...parts: ReadonlyArray<string>) => parts.map((part) => `${root}/${part}`).join(":")
          // The folder of this process reaches the second program by a relative path.
          const relative = (yield* Path.Path).relative(process.cwd(), `${root}/second`)
          const parts = `:${relative}:${inRoot("none", "plain", "folder", "first", "second")}`
          assert.strictEqual(yield* resolveProgram("tool", parts), `${root}/first/tool`)
          const { problem } = yield* Effect.flip(resolveProgram("tool", inRoot("none", "plain", "folder")))
          assert.strictEqual(problem, "there is no program tool in PATH")
        })
    )
    it.effect("a script with no first line or a missing interpreter is refused with what to do", () =>
      Effect.gen(function* () {
        const first = "/tool cannot be run: give it a first line such as #!/bin/sh"
        for (const content of ["echo hi\n", " #!/bin/sh\n"])
          assert.deepStrictEqual(yield* found(content), [first, first, first], JSON.stringify(content))
        for (const [content, name] of [
          ["#!/nowhere/sh -e\n", "/nowhere/sh"],
          ["#!/bin/sh\r\n", "/bin/sh\\r"]
        ] as const) {
          const missing = `/tool cannot be run: its first line names "${name}", which is not there`
          assert.deepStrictEqual(yield* found(content), [missing, missing, missing])
        }
      })
    )
  })
})
