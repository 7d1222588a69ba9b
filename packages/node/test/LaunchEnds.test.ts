import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeLaunchEnds } from "../src/launch/LaunchEnds.ts"
import { folder } from "./fixtures/Spawned.ts"

describe("behaviour#output-of-launches", () => {
  it.effect("128 and a signal's number are that signal, and the end has the time of its file", () =>
    Effect.gen(function* () {
      const ends = makeLaunchEnds(yield* folder)
      for (const [code, end] of [
        ["143", { _tag: "Killed", signal: "SIGTERM" }],
        ["3", { _tag: "Exited", code: 3 }],
        ["255", { _tag: "Exited", code: 255 }]
      ] as const) {
        const file = ends.fileOf(code)
        fs.writeFileSync(file, code, { mode: 0o600 })
        fs.utimesSync(file, 1_700_000_000, 1_700_000_000)
        assert.deepStrictEqual(yield* ends.of(code), Option.some({ end, at: 1_700_000_000_000 }))
      }
    })
  )
})
