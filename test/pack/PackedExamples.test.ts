import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { stranger } from "./Stranger.ts"

const examples = new URL("../../examples/", import.meta.url).pathname

for (const name of readdirSync(examples)) {
  it.live(
    `the example ${name} compiles under strict rules in a folder of its own, and prints what its README says`,
    () =>
      Effect.gen(function* () {
        const { folder, run } = yield* stranger("npm", `${examples}${name}`)
        const [, said] = /^It prints `([^`]+)`/mu.exec(readFileSync(`${folder}/README.md`, "utf8")) ?? []
        assert.isDefined(said)
        assert.strictEqual(yield* run("node_modules/.bin/tsc", "-p", "."), "")
        assert.include(yield* run("npm", "start"), said)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
}
