import * as NodeServices from "@effect/platform-node/NodeServices"
import { EventLog, type ProcessIdentity } from "@souffleur/domain"
import { Beats, Offspring, Cursor } from "@souffleur/eventlog"
import { assert, describe, it } from "@effect/vitest"
import { Console, Context, Effect, Exit, Fiber, FileSystem, Layer, Logger, Option, Scope, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { numbered } from "../../packages/domain/test/EventLogSuite.ts"
import { folder, logAt } from "./OwnLog.ts"

const test = (what: string, effect: Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(what, () => effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

const newPath = Effect.map(folder, (path) => `${path}/souffleur.db`)
const holding = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const other = new DatabaseSync(path)
      other.exec("BEGIN IMMEDIATE")
      return other
    }),
    (other) => Effect.sync(() => other.close())
  )

const mounted = Effect.acquireRelease(
  Effect.gen(function* () {
    const mount = yield* folder
    const code = yield* Effect.scoped(
      Effect.flatMap(
        ChildProcess.make("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], {
          stdout: "ignore",
          stderr: "ignore"
        }),
        ({ exitCode }) => exitCode
      )
    ).pipe(Effect.orElseSucceed(() => 1))
    return code === 0 ? Option.some(mount) : Option.none()
  }),
  Option.match({
    onNone: () => Effect.void,
    onSome: (mount) =>
      Effect.scoped(Effect.flatMap(ChildProcess.make("umount", [mount]), ({ exitCode }) => exitCode)).pipe(
        Effect.orDie,
        Effect.asVoid
      )
  })
)

describe("behaviour#damaged-log", () => {
  test(
    "an event that cannot be read names itself, and is never skipped",
    Effect.gen(function* () {
      const path = yield* newPath
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const sql = yield* SqlClient.SqlClient
        const cases = [
          { stream: "unknown", tag: "WatchDreamt", version: 1, data: "{}", why: /does not know/ },
          { stream: "newer", tag: "WatchSettled", version: 2, data: "{}", why: /up to 1/ },
          { stream: "torn", tag: "WatchSettled", version: 1, data: '{"a":', why: /no JSON/ },
          { stream: "none", tag: "WatchSettled", version: 1, data: "null", why: /no JSON object/ },
          {
            stream: "misfit",
            tag: "OwnerLeft",
            version: 1,
            data: '{"fence":"a secret"}',
            why: /^(?!.*secret).*at: fence$/
          }
        ]
        for (const { data, stream, tag, version, why } of cases) {
          yield* log.append(stream, 0, numbered(1, 1))
          yield* sql`INSERT INTO events (stream, revision, tag, version, at, data) VALUES (${stream}, 2, ${tag}, ${version}, 1, ${data})`
          yield* log.append(stream, 2, numbered(3, 1))
          for (const error of [
            yield* Effect.flip(log.read(stream, 0)),
            yield* Effect.flip(log.read(stream, 1)),
            yield* Effect.flip(Stream.runDrain(log.changes(stream, 0)))
          ]) {
            if (error._tag !== "UnreadableEvent") return assert.fail(error._tag)
            assert.deepInclude(error, { stream, revision: 2, tag, version })
            assert.match(error.problem, why)
          }
          assert.lengthOf(yield* log.read(stream, 2), 1)
          assert.strictEqual((yield* Effect.flip(Stream.runDrain(log.readAll(0))))._tag, "UnreadableEvent")
        }
      }).pipe(Effect.provide(logAt(path)))
    })
  )

  test(
    "a store that is full says so, loses nothing, and goes on when there is room",
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("PRAGMA max_page_count = 40")
        let revision = 0
        const error = yield* Effect.flip(
          Effect.forever(
            Effect.suspend(() =>
              Effect.map(log.append("a", revision, numbered(revision, 50)), (now) => void (revision = now))
            )
          )
        )
        assert.deepInclude(error, { _tag: "LogUnusable", reason: "full" })
        assert.lengthOf(yield* log.read("a", 0), revision)
        yield* sql.unsafe("PRAGMA max_page_count = 4000")
        assert.strictEqual(yield* log.append("a", revision, numbered(revision, 50)), revision + 50)
      }).pipe(Effect.provide(logAt(yield* newPath)))
    })
  )

  test(
    "a disk that is really full says so, and what was acknowledged is there",
    Effect.gen(function* () {
      const disk = yield* mounted
      if (Option.isNone(disk)) return yield* Console.log("skipped: a full disk needs the right to mount one")
      const fs = yield* FileSystem.FileSystem
      const path = `${disk.value}/souffleur.db`
      let revision = 0
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const error = yield* Effect.flip(
          Effect.forever(
            Effect.suspend(() =>
              Effect.map(log.append("a", revision, numbered(revision, 100)), (now) => void (revision = now))
            )
          )
        )
        assert.deepInclude(error, { _tag: "LogUnusable", reason: "full" })
        assert.isAbove(revision, 0)
        assert.lengthOf(yield* log.read("a", 0), revision)
      }).pipe(Effect.provide(logAt(path)))
      const kept = yield* Effect.provide(
        Effect.flatMap(EventLog, (log) => log.read("a", 0)),
        logAt(path)
      )
      assert.lengthOf(kept, revision)
      // A first opener of a full disk leaves nothing behind.
      yield* fs.writeFile(`${disk.value}/filler`, new Uint8Array(2_000_000)).pipe(Effect.ignore)
      const before = (yield* fs.readDirectory(disk.value)).toSorted()
      const error = yield* Effect.flip(Effect.provide(Effect.void, logAt(`${disk.value}/another.db`)))
      assert.deepInclude(error, { _tag: "SqliteUnusable", reason: "full" })
      assert.deepStrictEqual((yield* fs.readDirectory(disk.value)).toSorted(), before)
    })
  )
})

