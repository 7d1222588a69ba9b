import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Ref } from "effect"
import { inject } from "vitest"
import type { LabOptions, Part } from "./Lab.ts"
import type { Answer } from "./ModelEndpoint.ts"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, only, services, staged, waiting } from "./Watched.ts"

const claude = inject("claude")

/**
 * Lets the agent's model be silent once, in the middle of its session. Then the model speaks late, or the agent asks
 * again by itself. Souffleur looks at the agent each half second and never touches it. Returns how long the model was
 * silent, in ms.
 */
const stalled = Effect.fn("Stall.stalled")(function* (
  stageOf: typeof headless | typeof tmux,
  silence: (late: Effect.Effect<Answer>, over: Effect.Effect<unknown>) => Effect.Effect<Answer>,
  options: LabOptions
) {
  const since = yield* Ref.make<number | undefined>(undefined)
  const over = yield* Deferred.make<number>()
  const part: Part = ({ toolResult }, commsDb) =>
    Effect.gen(function* () {
      if (toolResult === undefined) return bash(waiting)
      const now = yield* Clock.currentTimeMillis
      const before = yield* Ref.getAndUpdate(since, (at) => at ?? now)
      const speaks = Effect.gen(function* () {
        if (options.solo !== true) yield* commsDb.complete
        yield* Deferred.succeed(over, (yield* Clock.currentTimeMillis) - (before ?? now))
        return { text: "All is complete." }
      })
      if (before !== undefined) return yield* speaks
      if (options.solo !== true) yield* commsDb.beat
      return yield* silence(speaks, Deferred.await(over))
    })
  const { lab, souffleur } = yield* staged(claude!, stageOf, part, "", options)
  yield* lab.write("go", "")
  const silent = yield* Deferred.await(over)
  if (stageOf === tmux && options.solo === true) yield* lab.said("done")
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  only(log, "ConductorCompleted")
  assert.isUndefined(log.find(({ _tag }) => ["ConductorDied", "RecoveryStarted", "WaitStarted"].includes(_tag)))
  assert.lengthOf([...(yield* lab.agents).all], 1)
  return silent
})

/** The endpoint closes when each of its requests is over. */
const never = (_: unknown, over: Effect.Effect<unknown>) => Effect.as(over, {})

describe.concurrent("an agent whose model is silent for minutes is not killed", () => {
  it.live.skipIf(claude === null)("for 200 s, less than a heartbeat may be old", () =>
    Effect.gen(function* () {
      const late = { settings: { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "240 seconds" } }
      assert.isAtLeast(yield* stalled(headless, (speaks) => Effect.delay(speaks, "200 seconds"), late), 200_000)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("until the agent gives its call up, in print mode", () =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* stalled(headless, never, { solo: true }), 350_000)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null || tmuxMissing)("the same in a window of tmux", () =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* stalled(tmux, never, { solo: true }), 350_000)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("in the middle of an answer", () =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* stalled(headless, () => Effect.succeed({ stalls: true }), { solo: true }), 290_000)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
