import { assert, it } from "@effect/vitest"
import { describeEvent } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"

it("each event of a watch is described by a sentence that begins with its subject", () => {
  for (const event of Object.values(examples)) {
    const { text } = describeEvent(event)
    assert.match(text, /^(?:[A-Z]|souffleur |claude_export ).*[.!?…]$/u, event._tag)
    assert.notInclude(text, "undefined", event._tag)
  }
})
