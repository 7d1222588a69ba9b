import * as NodeServices from "@effect/platform-node/NodeServices"
import { EventLog } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Option, Queue, Result, Schedule, type Scope, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { SqlClient } from "effect/sql"
import { fileURLToPath } from "node:url"
import { numbered, numberOf } from "../../packages/domain/test/EventLogSuite.ts"
import { builtProgram } from "../../packages/node/test/fixtures/BuiltProgram.ts"
import { folder, logAt } from "./OwnLog.ts"

const program = await builtProgram(fileURLToPath(new URL("logWorker.ts", import.meta.url)))
const souffleur = (path: string, ...args: ReadonlyArray<string>) =>
  ChildProcess.make(process.execPath, [program, path, ...args], { stdin: "ignore", stderr: "inherit" })
const lines = (handle: { readonly stdout: Stream.Stream<Uint8Array, unknown> }) =>
  handle.stdout.pipe(Stream.decodeText(), Stream.splitLines)
const said = Effect.fnUntraced(function* (path: string, ...args: ReadonlyArray<string>) {
  return yield* Stream.runCollect(lines(yield* souffleur(path, ...args)))
}, Effect.scoped)

/**
 * A worker that is already running, so that several open a log at once. It appends to the log of a path, and passes on
 * its output.
 */
const opener = Effect.fnUntraced(function* (n: number) {
  const paths = yield* Queue.unbounded<string>()
  const answers = yield* Queue.unbounded<string>()
  const stdin = Stream.fromQueue(paths).pipe(Stream.encodeText)
  const handle = yield* ChildProcess.make(process.execPath, [program, "-", "each", `s${n}`], {
    stdin,
    stderr: "inherit"
  })
  yield* Effect.forkScoped(Stream.runForEach(lines(handle), (line) => Queue.offer(answers, line)))
  assert.strictEqual(yield* Queue.take(answers), "ready")
  return (path: string) => Effect.andThen(Queue.offer(paths, `${path}\n`), Queue.takeN(answers, 2))
})

const test = (what: string, effect: Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(what, () => effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

const check = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ quick_check: string }>`PRAGMA quick_check`)

test(
  "many processes that open a log for the first time all get the same log",
  Effect.gen(function* () {
    const openers = yield* Effect.forEach([0, 1, 2, 3, 4, 5], opener, { concurrency: "unbounded" })
    for (let round = 0; round < 5; round++) {
      const state = `${yield* folder}/state`
      const path = `${state}/souffleur.db`
      const answers = yield* Effect.forEach(openers, (append) => append(path), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 6 }, () => ["1", "closed"])
      )
      const fs = yield* FileSystem.FileSystem
      // Of two that close it last at once, neither removes the files beside it.
      const files = (yield* fs.readDirectory(state)).filter((name) => !/-(?:wal|shm)$/u.test(name))
      assert.deepStrictEqual(files, ["souffleur.db"])
      assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o600)
      assert.strictEqual((yield* fs.stat(state)).mode & 0o777, 0o700)
      assert.lengthOf(
        yield* Effect.provide(
          Effect.flatMap(EventLog, ({ streams }) => streams),
          logAt(path)
        ),
        6
      )
    }
  })
)

describe("behaviour#never", () => {
  test(
    "processes that append to one stream at once lose nothing, and a process that follows it sees all of it once",
    Effect.gen(function* () {
      const path = `${yield* folder}/souffleur.db`
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.changes("shared", 0), 240)), {
          startImmediately: true
        })
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => said(path, "append", "shared", "30", "2")),
          { concurrency: "unbounded" }
        )
        const acknowledged = answers.flat().map(Number)
        assert.lengthOf(new Set(acknowledged), 120)
        const events = yield* log.read("shared", 0)
        assert.deepStrictEqual(
          events.map(({ revision }) => revision),
          Array.from({ length: 240 }, (_, n) => n + 1)
        )
        assert.deepStrictEqual(yield* Fiber.join(following), events)
      }).pipe(Effect.provide(logAt(path, { pollEvery: "5 millis" })))
    })
  )
  test(
    "an acknowledged event outlives kill -9",
    Effect.gen(function* () {
      const path = `${yield* folder}/souffleur.db`
      for (let round = 0; round < 3; round++) {
        const stream = `killed-${round}`
        const handle = yield* souffleur(path, "append", stream, "100000", "3")
        // Each is killed at a different moment, during its appends.
        const acknowledged = yield* lines(handle).pipe(
          Stream.tap((line) =>
            Number(line) === 60 + 30 * round ? Effect.forkChild(handle.kill({ killSignal: "SIGKILL" })) : Effect.void
          ),
          Stream.runCollect
        )
        const last = Number(acknowledged.at(-1))
        assert.isAtLeast(last, 60)
        yield* Effect.gen(function* () {
          const events = yield* (yield* EventLog).read(stream, 0)
          assert.isAtLeast(events.length, last)
          assert.strictEqual(events.length % 3, 0, "an append is whole")
          assert.deepStrictEqual(
            events.map(({ revision }) => revision),
            Array.from({ length: events.length }, (_, n) => n + 1)
          )
          assert.deepStrictEqual(yield* check, [{ quick_check: "ok" }])
        }).pipe(Effect.provide(logAt(path)))
      }
    })
  )
})

test(
  "changes sees another process's append after a long quiet, and each of ours once",
  Effect.gen(function* () {
    const path = `${yield* folder}/souffleur.db`
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      const [first, rest] = yield* Effect.all([
        Effect.forkChild(Stream.runHead(log.changes("shared", 0)), { startImmediately: true }),
        Effect.forkChild(Stream.runCollect(Stream.take(log.changes("shared", 0), 3)), { startImmediately: true })
      ])
      yield* log.append("mine", 0, numbered(1, 1))
      yield* said(path, "append", "shared")
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(first)).revision, 1)
      yield* Effect.retry(log.append("shared", 1, numbered(2, 2)), Schedule.recurs(1))
      assert.deepStrictEqual((yield* Fiber.join(rest)).slice(1).map(numberOf), [2, 3])
      assert.isTrue(Result.isFailure(yield* Effect.result(log.append("shared", 1, numbered(2, 1)))))
    }).pipe(Effect.provide(logAt(path, { pollEvery: "5 millis" })))
  })
)
