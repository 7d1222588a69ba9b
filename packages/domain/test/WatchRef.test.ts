import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Conflict, LogUnusable } from "@souffleur/eventlog"
import { Event, EventLog, load, makeWatchRef, dispatch, type WatchCommand } from "../src/index.ts"
import { owner } from "./Given.ts"

const open = (now: number): WatchCommand => ({
  _tag: "Open",
  project: "/p",
  comms: null,
  pid: 4711,
  sessionId: "s1",
  observe: false,
  now,
  by: { _tag: "Operator" }
})
const take = (over: number): WatchCommand => ({ _tag: "TakeOwnership", owner, over, now: 1, by: { _tag: "Operator" } })
const failed = (fence: number, message: string): WatchCommand => ({
  _tag: "FailValidation",
  check: "process",
  message,
  lastMessageId: 0,
  now: 2,
  by: { _tag: "Owner", fence }
})
const tags = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* EventLog).read(id, 0)).map(({ event }) => event._tag)
})

/** Makes a log in memory. Another writer gets ahead of its user `conflicts` times. */
const contended = (conflicts: number) =>
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const log = yield* EventLog
      const left = yield* Ref.make(conflicts)
      return EventLog.of({
        ...log,
        append: Effect.fnUntraced(function* (stream, expected, events) {
          const before = expected === 0 ? 0 : yield* Ref.getAndUpdate(left, (n) => n - 1)
          if (before <= 0) return yield* log.append(stream, expected, events)
          yield* log.append(stream, expected, [
            Event.WatcherStarted.make({ at: 1, watcher: expected, awaiting: false, mode: "normal" })
          ])
          return yield* new Conflict({ stream, expected })
        })
      })
    })
  ).pipe(Layer.provide(EventLog.layerMemory))

describe("behaviour#one-owner", () => {
  it.effect("a word is read, decided and appended, and returns the watch after it", () =>
    Effect.gen(function* () {
      const watch = yield* dispatch("w", open(7))
      assert.deepStrictEqual([watch.phase, watch.revision, watch.openedAt], ["Validating", 1, 7])
      assert.deepStrictEqual(yield* load("w"), watch)
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it.effect("a word is decided again as often as another process appended first", () =>
    Effect.gen(function* () {
      yield* dispatch("w", open(7))
      const released = yield* dispatch("w", { _tag: "Release", now: 8, by: { _tag: "Operator" } })
      assert.deepStrictEqual([released.revision, released.end], [7, "released"])
    }).pipe(Effect.provide(contended(5)))
  )

  it.effect("a word that was decided on an old state is decided again, not appended", () =>
    Effect.gen(function* () {
      const opened = yield* dispatch("w", open(1))
      yield* dispatch("w", take(0))
      // Both take over the fence that they saw; the second sees, on the way, that it is late.
      const late = yield* Effect.flip(dispatch("w", take(0), opened))
      assert.strictEqual(late._tag === "Refused" ? late.reason : late._tag, "owned")
      assert.deepStrictEqual(yield* tags("w"), ["WatchOpened", "OwnerTook"])
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it.effect("words of many speakers at once are all kept", () =>
    Effect.gen(function* () {
      yield* dispatch("w", open(1))
      yield* dispatch("w", take(0))
      const heard = yield* Effect.forEach(
        ["a", "b", "c", "d", "e"],
        (reason) => Effect.exit(dispatch("w", failed(1, reason))),
        {
          concurrency: "unbounded"
        }
      )
      // Three attempts end the validation; the other two are told so.
      assert.strictEqual(heard.filter(({ _tag }) => _tag === "Success").length, 3)
      assert.deepStrictEqual(yield* tags("w"), [
        "WatchOpened",
        "OwnerTook",
        "ValidationFailed",
        "ValidationFailed",
        "ValidationFailed",
        "ValidationExhausted"
      ])
    }).pipe(Effect.provide(EventLog.layerMemory))
  )
  it.effect("a word under an older fence is refused, and appends nothing", () =>
    Effect.gen(function* () {
      yield* dispatch("w", open(1))
      yield* dispatch("w", take(0))
      yield* dispatch("w", take(1))
      const refused = yield* Effect.flip(dispatch("w", failed(1, "x")))
      assert.strictEqual(refused._tag === "Refused" ? refused.reason : refused._tag, "fenced")
      assert.deepStrictEqual(yield* tags("w"), ["WatchOpened", "OwnerTook", "OwnerTook"])
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it.effect("a reference stamps each word with the Clock and its speaker, and folds each event once", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const readFrom = yield* Ref.make<ReadonlyArray<number>>([])
      const counted = EventLog.of({
        ...log,
        read: (stream, after) =>
          Effect.andThen(
            Ref.update(readFrom, (all) => [...all, after]),
            log.read(stream, after)
          )
      })
      yield* dispatch("w", open(1))
      yield* dispatch("w", take(0))
      const ref = yield* Effect.provideService(makeWatchRef("w", { _tag: "Owner", fence: 1 }), EventLog, counted)
      assert.strictEqual((yield* ref.state).revision, 2)
      yield* TestClock.setTime(5000)
      const watch = yield* ref.dispatch({ _tag: "FailValidation", check: "process", message: "gone", lastMessageId: 0 })
      assert.deepStrictEqual([watch.revision, watch.failures[0]?.at], [3, 5000])
      // The ref also sees an event that another process appended.
      yield* dispatch("w", take(1))
      assert.strictEqual((yield* ref.state).fence, 2)
      // An append proves by itself that the known state is the newest.
      assert.deepStrictEqual(yield* Ref.get(readFrom), [0, 3])
      const refused = yield* Effect.flip(ref.dispatch({ _tag: "Leave" }))
      assert.strictEqual(refused._tag === "Refused" ? refused.reason : refused._tag, "fenced")
    }).pipe(Effect.provide(EventLog.layerMemory))
  )
})

describe("behaviour#damaged-log", () => {
  it.effect(
    "a conflict without a new event is named and not retried for ever, and so is a log that became shorter",
    () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const opened = yield* dispatch("w", open(1))
        const nobody = EventLog.of({
          ...log,
          append: (stream, expected) => Effect.fail(new Conflict({ stream, expected }))
        })
        const released = dispatch("w", { _tag: "Release", now: 8, by: { _tag: "Operator" } }, opened)
        assert.deepInclude(yield* Effect.flip(Effect.provideService(released, EventLog, nobody)), {
          _tag: "LogUnusable",
          reason: "shortened"
        })
        const ahead = dispatch("w", take(0), { ...opened, revision: 5 })
        assert.deepInclude(yield* Effect.flip(ahead), { _tag: "LogUnusable", reason: "shortened" })
        assert.deepStrictEqual(yield* tags("w"), ["WatchOpened"])
      }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it.effect("a word is not tried again when the store itself fails", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const full = new LogUnusable({ reason: "full", problem: "database or disk is full" })
      const error = yield* Effect.flip(
        Effect.provideService(dispatch("w", open(1)), EventLog, { ...log, append: () => Effect.fail(full) })
      )
      assert.strictEqual(error, full)
    }).pipe(Effect.provide(EventLog.layerMemory))
  )
})
