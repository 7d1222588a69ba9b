import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Path, Scope } from "effect"
import { afterAll } from "vitest"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { stranger, type Stranger } from "./Stranger.ts"

/** The oldest Node that runs souffleur, one of each later line, and an older one. */
const nodes = {
  old: "20.20.2",
  // The registry has no 22.19 for other processors.
  oldest: process.arch === "x64" ? "22.19.0" : "22.20.0",
  later: "24.21.0",
  newest: "26.10.0"
} as const

describe("the packed command", () => {
  const scope = Scope.makeUnsafe()
  let project: Stranger
  const node = (which: keyof typeof nodes, ...words: ReadonlyArray<string>) =>
    project.run(`node_modules/${which}/bin/node`, "node_modules/.bin/souffleur", ...words)

  beforeAll(() =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const folder = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-nodes-" }), "project")
      yield* fs.makeDirectory(folder)
      const dependencies = Object.fromEntries(
        Object.entries(nodes).map(([which, version]) => [which, `npm:node-linux-${process.arch}@${version}`])
      )
      yield* fs.writeFileString(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies }))
      project = yield* stranger("npm", folder)
    }).pipe(Scope.provide(scope), Effect.provide(NodeServices.layer), Effect.runPromise)
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  for (const which of ["oldest", "later", "newest"] as const) {
    it.live(`the command plays its demonstration under Node ${nodes[which]}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* node(which, "--version"), `souffleur v${manifest.version}\n`)
        assert.include(yield* node(which, "config", "--json"), '"force_compact_threshold_tokens": 400000')
        assert.match(yield* node(which, "demo"), /One Conductor at a time, and no work lost/u)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }
  it.live(`the command ends with a sentence under Node ${nodes.old}`, () =>
    Effect.gen(function* () {
      for (const words of [["--version"], ["status"], ["demo"], ["hook"]]) {
        const failed = yield* Effect.flip(node("old", ...words).pipe(Effect.catchTag("PlatformError", Effect.die)))
        assert.strictEqual(failed.code, 2)
        assert.match(
          failed.output,
          /^souffleur: Node 22\.19 or newer is needed, and this is v20\.20\.2: install a newer Node\n$/u
        )
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
