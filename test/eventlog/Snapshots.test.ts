import { assert, describe, it } from "@effect/vitest"
import {
  decodeEvent,
  encodeEvent,
  Event,
  EventLog,
  evolve,
  initial,
  load,
  type Watch,
  watches,
  watchFold,
  type WatchEvent,
  watchKey
} from "@souffleur/domain"
import { catchUp, type Log, type Snapshots } from "@souffleur/eventlog"
import { Arbitrary, Effect, type Layer, Result, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { examples } from "../../packages/domain/test/fixtures/events/Examples.ts"
import { newLog } from "./OwnLog.ts"

const { WatchOpened, WatchReleased } = examples
const opened = (project: string, sessionId = project) => ({ ...WatchOpened, project, sessionId })
const started = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...examples.WatcherStarted, watcher: n + 1 }))

/** Folds a stream from its beginning, without any snapshot. */
const folded = Effect.fnUntraced(function* (id: string) {
  const log = yield* EventLog
  return (yield* log.read(id, 0)).reduce((state, { event }) => evolve(state, event), initial)
})
const everyFold = Effect.gen(function* () {
  const log = yield* EventLog
  return yield* Effect.forEach(yield* log.streams, (id) => Effect.map(folded(id), (state) => [id, state] as const))
})
const listed = Effect.map(watches.all, (all) => all.map(({ id, state }) => [id, state] as const))
const text = (value: unknown) => JSON.stringify(value)

const briefOf = (watch: Watch) => Struct.pick(watch, ["revision", ...watchFold.brief])
/** Returns whether the short list tells every watch once, each as the log gives it. */
const isBriefly = Effect.fnUntraced(function* (all: ReadonlyArray<readonly [string, Watch]>) {
  const { ended, whole } = yield* watches.brief
  const states = new Map(all)
  for (const { brief, id } of ended) {
    assert.strictEqual(states.get(id)?.phase, "Exited")
    assert.strictEqual(text(brief), text(briefOf(states.get(id)!)))
  }
  for (const { id, state } of whole) assert.strictEqual(text(state), text(states.get(id)))
  assert.sameMembers(ids([...ended, ...whole]), [...states.keys()])
})
const ids = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)

/** Folds the log, and keeps every fold. */
const keep = Effect.flatMap(EventLog, (log) => catchUp({ ...watchFold, keepEvery: 1 }).present(log))
const snapshotOf = (id: string) => Effect.flatMap(EventLog, (log) => log.snapshots.one(watchFold.name, id))

const Story = Schema.Struct({
  turns: Schema.Array(
    Schema.Struct({
      stream: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      event: Event.WatchEvent,
      keeps: Schema.Boolean
    })
  ).check(Schema.isMaxLength(40))
})

/** Plays appends to a few streams, with snapshots at any time, and compares what they give back. */
const played = Effect.fnUntraced(function* ({ turns }: typeof Story.Type) {
  const log = yield* EventLog
  const revisions = new Map<string, number>()
  for (const { event, keeps, stream } of turns) {
    const id = `w-${stream}`
    const revision = revisions.get(id) ?? 0
    const stored = Result.getOrThrow(decodeEvent(id, revision + 1, encodeEvent(event)))
    revisions.set(id, yield* log.append(id, revision, [stored]))
    if (!keeps) continue
    yield* keep
    assert.strictEqual(text(yield* load(id)), text(yield* folded(id)))
  }
  const all = yield* everyFold
  assert.strictEqual(text(yield* listed), text(all))
  yield* isBriefly(all)
  const isLiving = ([, { phase }]: readonly [string, Watch]) => phase !== "Exited"
  assert.deepStrictEqual(
    ids(yield* watches.living),
    all.filter(isLiving).map(([id]) => id)
  )
  assert.strictEqual((yield* watches.ended(9)).count, all.filter((one) => !isLiving(one)).length)
  for (const project of new Set(all.map(([, state]) => state.project)))
    assert.deepStrictEqual(
      ids(yield* watches.having(watchKey.project(project))),
      all.filter(([, state]) => state.project === project).map(([id]) => id)
    )
})

