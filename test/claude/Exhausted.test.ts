import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import type { Part } from "./Lab.ts"
import { tooLong } from "./ModelEndpoint.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, checks, first, only, services, staged, stepsOf, waiting } from "./Watched.ts"

const claude = inject("claude")

/** The first conversation no longer fits, and cannot be compacted either. */
const part: Part = (asked) => {
  const { compaction, sessionId, toolResult } = asked
  if (compaction) return Effect.succeed(tooLong)
  if (sessionId !== first) return Effect.succeed(checks(asked))
  return Effect.succeed(toolResult === undefined ? bash(waiting) : tooLong)
}

const recovered = Effect.fn("Exhausted.recovered")(function* (config: string) {
  const { lab, souffleur } = yield* staged(claude!, headless, part, config, { solo: true })
  yield* lab.write("go", "")
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  only(log, "ContextExhausted")
  assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
  assert.strictEqual(only(log, "RecoveryStarted")["trigger"], "context")
  const relaunched = only(log, "ConductorRelaunched")
  assert.notStrictEqual(relaunched["sessionId"], first)
  const asked = (yield* lab.asked).find(({ sessionId, turn }) => turn && sessionId === relaunched["sessionId"])
  assert.include(asked?.said.join("\n"), String(relaunched["exportPath"]))
  assert.include(asked?.said.join("\n"), "no longer fitted the model; it was not a crash")
  assert.include(yield* lab.read(String(relaunched["exportPath"])), "Rehearse. The stage word is quinquereme.")
  only(log, "HandoffTaken")
  const { all, most } = yield* lab.agents
  assert.deepStrictEqual([most, all.size], [1, 2])
  return { log, provider: relaunched["provider"] }
})

describe("behaviour#limits-and-waits", () => {
  it.live.skipIf(claude === null)("a conversation that no longer fits goes on from its export", () =>
    Effect.gen(function* () {
      const { provider } = yield* recovered("")
      assert.strictEqual(provider, "claude_export")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("a conversation goes on from a small hand-off if the gate refuses the export", () =>
    Effect.gen(function* () {
      const { log, provider } = yield* recovered("FORCE_COMPACT=1\n")
      assert.strictEqual(provider, "small_handoff")
      // A conversation that does not fit cannot be sent to be compacted.
      const steps = [
        "1 stop",
        "2 export",
        "3 trim",
        "4 estimate",
        "hand-off",
        "prepare a hand-off",
        "launch from hand-off"
      ]
      assert.deepStrictEqual(stepsOf(log, "StepSucceeded"), steps)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
