import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { only, outcomeOf, services, stepsOf, told } from "../claude/Watched.ts"
import { agentLab, rehearsal, word } from "./AgentLab.ts"
import { checks, isBack } from "./ModelParts.ts"
import type { Answer, Asked } from "./ModelTalk.ts"
import { realCodex } from "./RealCodex.ts"

const program = inject("codex")
const begin = "Rehearse until the curtain falls."
const summary = `We rehearse, and the stage word is ${word}.`

/** Codex asks for a summary by a prompt of its own. */
const isSummary = ({ said }: Asked) => said.includes("next LLM seamlessly continue")
const part = (asked: Asked): Effect.Effect<Answer> =>
  Effect.succeed(
    isSummary(asked)
      ? { text: summary }
      : isBack(asked)
        ? checks(asked)
        : asked.known.includes(summary)
          ? { text: "Done." }
          : { shell: asked.toolResult === undefined ? "echo begun" : rehearsal }
  )

describe("codex#compaction", () => {
  it.live.skipIf(program === null)(
    "a Codex whose conversation is over the gate is compacted in place, and goes on in its own session",
    () =>
      Effect.gen(function* () {
        const config = "RECOVERY=export\nFORCE_COMPACT=1\n"
        const lab = yield* agentLab({ ...realCodex, config }, program!, part)
        const souffleur = yield* lab.run(begin)
        yield* lab.tool
        yield* told(souffleur, "WatchSettled")
        const { conductor, sessionId } = only(yield* lab.log, "ConductorConfirmed")
        process.kill((conductor as { readonly pid: number }).pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.deepStrictEqual(stepsOf(log, "StepSucceeded").slice(-4), [
          "mark",
          "compact#1",
          "prepare to resume",
          "resume"
        ])
        assert.deepInclude(outcomeOf(log, "compact#1"), { compacted: true, summarized: true })
        const relaunched = only(log, "ConductorRelaunched")
        assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["standard_compact", sessionId])
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.include((yield* lab.asked).find(isBack)?.known, summary)
        assert.strictEqual(yield* lab.read("proof"), "checked\n")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#permission-ceiling", () => {
  it.live.skipIf(program === null)("a tool in the turn of a compaction leaves the session what it may do", () =>
    Effect.gen(function* () {
      // Against its words: the next call is over the limit again, and compacts once more.
      const using = (asked: Asked): Effect.Effect<Answer> =>
        asked.known.includes(summary) && !isBack(asked) && !isSummary(asked)
          ? Effect.succeed({ shell: "echo looked" })
          : part(asked)
      const config = "RECOVERY=export\nFORCE_COMPACT=1\n"
      const lab = yield* agentLab({ ...realCodex, config }, program!, using)
      const souffleur = yield* lab.run(begin)
      yield* lab.tool
      yield* told(souffleur, "WatchSettled")
      const { conductor } = only(yield* lab.log, "ConductorConfirmed")
      process.kill((conductor as { readonly pid: number }).pid, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      assert.isNull(
        only(yield* lab.log, "LaunchPrepared", ({ launchId }) => String(launchId).includes("resume"))["heldTo"]
      )
      assert.strictEqual(yield* lab.read("proof"), "checked\n")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
