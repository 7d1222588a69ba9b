import * as NodeServices from "@effect/platform-node/NodeServices"
import { EventLog } from "@souffleur/domain"
import { type LogUnusable, Cursor, type ReadError, positionOf, type UnreadableEvent } from "@souffleur/eventlog"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { copyFileSync, renameSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { numbered, numberOf } from "../../packages/domain/test/EventLogSuite.ts"
import { folder, logAt } from "./OwnLog.ts"

/** Makes a log of one stream with five events that were read, and a second client of its file. */
const cut = <A>(statement: string, then: (log: EventLog["Service"]) => Effect.Effect<A, unknown>) =>
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    return yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("w", 0, numbered(1, 5))
      assert.lengthOf(yield* log.read("w", 0), 5)
      const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(log.changes("w", 5))), {
        startImmediately: true
      })
      const other = new DatabaseSync(path, { timeout: 5000 })
      other.exec(statement)
      other.close()
      const result = yield* then(log)
      yield* Fiber.interrupt(following)
      return result
    }).pipe(Effect.provide(logAt(path, { pollEvery: "5 millis" })))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const failing = (effect: Effect.Effect<unknown, ReadError>) =>
  Effect.flip(effect) as Effect.Effect<LogUnusable | UnreadableEvent>

describe("behaviour#damaged-log", () => {
  it.live("a reader and a follower tell a log that was cut from an idle log", () =>
    cut("DELETE FROM events WHERE revision > 3", (log) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* failing(log.read("w", 5)), { _tag: "LogUnusable", reason: "shortened" })
        assert.deepInclude(yield* failing(Stream.runDrain(log.changes("w", 5))), {
          _tag: "LogUnusable",
          reason: "shortened"
        })
        assert.lengthOf(yield* log.read("w", 0), 3, "who begins anew goes on from what is there")
      })
    )
  )
  it.live("a follower learns of the cut itself, and does not wait for ever", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/souffleur.db`
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append("w", 0, numbered(1, 5))
        const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(log.changes("w", 5))), {
          startImmediately: true
        })
        const other = new DatabaseSync(path, { timeout: 5000 })
        other.exec("DELETE FROM events WHERE revision > 3")
        other.close()
        assert.deepInclude(yield* Fiber.join(following), { _tag: "LogUnusable", reason: "shortened" })
      }).pipe(Effect.provide(logAt(path, { pollEvery: "5 millis" })))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
  it.live("another log in its place is known by its event at the last read position", () =>
    cut("UPDATE events SET at = at + 1 WHERE revision = 5", (log) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* failing(log.read("w", 5)), { _tag: "LogUnusable", reason: "foreign" })
      })
    )
  )
  it.live("another file under its name, or none, fails each read, append, list of streams and follower", () =>
    Effect.gen(function* () {
      for (const another of [true, false]) {
        const at = yield* folder
        const path = `${at}/souffleur.db`
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("w", 0, numbered(1, 5))
          const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(log.changes("w", 5))), {
            startImmediately: true
          })
          if (another) {
            // A copy is another file: later writes to this one would never be read.
            for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${path}.new${end}`)
            renameSync(`${path}.new`, path)
          } else renameSync(path, `${path}.away`)
          const replaced = { _tag: "LogUnusable", reason: "replaced" } as const
          assert.deepInclude(yield* Fiber.join(following), replaced)
          assert.deepInclude(yield* failing(log.read("w", 0)), replaced)
          assert.deepInclude(yield* Effect.flip(log.append("w", 5, numbered(6, 1))), replaced)
          assert.deepInclude(yield* failing(log.streams), replaced)
        }).pipe(Effect.provide(logAt(path, { pollEvery: "5 millis" })))
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
  it.live("a missing event between two is named, and the events before it can be read", () =>
    cut("DELETE FROM events WHERE revision = 3", (log) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* failing(log.read("w", 0)), { _tag: "UnreadableEvent", stream: "w", revision: 3 })
        assert.deepInclude(yield* failing(Stream.runDrain(log.changes("w", 0))), {
          _tag: "UnreadableEvent",
          revision: 3
        })
        assert.deepStrictEqual((yield* log.read("w", 0, 2)).map(numberOf), [1, 2])
      })
    )
  )
  it.live("a number out of range spoils only its own event", () =>
    cut(
      "UPDATE events SET at = 9223372036854775807 WHERE revision = 5; UPDATE events SET version = 9223372036854775807 WHERE revision = 4",
      (log) =>
        Effect.gen(function* () {
          assert.lengthOf(yield* log.read("w", 0, 3), 3)
          assert.deepInclude(yield* failing(log.read("w", 0)), { _tag: "UnreadableEvent", revision: 4 })
          assert.strictEqual((yield* log.read("w", 4))[0]?.event.at, Date.UTC(9999, 11, 31, 23, 59, 59, 999))
        })
    )
  )
})

describe("behaviour#notices", () => {
  it.live("a cursor goes back with a log that was cut, in the file too, and forward from there", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/souffleur.db`
      const told = <A>(use: (cursor: Cursor["Service"]) => Effect.Effect<A>) =>
        Cursor.use(use).pipe(Effect.provide(logAt(path)))
      yield* told(({ advance }) => advance("w", 40))
      assert.strictEqual(yield* positionOf("w", Effect.succeed(7)).pipe(Effect.provide(logAt(path))), 7)
      assert.strictEqual(yield* told((cursor) => cursor.position("w")), 7)
      yield* told(({ rewind }) => rewind("w", 40, 3))
      assert.strictEqual(yield* told((cursor) => cursor.position("w")), 7, "another has told more meanwhile")
      yield* told(({ advance }) => advance("w", 8))
      assert.strictEqual(yield* positionOf("w", Effect.succeed(9)).pipe(Effect.provide(logAt(path))), 8)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
