import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { encodeEvent, EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Context, Effect, Exit, Layer, Schedule, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseSync, StatementSync } from "node:sqlite"
import { vi } from "vitest"
import { numbered } from "../../packages/domain/test/EventLogSuite.ts"
import { folder, logAt } from "./OwnLog.ts"

it.effect("the beat of a neighbour makes no follower read, and its event makes each read", () =>
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    // Followers make no spans, so the statements themselves are counted.
    const ran = vi.spyOn(StatementSync.prototype, "all")
    yield* Effect.addFinalizer(() => Effect.sync(() => ran.mockRestore()))
    const reads = () =>
      (ran.mock.contexts as ReadonlyArray<StatementSync>).filter(({ sourceSQL }) =>
        /FROM events\s+WHERE/u.test(sourceSQL)
      ).length
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("watch", 0, numbered(1, 1))
      const seen: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(log.changes("watch", 0), ({ revision }) => Effect.sync(() => seen.push(revision)))
      )
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(seen, [1])
      const neighbour = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(path)),
        (database) => Effect.sync(() => database.close())
      )
      const beat = Effect.fnUntraced(function* (at: number) {
        neighbour.exec(`INSERT OR REPLACE INTO beats VALUES ('other', 'watcher/1', ${at})`)
        yield* TestClock.adjust("1 second")
      })
      // With the first look at the file, our own event is seen once more.
      yield* beat(0)
      const before = reads()
      assert.isAbove(before, 0)
      for (let at = 1; at <= 10; at++) yield* beat(at)
      assert.strictEqual(reads(), before)
      neighbour.exec(
        "INSERT INTO events (stream, revision, tag, version, at, data) SELECT stream, 2, tag, version, at, data FROM events"
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [1, 2])
      assert.isAbove(reads(), before)
    }).pipe(Effect.provide(logAt(path)))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.effect("nothing looks at a log without followers, and a follower hears of what comes", () =>
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    let looks = 0
    const counting = Effect.sync(() => void looks++)
    const counted = Layer.provide(
      EventLog.layerSql(),
      Layer.merge(SqliteClient.layerOwn({ path, ...Store }), Layer.succeed(Store.StillThere, counting))
    )
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* TestClock.adjust("1 minute")
      const before = looks
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(looks, before)
      const neighbour = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(path)),
        (database) => Effect.sync(() => database.close())
      )
      const seen: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(log.changes("watch", 0), ({ revision }) => Effect.sync(() => seen.push(revision)))
      )
      yield* TestClock.adjust("1 minute")
      assert.isAbove(looks, before + 10)
      const { at, data, tag, version } = encodeEvent(numbered(1, 1)[0]!)
      neighbour
        .prepare("INSERT INTO events (stream, revision, tag, version, at, data) VALUES ('watch', 1, ?, ?, ?, ?)")
        .run(tag, version, at, data)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seen, [1])
    }).pipe(Effect.provide(counted))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("an event is read once for all who follow its stream, and by nobody who follows another", () =>
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      let seen = 0
      const [streams, followers, events] = [40, 8, 16]
      const names = Array.from({ length: streams }, (_, n) => `watch-${n}`)
      for (const name of names) {
        yield* log.append(name, 0, numbered(1, 1))
        const follow = Stream.runForEach(log.changes(name, 1), () => Effect.sync(() => void seen++))
        yield* Effect.replicateEffect(Effect.forkScoped(follow), followers)
      }
      yield* Effect.sleep("50 millis")
      const ran = vi.spyOn(StatementSync.prototype, "all")
      yield* Effect.addFinalizer(() => Effect.sync(() => ran.mockRestore()))
      const moved = names.slice(0, 10)
      for (let at = 1; at <= events; at++)
        for (const name of moved) {
          yield* log.append(name, at, numbered(1, 1))
          yield* Effect.yieldNow
        }
      yield* Effect.repeat(
        Effect.sync(() => seen),
        { until: (all) => all === moved.length * followers * events, schedule: Schedule.spaced("5 millis") }
      )
      // An insert and a read for each event, and the looks for the commits of others.
      assert.isAtMost(ran.mock.calls.length, 2 * moved.length * events + 20)
    }).pipe(Effect.provide(logAt(path, { pollEvery: "1 minute" })))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("two logs over one connection miss no commit of each other, also when the first is closed", () =>
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    yield* Effect.gen(function* () {
      const first = yield* Scope.make()
      const [one] = [yield* Layer.buildWithScope(EventLog.layerSql(), first)]
      const two = yield* Layer.build(Layer.fresh(EventLog.layerSql({ pollEvery: "5 millis" })))
      const seen: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(Context.get(two, EventLog).changes("watch", 0), ({ revision }) =>
          Effect.sync(() => seen.push(revision))
        )
      )
      const until = (revision: number) =>
        Effect.repeat(
          Effect.sync(() => seen.at(-1)),
          { until: (last) => last === revision, schedule: Schedule.spaced("5 millis") }
        ).pipe(Effect.timeout("5 seconds"))
      yield* Context.get(one, EventLog).append("watch", 0, numbered(1, 1))
      yield* until(1)
      yield* Scope.close(first, Exit.void)
      yield* Effect.gen(function* () {
        const other = yield* EventLog
        yield* other.append("watch", 1, numbered(2, 1))
      }).pipe(Effect.provide(logAt(path)))
      yield* until(2)
    }).pipe(Effect.provide(SqliteClient.layerOwn({ ...Store, path })))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
