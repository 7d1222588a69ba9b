import { assert, describe, it } from "@effect/vitest"
import { withheldKeys, withheldNote } from "../src/watching/WithheldKeys.ts"

describe("settings#agent-command", () => {
  it("the caller's keys that an agent does not get are named, without souffleur's own", () => {
    const caller = {
      TEST_KEY: "x",
      GH_TOKEN: "y",
      OPENAI_API_KEY: "z",
      SOUFFLEUR_NTFY_TOKEN: "n",
      KEYS: "k",
      PATH: "/bin"
    }
    assert.deepStrictEqual(withheldKeys(caller, { OPENAI_API_KEY: "z", PATH: "/bin" }), ["GH_TOKEN", "TEST_KEY"])
  })
  it("a note says how an agent gets its keys", () => {
    assert.isUndefined(withheldNote([]))
    assert.match(withheldNote(["A_KEY"]) ?? "", /needs it, set SOUFFLEUR_AGENT_ENVIRONMENT=A_KEY$/u)
    assert.match(withheldNote(["A_KEY", "B_KEY"]) ?? "", /needs them, set SOUFFLEUR_AGENT_ENVIRONMENT=A_KEY,B_KEY$/u)
  })
  it("a note names at most eight keys, each of a bounded length", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`A${at}_KEY`, "x"]))
    assert.strictEqual(withheldKeys({ ...many, [`${"A".repeat(101)}_KEY`]: "x" }, {}).length, 8)
    assert.deepStrictEqual(withheldKeys({ [`${"A".repeat(101)}_KEY`]: "x" }, {}), [])
  })
})