test(
  "a log that another process holds is waited for; at the end of patience nothing was appended",
  Effect.gen(function* () {
    const path = yield* newPath
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a", 0, numbered(1, 1))
      const other = yield* holding(path)
      const error = yield* Effect.flip(log.append("a", 1, numbered(2, 1)))
      assert.deepInclude(error, { _tag: "LogUnusable", reason: "locked" })
      assert.lengthOf(yield* log.read("a", 0), 1, "readers go on")
      const patient = yield* Effect.forkChild(
        EventLog.use((log) => log.append("a", 1, numbered(2, 1))).pipe(Effect.provide(logAt(path))),
        { startImmediately: true }
      )
      yield* Effect.sleep("60 millis")
      other.exec("ROLLBACK")
      assert.strictEqual(yield* Fiber.join(patient), 2)
    }).pipe(Effect.provide(logAt(path, { lockTimeout: "150 millis" })))
  })
)

test(
  "a log that is closed settles the appends that it took",
  Effect.gen(function* () {
    const path = yield* newPath
    const appending = yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* holding(path)
      const fibers = yield* Effect.forEach(["a", "b"], (stream) =>
        Effect.forkDetach(log.append(stream, 0, numbered(1, 1)))
      )
      yield* Effect.sleep("60 millis")
      return fibers
    }).pipe(Effect.provide(logAt(path, { lockTimeout: "150 millis" })))
    for (const fiber of appending)
      assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "LogUnusable", reason: "locked" })
  })
)

test(
  "a log that is closed before its first commit began settles what it took, and refuses what comes later",
  Effect.gen(function* () {
    const path = yield* newPath
    const scope = yield* Scope.make()
    const log = Context.get(yield* Layer.buildWithScope(logAt(path), scope), EventLog)
    const taken = yield* Effect.forkDetach(log.append("a", 0, numbered(1, 1)), { startImmediately: true })
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* Fiber.join(taken), 1)
    const late = yield* Effect.flip(log.append("a", 1, numbered(2, 1)))
    assert.strictEqual(late._tag, "LogUnusable")
  })
)

