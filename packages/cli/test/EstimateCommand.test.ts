import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

describe("behaviour#estimate, command-line#plumbing", () => {
  it.layer(services)((it) => {
    it.effect("the JSON has the fields of the original estimator, and the file that was read", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-estimate-" }))
        yield* fs.writeFileString(`${home}/export.md`, "é\r\nCOMPACTED\n(\r\n123456\r\n")
        yield* fs.symlink(`${home}/export.md`, `${home}/link.md`)
        const [line] = yield* printed(home, { HOME: home }, "estimate", `${home}/link.md`, "--json")
        assert.deepStrictEqual(JSON.parse(line!), {
          ok: true,
          estimated_tokens: 2,
          estimated_tokens_full: 7,
          chars_scoped: 8,
          chars_full: 21,
          start_mode: "last_compact_marker",
          start_offset: 13,
          marker_found: true,
          marker_count: 1,
          warnings: [],
          source: `${home}/export.md`
        })
      })
    )
  })
})
