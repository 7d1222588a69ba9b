import { assert, it } from "@effect/vitest"
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { complaints } from "./Tool.ts"

it("every package and every test has the types that it says", async () => {
  assert.strictEqual(await complaints("tsc", "-b", "--singleThreaded"), "")
})

it("declarations name the events and states that are large, and do not repeat them", async () => {
  await complaints("tsc", "-b", "--singleThreaded")
  // The service of an app has the events and the state of a watch and of a run in some thirty methods.
  const declared = fileURLToPath(new URL("../packages/embed/.tsbuild/MakeSouffleur.d.ts", import.meta.url))
  assert.isBelow(statSync(declared).size, 40_000)
})
