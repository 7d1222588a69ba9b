import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

describe("command-line#metrics", () => {
  it.layer(services)((it) => {
    it.effect(
      "metrics are printed, or replace a file that others may read, and a folder that is missing is refused",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const { as, project, watch } = yield* place({ comms: false })
          yield* watch("w", watching({ project, comms: null }))
          const metrics = (...flags: ReadonlyArray<string>) =>
            as("")(cli(["metrics", ...flags, "--project-dir", project]))
          yield* metrics()
          const printed = (yield* TestConsole.logLines).map(String)
          assert.include(printed, 'souffleur_jobs{kind="watch",state="needs you"} 1')
          const file = `${project}/souffleur.prom`
          yield* fs.writeFileString(file, "old")
          yield* metrics("--file", file)
          assert.strictEqual(yield* fs.readFileString(file), `${printed.join("\n")}\n`)
          assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o644)
          const refused = yield* Effect.exit(metrics("--file", `${project}/missing/x.prom`))
          assert.strictEqual(refused._tag, "Failure")
        })
    )
  })
})
