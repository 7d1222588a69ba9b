import { assert, describe, it } from "@effect/vitest"
import { Event, exportLimits, type WatchEvent } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import type { Gate } from "@souffleur/recovery"
import { Context, Effect, Layer } from "effect"
import { allPublished, commsPublisher, publicationOf } from "../src/index.ts"
import { begun, settle, until } from "@souffleur/testing"
import { died, living, opened, owned, relaunched, started, watching, worldOf } from "./SupervisorWorld.ts"

const at = begun
const failed = (attempt: number) =>
  Event.ValidationFailed.make({ at, attempt, check: "session-file", message: "no session file", lastMessageId: 0 })
const death = died(2)
const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" })
const gate = (change: Partial<Gate>, step = "4 estimate") =>
  Event.StepSucceeded.make({
    at,
    cycle: 1,
    step,
    outcome: {
      estimated_tokens: 99,
      estimated_tokens_full: 99,
      chars_scoped: 297,
      chars_full: 297,
      start_mode: "full_file",
      start_offset: 0,
      marker_found: false,
      marker_count: 0,
      warnings: [],
      measured_tokens: null,
      ...exportLimits({ trimChars: null, forceCompactThresholdTokens: 10 }, undefined),
      ...change
    }
  })
const completed = Event.ConductorCompleted.make({ at, by: "watcher" })

/** Runs a publisher; its cursor survives it, as on disk. */
const heralding = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, world = worldOf()) {
  const all = yield* living(history, world)
  const cursor = Context.get(yield* Layer.build(Cursor.layerMemory), Cursor)
  const run = commsPublisher("w").pipe(Effect.provideContext(all.context), Effect.provideService(Cursor, cursor))
  const start = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    yield* settle
    return fiber
  })
  return { ...all, cursor, start }
})

describe("behaviour#state-in-comms", () => {
  describe("the publication of an event", () => {
    const tellings: ReadonlyArray<
      readonly [event: WatchEvent, row: string | undefined, kind: string | undefined, words: ReadonlyArray<string>]
    > = [
      [failed(2), "error", "error", ["2 of 3", "session-file", "no session file", "PID:<pid> SESSION_ID:<id>"]],
      [
        Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "pid", stage: "ceiling", message: "used up" }),
        "error",
        undefined,
        []
      ],
      [
        Event.ValidationExhausted.make({ at, messages: ["one", "two", "three"] }),
        "exited",
        "error",
        ["1: one", "2: two", "3: three"]
      ],
      [watching[2]!, "confirmed", undefined, []],
      [relaunched, "confirmed", "system", ["launched a successor", "S2", "5000", "claude_export"]],
      [death, undefined, "warning", ["dead: its process is gone", "death 2 of 3"]],
      [
        gate({ estimated_tokens: 11 }),
        undefined,
        "system",
        ["11 tokens", "the whole file", "threshold is 10", "discarded"]
      ],
      [gate({ estimated_tokens: 10 }), undefined, undefined, []],
      [
        gate({ estimated_tokens: 9, warnings: ["every marker is quoted"] }),
        undefined,
        "system",
        ["9 tokens", "handed on", "every marker is quoted"]
      ],
      [gate({}, "2 export"), undefined, undefined, []],
      [
        Event.RecoveryEscalated.make({
          at,
          cycle: 1,
          from: "a",
          to: "b",
          stage: "gate",
          message: "too large",
          alreadyKilled: true
        }),
        undefined,
        "warning",
        ["a hands on to b at gate", "too large", "stopped already"]
      ],
      [closed, "error", "error", ["gate", "too large", "Nothing was launched"]],
      [
        Event.RetriesExhausted.make({ at, cycle: 1, trigger: "pid", exportPath: "/e.md" }),
        "error",
        "error",
        ["Three ends", "/e.md"]
      ],
      [completed, "complete", "completion", ["completed"]],
      [Event.WatchReleased.make({ at, exportPath: null }), "exited", "system", ["released", "no export"]],
      [
        Event.LaunchPrepared.make({
          at,
          cycle: 1,
          launchId: "l1",
          digest: "d",
          sessionId: "s2",
          requested: "bypassPermissions",
          effective: "acceptEdits"
        }),
        undefined,
        "warning",
        ["l1", "bypassPermissions was asked for", "acceptEdits is the ceiling"]
      ],
      [
        Event.ConductorUnclaimed.make({ at, message: "/claims: it is full" }),
        undefined,
        "warning",
        ["it is full", "another state folder"]
      ],
      [Event.ConductorClaimed.make({ at }), undefined, "system", ["is claimed"]],
      [opened(), undefined, undefined, []],
      [started(1), undefined, undefined, []]
    ]
    for (const [event, row, kind, words] of tellings) {
      it(`the publication of ${event._tag}`, () => {
        const telling = publicationOf(event)
        assert.deepStrictEqual([telling.row?.state, telling.message?.kind], [row, kind])
        for (const word of words) assert.include(telling.message?.text, word)
      })
    }
  })

  it.effect("a message does not wait for a missing row, and the row is told once it is there", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.comms.souffleur = undefined
      const { cursor, start } = yield* heralding([...watching, death, closed], world)
      yield* start
      assert.deepStrictEqual([world.comms.taken, yield* cursor.position("w")], [["w#7", "w#8"], 8])
      world.comms.souffleur = "watching"
      yield* until(31)
      assert.deepStrictEqual(world.comms.taken.slice(2), ["error"])
      assert.strictEqual(world.comms.lastError, "gate: too large")
      yield* until(3600)
      assert.deepStrictEqual(world.comms.taken.slice(3), [])
    })
  )
})

