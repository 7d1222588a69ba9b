import { assert, it } from "@effect/vitest"
import { complaints } from "./Tool.ts"

it("every package and every test has the types that it says", async () => {
  assert.strictEqual(await complaints("tsc", "-b", "--singleThreaded"), "")
})
