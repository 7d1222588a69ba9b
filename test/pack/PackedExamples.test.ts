import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type Stranger, strangers } from "./Stranger.ts"

const examples = new URL("../../examples", import.meta.url).pathname
const names = readdirSync(examples)

describe("the examples in a folder outside the workspace", () => {
  const scope = Scope.makeUnsafe()
  let example: (name: string) => Stranger

  beforeAll(async () => {
    const installed = strangers(examples).pipe(Scope.provide(scope), Effect.provide(NodeServices.layer))
    example = await Effect.runPromise(installed)
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live("the examples compile under the same strict rules, each with the packages that it names alone", () =>
    Effect.gen(function* () {
      const rules = names.map((name) => readFileSync(`${example(name).folder}/tsconfig.json`, "utf8"))
      assert.deepStrictEqual([...new Set(rules)], [rules[0]])
      assert.include(rules[0], '"skipLibCheck": false')
      // One run reads the types of the packages once.
      const { folder, run } = example(names[0]!)
      const wrong = "export const wrong: string = 1\n"
      for (const name of names) writeFileSync(`${example(name).folder}/wrong.ts`, wrong)
      const all = { extends: "./tsconfig.json", include: names.map((name) => `../${name}/*.ts`) }
      writeFileSync(`${folder}/all.json`, JSON.stringify(all))
      const refused = yield* Effect.flip(run("node_modules/.bin/tsc", "-p", "all.json", "--pretty", "false"))
      const found = refused.message.split("\n").filter((line) => line.includes("error TS"))
      // The compiler did look at each of them.
      assert.lengthOf(found, names.length, refused.message)
      for (const name of names)
        assert.isTrue(
          found.some(
            (line) =>
              line.includes(`${name}/wrong.ts(1,14)`) || (name === names[0] && line.startsWith("wrong.ts(1,14)"))
          ),
          name
        )
    }).pipe(Effect.provide(NodeServices.layer))
  )
  for (const name of names)
    it.live(`the example ${name} prints what its README says`, () =>
      Effect.gen(function* () {
        const { folder, run } = example(name)
        const [, said] = /^It prints `([^`]+)`/mu.exec(readFileSync(`${folder}/README.md`, "utf8")) ?? []
        assert.isDefined(said)
        assert.include(yield* run("npm", "start"), said)
      }).pipe(Effect.provide(NodeServices.layer))
    )
})
