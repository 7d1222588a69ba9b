import { assert, it } from "@effect/vitest"
import { describeRunEvent } from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

it("each event of a run is described by a sentence that begins with its subject", () => {
  for (const event of Object.values(examples)) {
    const { text } = describeRunEvent(event)
    assert.match(text, /^(?:[A-Z]|souffleur ).*[.!?…]$/u, event._tag)
    assert.notInclude(text, "undefined", event._tag)
  }
})
