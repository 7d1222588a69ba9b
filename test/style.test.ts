import { assert, it } from "@effect/vitest"
import { complaints } from "./Tool.ts"

it("the linter has no complaint", async () => {
  assert.strictEqual(await complaints("oxlint"), "")
})
it("the formatter would change no file", async () => {
  assert.strictEqual(await complaints("oxfmt", "--check"), "")
})
