import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import * as LimitedFiles from "../../node/src/files/LimitedFiles.ts"
import { exportProvider } from "../src/index.ts"
import { closedAt, cycleOf } from "./Cycles.ts"
import { worldOf } from "./RecoveryWorld.ts"

describe("behaviour#reads-that-hang", () => {
  it.effect("a cycle whose export cannot be read fails closed, with the name of the file and the limit", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 })
      // What hangs does so for the whole process, so that no two tests share a folder.
      const folder = "/state-hanging"
      const dead = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (files) => ({
          ...files,
          stat: (path: string) => Effect.suspend(() => (path.endsWith(".md") ? Effect.never : files.stat(path)))
        }))
      )
      const memory = world.files.layer
      Object.assign(world.files, {
        layer: Layer.merge(memory, LimitedFiles.layer.pipe(Layer.provide(dead), Layer.provide(memory)))
      })
      const { last, run } = yield* cycleOf([exportProvider], { settings: { stateDir: folder } }, world)
      yield* run
      const [stage, message] = closedAt(yield* last) ?? []
      assert.strictEqual(stage, "trim")
      assert.match(
        message ?? "",
        new RegExp(`${folder}/exports/.*\\.md cannot be .*: it did not answer within 30 s$`, "u")
      )
      assert.deepStrictEqual(world.did, ["SIGTERM 4711", "export s1"], "nothing was launched")
    })
  )
})