const suite = <E>(name: string, layer: Layer.Layer<EventLog, E>, count: number) =>
  describe(name, () => {
    describe("command-line#status", () => {
      it.live("after any events, and snapshots at any time, every list is what the log gives", () =>
        Effect.gen(function* () {
          const stories = yield* Arbitrary.sampleEffect(Arbitrary.schema(Story), { seed: 7, count, size: 30 })
          yield* Effect.forEach(stories, (story) => Effect.provide(played(story), layer))
        })
      )

      it.live("a watch that has ended is kept, and is found by its folder, its session, its process and its end", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("a-1", 0, [opened("/a", "s1"), examples.ConductorConfirmed, WatchReleased])
          yield* log.append("a-2", 0, [opened("/a", "s2")])
          yield* log.append("b-1", 0, [opened("/b", "s3"), WatchReleased])
          assert.deepStrictEqual(ids(yield* watches.living), ["a-2"])
          assert.strictEqual((yield* snapshotOf("a-1"))?.revision, 3)
          assert.deepStrictEqual(ids(yield* watches.having(watchKey.project("/a"))), ["a-1", "a-2"])
          assert.deepStrictEqual(ids(yield* watches.newest(watchKey.project("/a"), 1)), ["a-2"])
          const released = ({ end }: Watch) => end === "released"
          assert.deepStrictEqual(ids(yield* watches.newest(watchKey.project("/a"), 1, released)), ["a-1"])
          assert.deepStrictEqual(ids(yield* watches.having(watchKey.session("s3"))), ["b-1"])
          const { pid } = examples.ConductorConfirmed.conductor
          assert.deepStrictEqual(ids(yield* watches.having(watchKey.pid(pid))), ["a-1"])
          const { count, last } = yield* watches.ended(1)
          assert.deepStrictEqual([count, ids(last)], [2, ["b-1"]])
          const { ended, whole } = yield* watches.brief
          assert.deepStrictEqual(ids(whole), ["a-2"])
          assert.deepStrictEqual(
            ended.map(({ brief, id }) => [id, brief.project, brief.end]),
            [
              ["a-1", "/a", "released"],
              ["b-1", "/b", "released"]
            ]
          )
          // Another process kept it between two reads of this one, and it was thrown away before the third.
          const snapshotsRaced: Snapshots = {
            ...log.snapshots,
            folded: (of) => Effect.map(log.snapshots.folded(of), (kept) => ({ ...kept, living: [] })),
            one: () => Effect.undefined
          }
          const raced = { ...log, snapshots: snapshotsRaced }
          yield* keep
          const late = yield* Effect.provideService(watches.brief, EventLog, raced)
          assert.deepStrictEqual([ids(late.whole), ids(late.ended)], [["a-2"], ["a-1", "b-1"]], "it lives")
          assert.strictEqual(text(late.whole[0]?.state), text(yield* folded("a-2")))
          yield* log.append("a-1", 3, [examples.OwnerLeft])
          // A snapshot stays beside its newer fold.
          const snapshots = { ...log.snapshots, move: () => Effect.succeed(false) }
          const unkept = yield* Effect.provideService(watches.ended(9), EventLog, { ...log, snapshots })
          assert.deepStrictEqual([unkept.count, ids(unkept.last)], [2, ["a-1", "b-1"]], "they are one watch")
          const moved = yield* watches.ended(9)
          assert.deepStrictEqual([moved.count, ids(moved.last)], [2, ["a-1", "b-1"]], "its last event is the newest")
          assert.strictEqual((yield* watches.one("a-1"))._tag, "Some")
          assert.strictEqual((yield* watches.one("c-1"))._tag, "None")
        }).pipe(Effect.provide(layer))
      )

      it.live("a few events are not worth a write, some hundreds are", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("a-1", 0, [opened("/a"), ...started(10)])
          assert.lengthOf(yield* watches.living, 1)
          assert.isUndefined(yield* snapshotOf("a-1"))
          yield* log.append("a-1", 11, started(300))
          assert.lengthOf(yield* watches.living, 1)
          assert.strictEqual((yield* snapshotOf("a-1"))?.revision, 311)
          yield* log.append("a-1", 311, started(3))
          assert.strictEqual((yield* load("a-1")).revision, 314)
        }).pipe(Effect.provide(layer))
      )

      it.live("states along a long stream are kept, and a look at its past begins at one", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("a-1", 0, [opened("/a"), ...started(1300)])
          yield* watches.living
          let events = 0
          const counted: Log<WatchEvent> = {
            ...log,
            read: (...of) => Effect.tap(log.read(...of), (found) => Effect.sync(() => (events += found.length)))
          }
          const past = (revision: number) => Effect.provideService(watches.at("a-1", revision), EventLog, counted)
          for (const [revision, read] of [
            [0, 0],
            [499, 249],
            [500, 0],
            [1207, 207]
          ] as const) {
            events = 0
            const state = yield* past(revision)
            assert.deepStrictEqual(
              [state.revision, state.watchersStarted, events],
              [revision, Math.max(0, revision - 1), read]
            )
          }
          // A snapshot stays the last one, and lists tell the stream once.
          assert.strictEqual((yield* snapshotOf("a-1"))?.revision, 1301)
          assert.deepStrictEqual(ids(yield* watches.all), ["a-1"])
        }).pipe(Effect.provide(layer))
      )

      it.live("a process that folds later than another keeps nothing", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("a-1", 0, [opened("/a"), ...started(5)])
          yield* keep
          const { position } = yield* log.snapshots.folded(watchFold.name)
          const late = { ...(yield* snapshotOf("a-1"))!, keys: [], brief: "", state: "late" }
          yield* log.append("a-1", 6, started(1))
          yield* keep
          assert.isFalse(yield* log.snapshots.move(watchFold.name, position, position + 1, [late]))
          assert.strictEqual((yield* snapshotOf("a-1"))?.revision, 7)
        }).pipe(Effect.provide(layer))
      )

      it.live("a snapshot of another fingerprint is not read", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("a-1", 0, [opened("/a")])
          const other = { kind: "watch", fingerprint: "other rules" }
          const snapshot = {
            stream: "a-1",
            opened: 1,
            revision: 1,
            position: 1,
            ended: true,
            keys: [],
            brief: `{"revision":1}`,
            state: `{"revision":1}`
          }
          yield* log.snapshots.move(other, 0, 1, [snapshot])
          assert.strictEqual((yield* load("a-1")).project, "/a")
          assert.deepStrictEqual(ids(yield* watches.living), ["a-1"])
        }).pipe(Effect.provide(layer))
      )
    })
  })