describe("behaviour#beats", () => {
  test(
    "beats: the last one of each watch, beside the log, for every process",
    Effect.gen(function* () {
      const path = yield* newPath
      yield* Effect.gen(function* () {
        const beats = yield* Beats
        assert.isTrue(Option.isNone(yield* beats.last("a")))
        yield* beats.beat("a", { by: "watcher/1", at: 1 })
        yield* beats.beat("b", { by: "watcher/9", at: 5 })
        yield* beats.beat("a", { by: "watcher/2", at: 2 })
        assert.deepStrictEqual(yield* beats.last("a"), Option.some({ by: "watcher/2", at: 2 }))
        assert.deepStrictEqual(yield* (yield* EventLog).streams, [])
      }).pipe(Effect.provide(logAt(path)))
      const later = Effect.flatMap(Beats, (beats) => beats.last("a")).pipe(Effect.provide(logAt(path)))
      assert.deepStrictEqual(yield* later, Option.some({ by: "watcher/2", at: 2 }))
    })
  )

  test(
    "a store that is out is no dead watcher: the beat is remembered, and the trouble told once",
    Effect.gen(function* () {
      const path = yield* newPath
      const warnings: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
      yield* Effect.gen(function* () {
        const beats = yield* Beats
        const cursor = yield* Cursor
        yield* beats.beat("a", { by: "watcher/1", at: 1 })
        const other = yield* holding(path)
        yield* beats.beat("a", { by: "watcher/1", at: 2 })
        yield* beats.beat("a", { by: "watcher/1", at: 3 })
        assert.deepStrictEqual(yield* beats.last("a"), Option.some({ by: "watcher/1", at: 3 }))
        assert.deepStrictEqual([yield* cursor.advance("a", 4), yield* cursor.position("a")], [true, 4])
        other.exec("ROLLBACK")
        assert.deepStrictEqual(warnings, [
          "a beat could not be written: the store is locked",
          "the mark of what was told could not be written: the store is locked"
        ])
        yield* beats.beat("a", { by: "watcher/1", at: 4 })
        other.exec("BEGIN IMMEDIATE")
        yield* beats.beat("a", { by: "watcher/1", at: 5 })
        assert.lengthOf(warnings, 3, "told again when it begins again")
      }).pipe(Effect.provide(logAt(path, { lockTimeout: "60 millis" })), Effect.provide(listening))
    })
  )
})

describe("behaviour#stop", () => {
  test(
    "the offspring of a Conductor is kept apart for each, for every process, and in memory while the store is out",
    Effect.gen(function* () {
      const path = yield* newPath
      const [one, other] = [4711, 4712].map((pid) => ({ pid, startTime: 7, bootId: "boot" })) as [
        ProcessIdentity,
        ProcessIdentity
      ]
      const started = (...pids: ReadonlyArray<number>) => pids.map((pid) => ({ pid, startTime: 9, bootId: "boot" }))
      yield* Effect.gen(function* () {
        const { recall, remember } = yield* Offspring
        assert.deepStrictEqual(yield* recall(one), [])
        yield* remember(one, started(20, 21))
        yield* remember(other, started(30))
        yield* remember(one, started(21, 22))
        const locking = yield* holding(path)
        yield* remember(other, started(31))
        assert.deepStrictEqual(yield* recall(other), started(31))
        locking.exec("ROLLBACK")
        assert.deepStrictEqual(yield* recall(other), started(31), "what the file says is older")
      }).pipe(Effect.provide(logAt(path, { lockTimeout: "60 millis" })))
      const later = (of: ProcessIdentity) =>
        Effect.flatMap(Offspring, ({ recall }) => recall(of)).pipe(Effect.provide(logAt(path)))
      assert.deepStrictEqual(yield* later(one), started(21, 22))
      assert.deepStrictEqual(yield* later({ ...one, startTime: 8 }), [], "another process that has its pid")
      assert.deepStrictEqual(yield* later(other), started(30))
      // A file with foreign bytes: nothing is known then.
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE offspring SET started = '[["20", null]]'`
        assert.deepStrictEqual(yield* (yield* Offspring).recall(one), [])
      }).pipe(Effect.provide(logAt(path)))
    })
  )
})

describe("behaviour#outbox", () => {
  test(
    "the cursor's mark never moves backwards, and outlives its process",
    Effect.gen(function* () {
      const path = yield* newPath
      yield* Effect.gen(function* () {
        const cursor = yield* Cursor
        assert.strictEqual(yield* cursor.position("a"), 0)
        assert.deepStrictEqual([yield* cursor.advance("a", 5), yield* cursor.advance("a", 3)], [true, false])
        // Each process has its own view; the store decides which one was first.
        const another = yield* Layer.build(Layer.fresh(logAt(path)))
        assert.isFalse(yield* Context.get(another, Cursor).advance("a", 5))
        assert.isTrue(yield* Context.get(another, Cursor).advance("a", 6))
        assert.isFalse(yield* cursor.advance("a", 6))
        assert.strictEqual(yield* cursor.position("a"), 6)
        assert.strictEqual(yield* cursor.position("b"), 0)
      }).pipe(Effect.provide(logAt(path)))
      assert.strictEqual(
        yield* Effect.provide(
          Effect.flatMap(Cursor, (cursor) => cursor.position("a")),
          logAt(path)
        ),
        6
      )
    })
  )
})
