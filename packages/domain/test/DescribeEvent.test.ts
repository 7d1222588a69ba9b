import { assert, describe, it } from "@effect/vitest"
import { describeEvent } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"

it("each event of a watch is described by a sentence that begins with its subject", () => {
  for (const event of Object.values(examples)) {
    const { text } = describeEvent(event)
    assert.match(text, /^(?:[A-Z]|souffleur |claude_export ).*[.!?…]$/u, event._tag)
    assert.notInclude(text, "undefined", event._tag)
  }
})

describe("behaviour#early-ends", () => {
  it("three ends without progress are told as likely done only where the agent only answered at last", () => {
    assert.include(
      describeEvent({ ...examples.EndedEarly, reason: "only-answered" }).text,
      "nothing but reading has succeeded since it was brought back"
    )
    const told = (trigger: "only-answered" | "pid") => describeEvent({ ...examples.RetriesExhausted, trigger }).text
    assert.match(
      told("only-answered"),
      /only answered at last\. The work is likely done, so read its last words: nothing is/u
    )
    assert.match(told("pid"), /^Three ends without progress: nothing is launched any more\./u)
  })
})
it("a dead process is told as what it is: gone, or a zombie", () => {
  const told = (process: "gone" | "zombie") =>
    describeEvent({
      ...examples.ConductorDied,
      reason: "pid",
      evidence: { ...examples.ConductorDied.evidence, process, end: null }
    }).text
  assert.include(told("zombie"), "its process is a zombie")
  assert.include(told("gone"), "its process is gone")
})
