import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { inject } from "vitest"
import { until } from "../claude/Lab.ts"
import { services } from "../claude/Watched.ts"
import { agentLab } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { realCodex } from "./RealCodex.ts"

const program = inject("codex")

describe("codex#turns, codex#sessions, codex#hooks", () => {
  agentNights(realCodex, program)
})

describe("command-line#screen", () => {
  it.live.skipIf(program === null)("records that the user asked for stay records in a pipe, also in attach", () =>
    Effect.gen(function* () {
      const attached = yield* Deferred.make<void>()
      const words = [...realCodex.words, "--json"]
      const lab = yield* agentLab({ ...realCodex, words }, program!, ({ toolResult }) =>
        toolResult === undefined
          ? Effect.succeed({ shell: "touch tool" })
          : Effect.as(Deferred.await(attached), { text: "All is complete." })
      )
      const souffleur = yield* lab.start("run", "--", ...words, "--", "Rehearse.")
      yield* lab.tool
      const attach = yield* lab.start("attach")
      yield* until(
        "its output",
        Effect.map(attach.said, (said) => said.includes("its output, until the watch ends"))
      )
      yield* Deferred.succeed(attached, undefined)
      for (const { exitCode, said } of [souffleur, attach]) {
        assert.strictEqual(yield* exitCode, 0, yield* said)
        assert.match(yield* said, /^\{.*"text":"All is complete\."/mu)
      }
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
