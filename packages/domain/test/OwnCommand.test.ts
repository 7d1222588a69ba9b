import { assert, describe, it } from "@effect/vitest"
import { isOwnCommand } from "../src/index.ts"

describe("fleet#words", () => {
  it("of another host's words only one word about one watch is told as what to type there", () => {
    for (const text of ["souffleur retry opera-0001", "souffleur why w.2", "souffleur resume w", "souffleur stop w"])
      assert.isTrue(isOwnCommand(text), text)
    for (const text of [
      "souffleur config --trust",
      "souffleur retry w --ceiling bypassPermissions",
      "souffleur retry --agent",
      "souffleur hub revoke a",
      "souffleur uninstall",
      "souffleur adopt w",
      "souffleur why w; rm x",
      "rm x"
    ])
      assert.isFalse(isOwnCommand(text), text)
  })
})
