import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { clamp, clampInWords, granted, Permission, SessionMode } from "../src/settings/Permission.ts"

const rank = (permission: Permission) => Permission.literals.indexOf(permission)

describe("behaviour#permission-ceiling", () => {
  it.prop(
    "a permission never rises above the ceiling, whatever is requested",
    [Schema.Union([Permission, Schema.String]), Permission],
    ([asked, ceiling]) => rank(clamp(asked, ceiling)) <= rank(ceiling)
  )

  it.prop(
    "a higher request never gets less, nor does a higher ceiling give less",
    [Permission, Permission, Permission],
    ([a, b, c]) => {
      const [less, more] = rank(a) <= rank(b) ? [a, b] : [b, a]
      assert.isAtMost(rank(clamp(less, c)), rank(clamp(more, c)))
      assert.isAtMost(rank(clamp(c, less)), rank(clamp(c, more)))
    }
  )

  it.prop(
    "a known permission below the ceiling is kept, and nothing is told",
    [Permission, Permission],
    ([requested, ceiling]) => {
      const effective = clamp(requested, ceiling)
      assert.strictEqual(effective, rank(requested) <= rank(ceiling) ? requested : ceiling)
      if (effective === requested) assert.isUndefined(clampInWords({ requested, effective, heldTo: null }))
      else
        assert.match(
          clampInWords({ requested, effective, heldTo: null }) ?? "",
          /bypassPermissions was asked for, acceptEdits is the ceiling/u
        )
    }
  )
  it.prop(
    "a launch gets the least of the ceiling, of what was asked for, and of the mode that its session had",
    [Permission, Permission, SessionMode],
    ([requested, ceiling, mode]) => {
      const modes = SessionMode.literals
      const { effective, heldTo } = granted(requested, ceiling, mode)
      const given = heldTo === "plan" || heldTo === "asks" ? heldTo : effective
      assert.strictEqual(
        modes.indexOf(given),
        Math.min(modes.indexOf(clamp(requested, ceiling)), modes.indexOf(mode)),
        given
      )
    }
  )
  it("an unknown word counts as acceptEdits, and the message does not repeat it", () => {
    for (const requested of [
      "BypassPermissions",
      "bypasspermissions",
      " bypassPermissions",
      "bypassPermissions ",
      "plan",
      "",
      "sk-secret"
    ]) {
      const effective = clamp(requested, "bypassPermissions")
      assert.strictEqual(effective, "acceptEdits")
      assert.strictEqual(
        clampInWords({ requested, effective, heldTo: null }),
        "a permission was asked for that no launch may have: it gets acceptEdits"
      )
    }
  })
})
