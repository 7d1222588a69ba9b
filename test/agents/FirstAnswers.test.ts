import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { inject } from "vitest"
import { until } from "../claude/Lab.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab, word } from "./AgentLab.ts"
import { checks, isBack } from "./ModelParts.ts"
import { realCodex } from "./RealCodex.ts"
import { realCopilot } from "./RealCopilot.ts"
import { realGemini } from "./RealGemini.ts"
import { realOpenCode } from "./RealOpenCode.ts"
import { realPi } from "./RealPi.ts"
import { realQwen } from "./RealQwen.ts"

/** Runs an agent whose model does not answer before `over`, and kills it there. */
const killedEarly = Effect.fn("killedEarly")(function* (name: keyof typeof agents, program: string) {
  const over = yield* Deferred.make<void>()
  const lab = yield* agentLab(agents[name], program, (asked) =>
    isBack(asked) ? Effect.succeed(checks(asked)) : Effect.as(Deferred.await(over), { text: "Too late." })
  )
  yield* Effect.addFinalizer(() => Deferred.succeed(over, undefined))
  const souffleur = yield* lab.run(`The stage word is ${word}. Rehearse.`)
  yield* until(
    "a request",
    Effect.map(lab.asked, (asked) => asked.length > 0)
  )
  yield* told(souffleur, "WatchSettled")
  const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
  process.kill(pid, "SIGKILL")
  return { lab, souffleur }
})

const agents = {
  codex: realCodex,
  copilot: realCopilot,
  gemini: realGemini,
  opencode: realOpenCode,
  pi: realPi,
  qwen: realQwen
}

describe("behaviour#begin_again", () => {
  for (const name of ["codex", "copilot", "gemini", "opencode", "pi", "qwen"] as const)
    it.live.skipIf(inject(name) === null)(
      `${name} that is killed before its first answer goes on, and knows what it was told`,
      () =>
        Effect.gen(function* () {
          const { lab, souffleur } = yield* killedEarly(name, inject(name)!)
          assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
          only(yield* lab.log, "ConductorRelaunched")
          assert.include((yield* lab.asked).find(isBack)?.known, word)
        }).pipe(Effect.scoped, Effect.provide(services))
    )
  it.live.skipIf(inject("pi") === null)("an agent that dies three times before its first answer is given up", () =>
    Effect.gen(function* () {
      const over = yield* Deferred.make<void>()
      const lab = yield* agentLab(realPi, inject("pi")!, () => Effect.as(Deferred.await(over), { text: "Too late." }))
      // The model ends after its answers.
      yield* Effect.addFinalizer(() => Deferred.succeed(over, undefined))
      const souffleur = yield* lab.run(`The stage word is ${word}. Rehearse.`)
      for (const [asked, tag] of ["ConductorConfirmed", "ConductorRelaunched", "ConductorRelaunched"].entries()) {
        yield* until(
          "a request",
          Effect.map(lab.asked, (all) => all.length > asked)
        )
        yield* until(
          "its process",
          Effect.map(lab.log, (log) => log.filter(({ _tag }) => _tag === tag).length >= Math.max(1, asked))
        )
        const { conductor } = (yield* lab.log).findLast(({ _tag }) => _tag === tag)!
        process.kill((conductor as { readonly pid: number }).pid, "SIGKILL")
      }
      assert.strictEqual(yield* souffleur.exitCode, 1, yield* souffleur.said)
      only(yield* lab.log, "RetriesExhausted")
      assert.lengthOf(yield* lab.asked, 3)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
