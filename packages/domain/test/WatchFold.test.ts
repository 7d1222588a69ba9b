import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Event, watchCodec, watchFold } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"
import { fingerprintOf } from "./FoldDigest.ts"

describe("command-line#status", () => {
  it.effect("the fingerprint of the fold of watches is that of its rules and of its state", () =>
    Effect.gen(function* () {
      const corpus = { codec: watchCodec, schema: Event.WatchEvent, examples: Object.values(examples) }
      // A change here is meant: snapshots by the rules before are no longer read. Write the new one into watchFold.
      assert.strictEqual(watchFold.name.fingerprint, yield* fingerprintOf(watchFold, corpus))
    })
  )
})
