import { assert, describe, it } from "@effect/vitest"
import { FakeWorld } from "@souffleur/testing"
import { Beats } from "@souffleur/eventlog"
import { Clock, Effect, Layer, PlatformError } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { TestClock } from "effect/testing"
import { jumpingClock } from "../../domain/test/JumpingClock.ts"
import { feed } from "../src/service/Watchdog.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { surroundingsIn } from "./Surroundings.ts"

const missing = PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" })
const environment = surroundingsIn("/p", { NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "180000000" })

/** Feeds the watchdog each minute on a clock that a test moves apart from the timers. Counts the feeds. */
const feeding = Effect.gen(function* () {
  let fed = 0
  const spawner = ChildProcessSpawner.make(() => Effect.suspend(() => (fed++, Effect.fail(missing))))
  const wall = { ahead: 0 }
  yield* feed("w").pipe(
    Effect.provideService(Clock.Clock, yield* jumpingClock(() => wall.ahead)),
    Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
    Effect.provideService(Environment, environment),
    Effect.forkChild
  )
  yield* TestClock.adjust(0)
  return { fed: () => fed, wall }
})

const layer = Layer.mergeAll(new FakeWorld().layer, Beats.layerMemory)

describe("behaviour#service", () => {
  it.effect("systemd is told to wait until no role has beaten for as long as the self-monitor allows", () =>
    Effect.gen(function* () {
      const { fed } = yield* feeding
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual(fed(), 7)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(fed(), 7)
    }).pipe(Effect.provide(layer))
  )
  it.effect("systemd is told to wait after a sleep of the machine, in which nothing could beat", () =>
    Effect.gen(function* () {
      const { fed, wall } = yield* feeding
      yield* TestClock.adjust("1 minute")
      wall.ahead = 8 * 3_600_000
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(fed(), 3)
    }).pipe(Effect.provide(layer))
  )
})
