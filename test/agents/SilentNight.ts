import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { alive } from "../claude/AgentProcesses.ts"
import { only, services } from "../claude/Watched.ts"
import { agentLab, type RealAgent, sessionIn, word } from "./AgentLab.ts"
import { checks, isBack } from "./ModelParts.ts"
import type { Answer, Asked } from "./ModelTalk.ts"

/** The night of a real agent whose model falls silent. */
export const silentNight = (agent: RealAgent, found: string | null): void => {
  const program = found ?? ""
  const begin = `The stage word is ${word}. Rehearse.`
  const silent = it.live.skipIf(found === null)
  const { stillInCalls } = agent
  if (stillInCalls === undefined)
    silent("an agent that uses the processor while its model is silent for three stalls and more is left alone", () =>
      Effect.gen(function* () {
        const lab = yield* agentLab(agent, program, ({ toolResult }) =>
          toolResult === undefined
            ? Effect.succeed({ shell: "echo begun" })
            : Effect.delay(Effect.succeed({ text: "All is complete." }), "55 seconds")
        )
        const souffleur = yield* lab.run(begin)
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.notInclude(
          log.map(({ _tag }) => _tag),
          "ConductorDied"
        )
      }).pipe(Effect.scoped, Effect.provide(services))
    )
  else
    silent(
      "an agent whose model never answers again is hung once three stalls are over, and goes on in its own session",
      () =>
        Effect.gen(function* () {
          const over = yield* Deferred.make<void>()
          const part = (asked: Asked): Effect.Effect<Answer> =>
            isBack(asked)
              ? Effect.succeed(checks(asked))
              : asked.toolResult === undefined
                ? Effect.succeed({ shell: "echo begun" })
                : Effect.as(Deferred.await(over), { text: "Too late." })
          const lab = yield* agentLab(agent, program, part, [], { SOUFFLEUR_STALL_AFTER: stillInCalls })
          // The model ends after its answers.
          yield* Effect.addFinalizer(() => Deferred.succeed(over, undefined))
          const souffleur = yield* lab.run(begin)
          assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
          const log = yield* lab.log
          const confirmed = only(log, "ConductorConfirmed")
          assert.isFalse(yield* alive((confirmed["conductor"] as { readonly pid: number }).pid))
          assert.strictEqual(only(log, "ConductorDied")["reason"], "hang")
          const relaunched = only(log, "ConductorRelaunched")
          assert.deepStrictEqual(
            [relaunched["provider"], relaunched["sessionId"]],
            ["resume", sessionIn(log, confirmed)]
          )
          assert.include((yield* lab.asked).find(isBack)?.known, word)
        }).pipe(Effect.scoped, Effect.provide(services))
    )
}
