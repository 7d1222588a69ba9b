import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fingerprintOf } from "../../domain/test/FoldDigest.ts"
import { runCodec, runFold } from "../src/index.ts"
import { RunEvent } from "../src/run/RunEvent.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

describe("command-line#status", () => {
  it.effect("the fingerprint of the fold of runs is that of its rules and of its state", () =>
    Effect.gen(function* () {
      const corpus = { codec: runCodec, schema: RunEvent, examples: Object.values(examples) }
      // A change here is meant: snapshots by the rules before are no longer read. Write the new one into runFold.
      assert.strictEqual(runFold.name.fingerprint, yield* fingerprintOf(runFold, corpus))
    })
  )
})
