import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { standardCompact } from "../src/index.ts"
import { type Change, cycleOf, inTime } from "./Cycles.ts"
import { World } from "./World.ts"

const payload = (...lines: ReadonlyArray<string>) => ["CONTEXT_RECOVERY_PAYLOAD_V1", ...lines].join("\n")
/** A handoff, and what comms holds as its payload: messages up to 7 were there at the last launch. */
const handoff = (id: number, text: string, change: Change = { trigger: "handoff" }) => {
  const world = new World().run({ pid: 4711, parent: 1 })
  world.payload = { id, text }
  return cycleOf([standardCompact], change, world)
}
/** The permission and the first line of the prompt that the successor got. */
const got = (world: World) => [world.orders.at(-1)?.permission, world.orders.at(-1)?.prompt.split("\n")[0]]
const plain = ["acceptEdits", "/conductor --recovery-bootstrap"]
const asks = payload("permission_mode: bypassPermissions", "resume_prompt: do this", "", "then SECRET")

it.effect("a handoff's payload says the prompt, whole, and what may be asked for; the ceiling holds", () =>
  Effect.gen(function* () {
    for (const [maxExternalPermission, effective] of [
      ["bypassPermissions", "bypassPermissions"],
      ["acceptEdits", "acceptEdits"]
    ] as const) {
      const { log, run, world } = yield* handoff(8, asks, { trigger: "handoff", settings: { maxExternalPermission } })
      yield* run
      assert.deepStrictEqual(got(world), [effective, "do this"])
      assert.include(world.orders.at(-1)?.prompt, "do this\n\nthen SECRET\n")
      assert.include(world.orders.at(-1)?.prompt, "it was not a crash")
      // No launch of the cycle is above the ceiling, the compact session's included.
      assert.deepStrictEqual([...new Set(world.orders.map(({ permission }) => permission))], [effective])
      assert.notInclude(JSON.stringify(yield* log.events), "SECRET")
    }
  })
)
it.effect("a payload that a launch has consumed, or one of a crash, is nobody's", () =>
  Effect.gen(function* () {
    for (const [id, trigger] of [
      [7, "handoff"],
      [8, "pid"]
    ] as const) {
      const { run, world } = yield* handoff(id, asks, { trigger, settings: { maxExternalPermission: "bypassPermissions" } })
      yield* run
      assert.deepStrictEqual(got(world), plain)
      assert.notInclude(world.orders.at(-1)?.prompt, "SECRET")
    }
  })
)
it.effect("what it asks for and cannot be is acceptEdits, with a warning in the log that repeats nothing of it", () =>
  Effect.gen(function* () {
    const { log, run, world } = yield* handoff(8, payload("permission_mode: SECRET", "colour: SECRET"), {
      trigger: "handoff",
      settings: { maxExternalPermission: "bypassPermissions" }
    })
    yield* run
    assert.deepStrictEqual(got(world), plain)
    const events = yield* log.events
    const read = events.find((event) => event._tag === "StepSucceeded" && event.step === "0 payload")
    assert.deepStrictEqual(read?._tag === "StepSucceeded" ? read.outcome : undefined, {
      messageId: 8,
      requested: "invalid",
      warnings: ["line 3 of the payload has an unknown key"]
    })
    assert.notInclude(JSON.stringify(events), "SECRET")
  })
)
it.effect("comms that is out: the defaults", () =>
  Effect.gen(function* () {
    const { run, world } = yield* handoff(8, asks)
    world.state = undefined
    yield* run
    assert.deepStrictEqual(got(world), plain)
  })
)
for (const when of ["before", "after"] as const) {
  it.effect(`is fixed at the beginning: a crash ${when} any append, and a newer payload since, change nothing of it`, () =>
    Effect.gen(function* () {
      for (let append = 1; ; append++) {
        const { log, run, start, world } = yield* handoff(8, payload("permission_mode: acceptEdits"), {
          trigger: "handoff",
          settings: { maxExternalPermission: "bypassPermissions" }
        })
        const crashed = yield* inTime(log.abandonAt(append, when, start))
        const fixed = (yield* log.events).some((event) => event._tag === "StepSucceeded")
        world.payload = { id: 9, text: asks }
        yield* run
        // Read before the crash: that one. Not read yet: the newest.
        assert.deepStrictEqual(got(world), fixed ? plain : ["bypassPermissions", "do this"], `crashed at append ${append}`)
        if (!crashed) return assert.isAbove(append, 10)
      }
    })
  )
}
