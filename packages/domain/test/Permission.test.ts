import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { clamp, Permission } from "../src/Permission.ts"

const rank = (permission: Permission) => Permission.literals.indexOf(permission)

it.prop(
  "never rises above the ceiling, whatever is asked for",
  [Schema.Union([Permission, Schema.String]), Permission],
  ([asked, ceiling]) => rank(clamp(asked, ceiling).effective) <= rank(ceiling)
)

it.prop("who asks for more never gets less, nor does a higher ceiling give less", [Permission, Permission, Permission], ([a, b, c]) => {
  const [less, more] = rank(a) <= rank(b) ? [a, b] : [b, a]
  assert.isAtMost(rank(clamp(less, c).effective), rank(clamp(more, c).effective))
  assert.isAtMost(rank(clamp(c, less).effective), rank(clamp(c, more).effective))
})

it.prop("a known permission below the ceiling is kept, without a warning", [Permission, Permission], ([asked, ceiling]) => {
  const { effective, warning } = clamp(asked, ceiling)
  assert.strictEqual(effective, rank(asked) <= rank(ceiling) ? asked : ceiling)
  assert.isUndefined(warning)
})

it("what is no permission is acceptEdits, with a warning that does not repeat it", () => {
  for (const asked of ["BypassPermissions", "bypasspermissions", " bypassPermissions", "bypassPermissions ", "plan", "", "toString"]) {
    const { effective, warning } = clamp(asked, "bypassPermissions")
    assert.strictEqual(effective, "acceptEdits")
    assert.isDefined(warning)
  }
  assert.notInclude(clamp("sk-secret", "acceptEdits").warning, "sk-secret")
})