describe("behaviour#validation", () => {
  it("the publisher asks for no reply after the last failed validation", () => {
    assert.include(publicationOf(failed(2)).message?.text, "Reply with")
    assert.notInclude(publicationOf(failed(3)).message?.text, "Reply with")
  })
})

describe("behaviour#outbox", () => {
  it.effect("the publisher follows the log's order, puts the revision into each key, and ends with the watch", () =>
    Effect.gen(function* () {
      const { log, cursor, start, world } = yield* heralding(watching)
      const fiber = yield* start
      assert.deepStrictEqual(world.comms.taken, ["confirmed"])
      yield* log.append("w", 6, [death, closed, started(2)])
      yield* settle
      assert.deepStrictEqual(world.comms.taken, ["confirmed", "w#7", "error", "w#8"])
      assert.strictEqual(world.comms.lastError, "gate: too large")
      assert.isUndefined(fiber.pollUnsafe())
      yield* log.append("w", 9, [completed])
      yield* settle
      assert.deepStrictEqual(world.comms.taken.slice(4), ["complete", "w#10"])
      assert.isDefined(fiber.pollUnsafe())
      assert.strictEqual(yield* cursor.position("w"), 10)
      assert.isTrue(yield* Effect.provideService(allPublished("w", 10), Cursor, cursor))
      assert.isFalse(yield* Effect.provideService(allPublished("w", 11), Cursor, cursor))
    })
  )
  it.effect("the publisher loses nothing while comms is out, and publishes it in order afterwards", () =>
    Effect.gen(function* () {
      const world = worldOf({ out: "locked" as const })
      const { cursor, start } = yield* heralding([...watching, death, closed], world)
      yield* start
      yield* until(3600)
      assert.deepStrictEqual([world.comms.taken, yield* cursor.position("w")], [[], 2])
      world.comms.out = undefined as never
      yield* until(3631)
      assert.deepStrictEqual(world.comms.taken, ["confirmed", "w#7", "error", "w#8"])
    })
  )
  it.effect("the publisher repeats a message until comms takes it", () =>
    Effect.gen(function* () {
      const { log, cursor, start, world } = yield* heralding(watching)
      yield* start
      world.comms.out = "locked"
      yield* log.append("w", 6, [death])
      yield* until(60)
      assert.strictEqual(yield* cursor.position("w"), 6)
      world.comms.out = undefined
      yield* until(120)
      assert.deepStrictEqual([world.comms.taken, yield* cursor.position("w")], [["confirmed", "w#7"], 7])
    })
  )
  it.effect("the publisher of a restarted souffleur publishes nothing twice", () =>
    Effect.gen(function* () {
      const { log, cursor, start, world } = yield* heralding([...watching, death])
      const first = yield* start
      yield* Effect.sync(() => first.interruptUnsafe())
      yield* settle
      yield* log.append("w", 7, [closed])
      yield* start
      assert.deepStrictEqual(world.comms.taken, ["confirmed", "w#7", "error", "w#8"])
      assert.strictEqual(yield* cursor.position("w"), 8)
    })
  )
  it.effect("the publisher goes on with new events, and reports it, when the log is shorter than its cursor", () =>
    Effect.gen(function* () {
      const { log, cursor, start, world } = yield* heralding([...watching, death])
      yield* cursor.advance("w", 40)
      yield* start
      assert.strictEqual(yield* cursor.position("w"), 7)
      yield* log.append("w", 7, [closed])
      yield* settle
      assert.deepStrictEqual([world.comms.taken, yield* cursor.position("w")], [["error", "w#8"], 8])
    })
  )
  it.effect("a publisher that vanished before it could move its cursor writes no message twice", () =>
    Effect.gen(function* () {
      const { cursor, start, world } = yield* heralding([...watching, death])
      world.comms.messages.push({ key: "w#7", kind: "warning", text: "told before", at })
      yield* start
      const [message, ...others] = world.comms.messages
      assert.deepStrictEqual([message?.text, others], ["told before", []])
      assert.strictEqual(yield* cursor.position("w"), 7)
    })
  )
  it.effect("the publisher publishes the end of a validation, and ends", () =>
    Effect.gen(function* () {
      const exhausted = Event.ValidationExhausted.make({ at, messages: ["a", "b", "c"] })
      const { start, world } = yield* heralding([opened(), owned, failed(1), failed(2), failed(3), exhausted])
      const fiber = yield* start
      assert.deepStrictEqual(world.comms.taken, ["error", "w#3", "error", "w#4", "error", "w#5", "exited", "w#6"])
      assert.isDefined(fiber.pollUnsafe())
    })
  )
})

describe("behaviour#plain-words", () => {
  it.effect("the publisher writes no terminal control characters", () =>
    Effect.gen(function* () {
      const evil = Event.RecoveryFailedClosed.make({
        at,
        cycle: 1,
        stage: "gate",
        message: "\u001B[2J\u009B\u202E\ntoo large"
      })
      const { start, world } = yield* heralding([...watching, death, evil])
      yield* start
      const shown = "\\u001b[2J\\u009b\\u202e\\u000atoo large"
      assert.include(world.comms.messages.at(-1)?.text, shown)
      assert.strictEqual(world.comms.lastError, `gate: ${shown}`)
    })
  )
})
