import { assert, describe, it } from "@effect/vitest"
import { openCodeMode } from "../../src/opencode/OpenCodeSayings.ts"

describe("behaviour#permission-ceiling", () => {
  for (const [record, mode] of [
    [{ info: { role: "user", agent: "plan" } }, "plan"],
    [{ info: { role: "user", agent: "build" } }, "bypassPermissions"],
    [{ info: { role: "assistant", agent: "plan" } }, undefined],
    [{ part: {} }, undefined]
  ] as const)
    it(`the mode of a session, by ${JSON.stringify(record)}`, () => assert.strictEqual(openCodeMode(record), mode))
})
