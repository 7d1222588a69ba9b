import { assert, describe, it } from "@effect/vitest"
import { Event } from "@souffleur/domain"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

const words: ReadonlyArray<ReadonlyArray<string>> = [
  ["setup", "--yes"],
  ["config", "--trust"],
  ["hooks", "install", "--watch"],
  ["fleet", "join", "https://hub.example"],
  ["fleet", "login", "https://hub.example"],
  ["retry", "w", "--ceiling", "acceptEdits"],
  ["retry", "w", "--agent", "codex"],
  ["go", "w"],
  ["resume", "w", "--moved"],
  ["uninstall", "--yes"],
  ["conduct", "answer", "--finishing", "--retry"],
  ...["retry", "release", "done", "hold", "go"].map((word) => ["fleet", word, "host/w"])
]

describe("command-line#a-persons-word", () => {
  it.layer(services)((it) => {
    it.effect("each word that needs a person is refused in an agent's session, and changes nothing", () =>
      Effect.gen(function* () {
        const { as, events, project, watch } = yield* place({ comms: false })
        yield* watch("w", [...watching({ project, comms: null }), Event.HoldStarted.make({ at: 1000 })])
        for (const word of words) {
          const before = (yield* TestConsole.errorLines).length
          const code = yield* cli([...word, "--project-dir", project]).pipe(
            as("s1"),
            Effect.match({ onFailure: (ended) => ended.code, onSuccess: () => 0 })
          )
          const said = (yield* TestConsole.errorLines).slice(before).join("\n")
          assert.deepStrictEqual([code, (yield* TestConsole.logLines).length], [2, 0], `${word.join(" ")}: ${said}`)
          assert.match(said, /only a person may .*this is an agent's session/u)
        }
        assert.strictEqual((yield* events("w")).at(-1)?._tag, "HoldStarted")
      })
    )
  })
})
