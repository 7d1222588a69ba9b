import { assert, describe, it } from "@effect/vitest"
import { claudeCode } from "@souffleur/agents"
import { idleSettings } from "../src/preview/IdleSettings.ts"

describe("behaviour#ceilings-of-use", () => {
  it("a ceiling of use that does nothing for an agent or a command is named", () => {
    const set = { maxDollars: 2.5, maxTokens: 100 }
    const silent = { recordsDollars: false, title: "Scribe" }
    assert.deepStrictEqual(idleSettings(claudeCode, "agent", set), [])
    assert.deepStrictEqual(idleSettings(silent, "agent", set), [
      "MAX_DOLLARS does nothing for Scribe: it records no cost"
    ])
    assert.deepStrictEqual(idleSettings(claudeCode, "command", set), [
      "MAX_TOKENS does nothing for a plain command: it tells of no tokens",
      "MAX_DOLLARS does nothing for a plain command: it records no cost"
    ])
    assert.deepStrictEqual(idleSettings(silent, "command", { maxDollars: null, maxTokens: null }), [])
  })
})
