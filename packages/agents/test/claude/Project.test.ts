import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { services } from "./support/ClaudeFolder.ts"
import { portOf } from "./support/ClaudePort.ts"

describe("claude-code#files", () => {
  it.layer(services)((it) => {
    it.effect("a session began where its first record that names a folder says", () =>
      Effect.gen(function* () {
        const line = (record: unknown) => `${JSON.stringify(record)}\n`
        const of = Effect.fnUntraced(function* (text: string) {
          return yield* (yield* portOf(text)).agent.projectOf("s")
        })
        const user = (cwd: unknown) => line({ type: "user", cwd })
        assert.deepStrictEqual(
          yield* of(`${line({ type: "mode" })}not json\n${user("/p/one")}${user("/p/two")}`),
          Option.some("/p/one")
        )
        assert.deepStrictEqual(yield* of(`${user(7)}${user("relative")}${user("/p")}`), Option.some("/p"))
        for (const text of ["", line({ type: "mode" }), user("/p").trimEnd()])
          assert.deepStrictEqual(yield* of(text), Option.none(), text)
      })
    )
  })
})
