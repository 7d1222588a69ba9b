import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keepsQuoted, quotingEvents } from "../../domain/test/Quoted.ts"
import { describeRunEvent } from "../src/index.ts"
import { RunEvent } from "../src/run/RunEvent.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

it("each event of a run is described by a sentence that begins with its subject", () => {
  for (const event of Object.values(examples)) {
    const { text } = describeRunEvent(event)
    assert.match(text, /^(?:[A-Z]|souffleur ).*[.!?…]$/u, event._tag)
    assert.notInclude(text, "undefined", event._tag)
  }
})

describe("behaviour#plain-words", () => {
  it.effect("the words of others stand unchanged, in any event of a run", () =>
    Effect.gen(function* () {
      for (const event of yield* quotingEvents(RunEvent))
        for (const sentence of [describeRunEvent(event).text, describeRunEvent(event).clause])
          assert.isTrue(keepsQuoted(sentence), sentence)
    })
  )
})
