import { claudeCode } from "@souffleur/agents"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { inject } from "vitest"
import { loginSaid } from "./LoginSaid.ts"

const program = inject("claude")

describe("behaviour#a-renewed-login", () => {
  it.live.skipIf(program === null)("Claude Code says whether an account is logged in; a launcher says nothing", () =>
    Effect.gen(function* () {
      const command = { program: program!, args: ["--verbose"] }
      assert.deepStrictEqual(yield* loginSaid(claudeCode, command), Option.some(false))
      const key = { ANTHROPIC_API_KEY: "sk-ant-test" }
      assert.deepStrictEqual(yield* loginSaid(claudeCode, command, key), Option.some(true))
      assert.deepStrictEqual(yield* loginSaid(claudeCode, { program: "env", args: [program!] }), Option.none())
    })
  )
})
