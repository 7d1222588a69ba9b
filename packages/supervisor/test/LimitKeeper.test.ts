import { assert, describe, it } from "@effect/vitest"
import { Event, makeWatchRef } from "@souffleur/domain"
import { begun, settle, until } from "@souffleur/testing"
import { Effect } from "effect"
import { limitKeeper } from "../src/LimitKeeper.ts"
import { confirmed, living, opened, owned, started } from "./SupervisorWorld.ts"

type Limits = NonNullable<(typeof Event.WatchOpened.Type)["limits"]>

/** Keeps the limits of a job that began at `at`. */
const keeping = Effect.fnUntraced(function* (limits: Limits, at = begun) {
  const all = yield* living([Event.WatchOpened.make({ ...opened(null), at, limits }), owned, confirmed, started(1)])
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
  yield* Effect.forkChild(Effect.provideContext(limitKeeper(ref), all.context))
  yield* settle
  return { ...all, ref }
})
const none = { time: null, tokens: null, dollars: null, then: "stop" } as const

describe("behaviour#limits-of-a-job", () => {
  it.effect("the time of a job is over at the moment that it was given, counted from its beginning", () =>
    Effect.gen(function* () {
      const { events, tags } = yield* keeping({ ...none, time: 3_600_000 })
      yield* until(3599)
      assert.deepStrictEqual(yield* tags, [])
      yield* until(3600)
      assert.deepInclude((yield* events)[0], { _tag: "CeilingReached", at: begun + 3_600_000, ceiling: "time" })
      assert.deepInclude((yield* events)[1], { _tag: "RecoveryStarted", purpose: "stop", trigger: "ceiling" })
    })
  )
  it.effect("a souffleur that comes back later than that sees it at once", () =>
    Effect.gen(function* () {
      const { tags } = yield* keeping({ ...none, time: 3_600_000 }, begun - 3_600_001)
      assert.deepStrictEqual(yield* tags, ["CeilingReached", "RecoveryStarted"])
    })
  )
  it.effect("a renewal before it counts anew from then on", () =>
    Effect.gen(function* () {
      const { log, ref, tags } = yield* keeping({ ...none, time: 60_000 })
      yield* until(50)
      const renewed = Event.AllowanceRenewed.make({ at: begun + 50_000 })
      yield* log.append("w", (yield* ref.state).revision, [renewed])
      yield* until(109)
      assert.deepStrictEqual(yield* tags, ["AllowanceRenewed"])
      yield* until(110)
      assert.deepStrictEqual(yield* tags, ["AllowanceRenewed", "CeilingReached", "RecoveryStarted"])
    })
  )
  it.effect("what it has used is seen within seconds, with no look of the watcher", () =>
    Effect.gen(function* () {
      for (const [limit, use] of [
        ["tokens", { spent: 1000 }],
        ["dollars", { dollars: 2.5 }]
      ] as const) {
        const { tags, world } = yield* keeping({ ...none, tokens: 1000, dollars: 250 })
        yield* until(7)
        Object.assign(world.agent, use)
        yield* until(9)
        assert.deepStrictEqual(yield* tags, [], limit)
        yield* until(10)
        assert.deepStrictEqual(yield* tags, ["CeilingReached", "RecoveryStarted"], limit)
      }
    })
  )
  it.effect("at a limit that withholds the agent works on, and it is told once", () =>
    Effect.gen(function* () {
      const { tags } = yield* keeping({ ...none, time: 60_000, then: "withhold" })
      yield* until(600)
      assert.deepStrictEqual(yield* tags, ["CeilingReached"])
    })
  )
})
