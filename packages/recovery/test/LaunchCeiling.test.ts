import { assert, describe, it } from "@effect/vitest"
import { CycleSettings, leastPin, payloadHeader, type Permission, type SessionMode, Settings } from "@souffleur/domain"
import { Effect } from "effect"
import { exportProvider, standardCompact } from "../src/index.ts"
import { type Change, closedAt, cycleOf } from "./Cycles.ts"
import { type FakeWorld } from "@souffleur/testing"
import { worldOf } from "./RecoveryWorld.ts"

const asks = `${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: go on`

/**
 * A hand-off whose payload asks for bypassPermissions, in a watch that was opened under a ceiling. Its config file is
 * read again.
 */
const handedOver = Effect.fnUntraced(function* (
  opened: Permission,
  file: { says: Permission },
  change: Partial<typeof standardCompact> = {}
) {
  const world = worldOf({ pid: 4711, parent: 1 })
  world.comms.payload = { id: 8, text: asks }
  const cycle = yield* cycleOf([{ ...standardCompact, ...change }], { trigger: "handoff", ceiling: opened }, world)
  const found = Effect.map(Settings, (settings) => ({ ...settings, maxExternalPermission: file.says }))
  return { ...cycle, run: Effect.provideService(cycle.run, CycleSettings, found) }
})
const permissions = (world: FakeWorld) => [...new Set(world.agent.orders.map(({ permission }) => permission))]

describe("behaviour#permission-ceiling", () => {
  const grants = Effect.fnUntraced(function* (mode: SessionMode | undefined, change: Change, payload?: string) {
    const world = worldOf({ pid: 4711, parent: 1 })
    if (mode !== undefined) world.agent.modes.set("s1", mode)
    if (payload !== undefined) world.comms.payload = { id: 8, text: payload }
    const { log, run } = yield* cycleOf(
      [exportProvider],
      { ...change, settings: { maxExternalPermission: "bypassPermissions" } },
      world
    )
    yield* run
    const prepared = (yield* log.events).findLast(({ _tag }) => _tag === "LaunchPrepared")
    const order = world.agent.orders.at(-1)
    return [order?.permission, order?.heldTo, prepared?._tag === "LaunchPrepared" ? prepared.heldTo : undefined]
  })

  it.effect("a successor gets no more than the newest mode of its session, and a plan stays unapproved", () =>
    Effect.gen(function* () {
      const watched = { comms: null }
      const started = { comms: null, launched: "bypassPermissions" } as const
      assert.deepStrictEqual(yield* grants("plan", watched), ["acceptEdits", "plan", "plan"])
      assert.deepStrictEqual(yield* grants("asks", watched), ["acceptEdits", "asks", "asks"])
      assert.deepStrictEqual(yield* grants("plan", started), ["acceptEdits", "plan", "plan"])
      assert.deepStrictEqual(yield* grants("acceptEdits", started), ["acceptEdits", undefined, "acceptEdits"])
      assert.deepStrictEqual(yield* grants("bypassPermissions", started), ["bypassPermissions", undefined, null])
      assert.deepStrictEqual(yield* grants("bypassPermissions", watched), ["acceptEdits", undefined, null])
      assert.deepStrictEqual(yield* grants(undefined, watched), ["acceptEdits", undefined, null])
    })
  )

  it.effect("what the agent itself asks for outranks the mode of its session, up to the ceiling", () =>
    Effect.gen(function* () {
      const handoff = { trigger: "handoff" } as const
      assert.deepStrictEqual(yield* grants("plan", handoff, asks), ["bypassPermissions", undefined, null])
      const silent = `${payloadHeader}\nresume_prompt: go on`
      assert.deepStrictEqual(yield* grants("plan", handoff, silent), ["acceptEdits", "plan", "plan"])
    })
  )
})

describe("behaviour#trust", () => {
  it.effect("a file that was raised after the watch was opened raises no launch, and is reported once", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* handedOver("acceptEdits", { says: "bypassPermissions" })
      yield* run
      assert.lengthOf(world.agent.orders, 2)
      assert.deepStrictEqual(permissions(world), ["acceptEdits"])
      const events = yield* log.events
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "LaunchPrepared"),
        { requested: "bypassPermissions", effective: "acceptEdits" }
      )
      const told = events.filter((event) => event._tag === "ConfigOverreached")
      assert.deepStrictEqual(
        told.map(({ keys }) => keys),
        [["MAX_EXTERNAL_PERMISSION"]]
      )
    })
  )

  it.effect("a raised file is reported without any request for more, and without a launch", () =>
    Effect.gen(function* () {
      const file = { says: "bypassPermissions" } as const
      const { log, run, world } = yield* handedOver("acceptEdits", file)
      world.comms.payload = undefined
      yield* run
      const events = yield* log.events
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "LaunchPrepared"),
        { requested: "acceptEdits", effective: "acceptEdits" }
      )
      assert.include(
        events.map(({ _tag }) => _tag),
        "ConfigOverreached"
      )
      const closed = yield* handedOver("acceptEdits", file, { applies: () => false })
      yield* closed.run
      assert.deepStrictEqual(closedAt(yield* closed.last), ["providers", "no provider applies"])
      assert.include(
        (yield* closed.log.events).map(({ _tag }) => _tag),
        "ConfigOverreached"
      )
    })
  )

  it.effect("a ceiling that the file lowers during a cycle holds for the next launch, without a person's word", () =>
    Effect.gen(function* () {
      const file = { says: "bypassPermissions" as Permission }
      const { log, run, world } = yield* handedOver("bypassPermissions", file, {
        recover: (...given) => ((file.says = "acceptEdits"), standardCompact.recover(...given))
      })
      yield* run
      assert.deepStrictEqual(permissions(world), ["acceptEdits"])
      assert.notInclude(
        (yield* log.events).map(({ _tag }) => _tag),
        "ConfigOverreached"
      )
    })
  )

  it.effect("a person's word holds for the next launch", () =>
    Effect.gen(function* () {
      const file = { says: "acceptEdits" as Permission }
      const { log, run, world } = yield* handedOver("acceptEdits", file, {
        recover: (...given) => ((file.says = "bypassPermissions"), standardCompact.recover(...given))
      })
      const ref = yield* log.ref()
      yield* log.operator.dispatch({ _tag: "Trust", pin: { ...leastPin, ceiling: "bypassPermissions" } })
      yield* run
      assert.deepStrictEqual(permissions(world), ["bypassPermissions"])
      assert.strictEqual((yield* ref.state).pin.ceiling, "bypassPermissions")
    })
  )
})
