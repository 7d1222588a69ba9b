import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Ref } from "effect"
import { inject } from "vitest"
import type { Part } from "./Lab.ts"
import { limited } from "./ModelEndpoint.ts"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, checks, first, only, services, staged, told, waiting } from "./Watched.ts"

const claude = inject("claude")
const goesOn = (said: ReadonlyArray<string>) => said.some((text) => text.includes("ended by a usage limit"))

/** A subscriber's limit that ends some seconds after it was met, and the same session after it. */
const waitedOut = Effect.fn("Limit.waitedOut")(function* (stageOf: typeof headless | typeof tmux, solo: boolean) {
  const met = yield* Ref.make<ReadonlyArray<number>>([])
  const part: Part = (asked) =>
    Effect.gen(function* () {
      const { said, toolResult } = asked
      if (goesOn(said) || toolResult?.includes("checked") === true) return checks(asked)
      if (toolResult === undefined) return bash(waiting)
      const resetsAt = Math.ceil((yield* Clock.currentTimeMillis) / 1000) + 5
      yield* Ref.update(met, (before) => [...before, resetsAt * 1000])
      return limited(resetsAt)
    })
  const { lab, souffleur } = yield* staged(claude!, stageOf, part, "", { account: "subscriber", solo })
  yield* lab.write("go", "")
  yield* told(souffleur, "HandoffTaken")
  if (!solo) yield* lab.commsDb.complete
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)

  const log = yield* lab.log
  const [resetsAt = 0, ...more] = yield* Ref.get(met)
  assert.deepStrictEqual(more, [])
  const wait = only(log, "WaitStarted")
  // A busy machine may hear of it after its end.
  const until = Math.max(resetsAt, Date.parse(String(wait["at"])))
  assert.deepStrictEqual([wait["kind"], wait["resetsAt"], wait["until"]], ["usage-limit", resetsAt, until])
  assert.strictEqual(only(log, "WaitEnded")["how"], "over")
  assert.isAtLeast(Date.parse(String(only(log, "LaunchPrepared")["at"])), resetsAt)
  assert.strictEqual(only(log, "RecoveryStarted")["trigger"], "limit")
  const relaunched = only(log, "ConductorRelaunched")
  assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["continue_turn", first])
  only(log, "HandoffTaken")
  assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
  const [watch] = JSON.parse(yield* lab.said("status", "--json"))
  assert.strictEqual(watch.retries, 0)
  assert.lengthOf(
    (yield* lab.asked).filter(({ said, turn }) => turn && goesOn(said)),
    1
  )
  assert.isTrue((yield* lab.asked).filter(({ turn }) => turn).every(({ sessionId }) => sessionId === first))
  assert.deepStrictEqual(
    (yield* lab.notices).map(({ kind }) => kind),
    ["usage_limit", "cleared", "recovered", solo ? "unconfirmed" : "completed"]
  )
  const { all, most } = yield* lab.agents
  assert.deepStrictEqual([most, all.size], [1, 2])
})

describe("behaviour#limits-and-waits", () => {
  it.live.skipIf(claude === null)("a usage limit is waited for until it ends, and the session resumed once", () =>
    waitedOut(headless, true).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null || tmuxMissing)(
    "a usage limit in a window of tmux leaves the agent alive (skipped where tmux is missing)",
    () => waitedOut(tmux, false).pipe(Effect.scoped, Effect.provide(services))
  )
})
