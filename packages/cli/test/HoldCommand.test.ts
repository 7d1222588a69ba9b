import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

const said = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const out = (yield* TestConsole.logLines).length
  const errors = (yield* TestConsole.errorLines).length
  const code = yield* Effect.match(cli(args), { onFailure: (ended) => ended.code, onSuccess: () => 0 })
  return {
    code,
    out: (yield* TestConsole.logLines).slice(out).join("\n"),
    errors: (yield* TestConsole.errorLines).slice(errors).join("\n")
  }
})

describe("behaviour#hold", () => {
  it.layer(services)((it) => {
    it.effect("hold and go are words of the log, shown by status, and told by the exit code", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        const say = (...args: ReadonlyArray<string>) => said([...args, "--project-dir", project]).pipe(as("", {}))
        assert.deepInclude(yield* say("go"), { code: 2, out: "" })
        const held = yield* say("hold")
        assert.deepInclude(held, { code: 0, errors: "" })
        assert.include(held.out, 'nothing is stopped or launched until "souffleur go"')
        const status = (yield* say("status")).out
        assert.match(status, /^w +needs you .*no souffleur looks after it$/mu)
        assert.match(status, /NEXT\n {2}souffleur resume w\n {6}w: no souffleur looks after it$/u)
        const [known] = JSON.parse((yield* say("status", "--json")).out) as ReadonlyArray<{
          readonly held_since: unknown
        }>
        assert.isString(known?.held_since)
        const { code, errors } = yield* say("retry")
        assert.deepStrictEqual([code, errors.includes('until they say "go"')], [2, true])
        assert.deepStrictEqual(yield* say("go"), { code: 0, out: "w goes on: watching", errors: "" })
        assert.deepStrictEqual(
          (yield* events("w")).slice(-2).map(({ _tag }) => _tag),
          ["HoldStarted", "HoldEnded"]
        )
      })
    )
    it.effect("a hold that an agent's session says is in the log as its word", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        assert.strictEqual((yield* said(["hold", "--project-dir", project]).pipe(as("s1", {}))).code, 0)
        assert.deepInclude((yield* events("w")).at(-1), { _tag: "HoldStarted", byAgent: true })
      })
    )
    it.effect("an agent's session cannot end a person's hold", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        const say = (word: string, session: string) => said([word, "--project-dir", project]).pipe(as(session, {}))
        assert.strictEqual((yield* say("hold", "")).code, 0)
        const refused = yield* say("go", "s1")
        assert.deepStrictEqual([refused.code, refused.out], [2, ""])
        assert.include(refused.errors, "only a person")
        assert.strictEqual((yield* events("w")).at(-1)?._tag, "HoldStarted")
      })
    )
  })
})