describe("command-line#status", () => {
  it.live("a missing event is told, and a snapshot hides it no more than another", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const sql = yield* SqlClient.SqlClient
      for (const id of ["a-1", "a-2"]) yield* log.append(id, 0, [opened("/a", id), ...started(3), WatchReleased])
      yield* keep
      yield* sql`DELETE FROM events WHERE stream = 'a-1' AND revision = 3`
      assert.deepStrictEqual(
        (yield* watches.all).map(({ id, state, unreadable }) => [id, state.revision, unreadable?.revision]),
        [
          ["a-1", 2, 3],
          ["a-2", 5, undefined]
        ]
      )
      assert.deepStrictEqual(ids(yield* watches.living), ["a-1"])
      yield* sql`INSERT INTO events (stream, revision, tag, version, at, data) VALUES ('run/a-1', 1, 'RunTaken', 1, 1, '{}')`
      assert.strictEqual((yield* watches.one("run/a-1"))._tag, "None", "that is a stream of another kind")
      assert.strictEqual((yield* Effect.flip(load("a-1")))._tag, "UnreadableEvent")
    }).pipe(Effect.provide(newLog))
  )

  it.effect("a state that would come back as another is not kept", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a-1", 0, [opened("/a"), WatchReleased])
      const Kept = Schema.Struct({ revision: Schema.Int, note: Schema.UndefinedOr(Schema.String) })
      const { briefs, present, restored } = catchUp<typeof Kept.Type, WatchEvent, "note">({
        name: { kind: "note", fingerprint: "1" },
        initial: { revision: 0, note: "begun" },
        evolve: ({ revision }) => ({ revision: revision + 1, note: undefined }),
        schema: Kept,
        keepEvery: 1,
        isEnded: () => true,
        keysOf: () => [],
        brief: ["note"]
      })
      yield* present(log)
      const snapshot = (yield* log.snapshots.one({ kind: "note", fingerprint: "1" }, "a-1"))!
      assert.strictEqual(snapshot.state, "")
      assert.deepStrictEqual((yield* restored(log, snapshot)).state, { revision: 2, note: undefined })
      const [kept] = yield* log.snapshots.briefs({ kind: "note", fingerprint: "1" }, { before: 9, limit: 9 })
      assert.strictEqual(kept?.brief, "")
      assert.isUndefined(briefs.decode(kept!))
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it.effect("the end of a long stream is read until it is enough", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a-1", 0, [opened("/a"), ...started(2000)])
      const numbers = (enough: number) =>
        Effect.map(
          watches.tail("a-1", 2001, (events) => events.some((event) => "watcher" in event && event.watcher === enough)),
          (events) => [events.length, events.at(-1)]
        )
      const last = started(2000).at(-1)
      assert.deepStrictEqual(yield* numbers(2000), [100, last])
      assert.deepStrictEqual(yield* numbers(1700), [400, last])
      assert.deepStrictEqual(yield* numbers(0), [2001, last])
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  describe("a snapshot in doubt is no snapshot", () => {
    /** Makes a log of three watches whose folds are kept, does a harm, and compares every list with the log. */
    const harmed = (
      harm: string,
      also: (sql: SqlClient.SqlClient) => Effect.Effect<void, unknown, EventLog> = () => Effect.void
    ) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const sql = yield* SqlClient.SqlClient
        for (const id of ["a-1", "a-2", "a-3"])
          yield* log.append(id, 0, [opened("/a", id), ...started(2), ...(id === "a-2" ? [] : [WatchReleased])])
        yield* keep
        yield* sql.unsafe(harm, [])
        yield* also(sql)
        // Later events are not missed either.
        yield* log.append("a-2", 3, started(1))
        yield* log.append("a-4", 0, [opened("/a", "a-4")])
        const all = yield* everyFold
        assert.strictEqual(text(yield* listed), text(all))
        yield* isBriefly(all)
        for (const [id, state] of all) assert.strictEqual(text(yield* load(id)), text(state))
        const living = all.filter(([, { phase }]) => phase !== "Exited").map(([id]) => id)
        assert.deepStrictEqual(ids(yield* watches.living), living)
        assert.strictEqual((yield* watches.ended(9)).count, all.length - living.length)
        const here = all.filter(([, { project }]) => project === "/a").map(([id]) => id)
        assert.deepStrictEqual(ids(yield* watches.having(watchKey.project("/a"))), here)
      }).pipe(Effect.provide(newLog))

    const harms: ReadonlyArray<readonly [what: string, statement: string]> = [
      ["they are deleted", "DELETE FROM folded"],
      ["the table is gone", "DROP TABLE folded"],
      ["the table of keys is gone", "DROP TABLE folded_keys"],
      ["there is no place for briefs", "ALTER TABLE folded RENAME COLUMN brief TO other"],
      ["a state is no JSON", "UPDATE folded SET state = 'x' WHERE stream <> ''"],
      ["a state is JSON of another kind", "UPDATE folded SET state = '[1]' WHERE stream <> ''"],
      [
        "a state has a value of another kind",
        `UPDATE folded SET state = json_set(state, '$.phase', 'Lost') WHERE stream <> ''`
      ],
      [
        "a state has a text for a count",
        `UPDATE folded SET state = json_set(state, '$.retries', '2') WHERE stream <> ''`
      ],
      [
        "a state has a field that no state has",
        `UPDATE folded SET state = json_set(state, '$.lost', 1) WHERE stream <> ''`
      ],
      [
        "a state is of another revision",
        // No later event of this stream tells it.
        `UPDATE folded SET state = json_set(state, '$.revision', 2) WHERE stream = 'a-1'`
      ],
      ["a brief is empty", "UPDATE folded SET brief = '' WHERE stream = 'a-1'"],
      ["a brief is no JSON", "UPDATE folded SET brief = 'x' WHERE stream <> ''"],
      [
        "a brief has a text for a count",
        `UPDATE folded SET brief = json_set(brief, '$.retries', '2') WHERE stream <> ''`
      ],
      [
        // The brief before it is sound.
        "a brief has a number for a text",
        `UPDATE folded SET brief = json_set(brief, '$.project', 1) WHERE stream = 'a-1'`
      ],
      [
        "a brief has a field that no brief has",
        `UPDATE folded SET brief = json_set(brief, '$.pid', 1) WHERE stream <> ''`
      ],
      [
        "a brief is of another revision",
        `UPDATE folded SET brief = json_set(brief, '$.revision', 2, '$.retries', 2) WHERE stream = 'a-1'`
      ],
      [
        "a revision is beyond the log",
        "UPDATE folded SET revision = 99, state = json_set(state, '$.revision', 99), brief = json_set(brief, '$.revision', 99) WHERE stream <> ''"
      ],
      [
        "a position is another",
        "UPDATE folded SET position = position + 1000, state = json_set(state, '$.retries', 2), brief = json_set(brief, '$.retries', 2) WHERE stream <> ''"
      ],
      ["the mark is beyond the log", "UPDATE folded SET position = 1000000 WHERE stream = ''"],
      ["the mark is gone", "DELETE FROM folded WHERE stream = ''"],
      ["the end of a watch is cut from the log", "DELETE FROM events WHERE stream = 'a-3' AND revision = 4"],
      ["an event is another", "UPDATE events SET data = replace(data, '/a', '/z') WHERE stream = 'a-1'"]
    ]
    it.live.each(harms)("nothing changes where %s", ([, harm]) => harmed(harm))

    it.live("nothing changes where the log was cut and is as long again", () =>
      harmed("DELETE FROM events WHERE stream = 'a-3' AND revision > 1", () =>
        Effect.flatMap(EventLog, (log) => log.append("a-3", 1, started(3)))
      )
    )
  })

  it.live("a state along a stream whose events are others is not believed", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const sql = yield* SqlClient.SqlClient
      yield* log.append("a-1", 0, [opened("/a"), ...started(600)])
      yield* watches.living
      yield* sql`UPDATE folded SET state = json_set(state, '$.project', 7) WHERE kind = 'watch@500'`
      assert.strictEqual((yield* watches.at("a-1", 550)).project, "/a")
      yield* sql`DELETE FROM events WHERE revision > 400`
      yield* log.append(
        "a-1",
        400,
        Array.from({ length: 300 }, () => examples.OwnerTook)
      )
      assert.strictEqual((yield* watches.at("a-1", 550)).watchersStarted, 399)
    }).pipe(Effect.provide(newLog))
  )

  it.effect("a large state along a stream is not kept", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const found = Array.from({ length: 999 }, (_, n) => ({
        ...examples.SessionIdFound,
        sessionId: `session-${n}-${"x".repeat(30)}`
      }))
      yield* log.append("a-1", 0, [opened("/a"), ...found])
      yield* watches.living
      const kept = (revision: number) => log.snapshots.one({ ...watchFold.name, kind: `watch@${revision}` }, "a-1")
      assert.isUndefined(yield* kept(1000))
      assert.strictEqual(text(yield* watches.at("a-1", 1000)), text(yield* folded("a-1")))
    }).pipe(Effect.provide(EventLog.layerMemory))
  )
})

suite("in memory", EventLog.layerMemory, 60)
suite("on disk", newLog, 8)
