import * as NodeServices from "@effect/platform-node/NodeServices"
import { guardianOf } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FileSystem, Schedule, type Scope } from "effect"
import { existsSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { guardian, guardianName, guardianNamed, makeGuardian } from "../src/own/GuardianEntry.ts"
import { ownIdentity } from "../src/processes/HostSource.ts"
import { proc } from "../src/processes/Proc.ts"

const here = ownIdentity()!
const owned = (fence: number, process = here) => ["OwnerTook", { fence, owner: { process } }] as const
const left = ["OwnerLeft", {}] as const

/** SQLite's result codes for no room, and for a lock of another process. */
const [full, locked] = [13, 5]

type Told = readonly [tag: string, data: object]

/** A store with the watch "w". */
const told = Effect.fnUntraced(function* (events: ReadonlyArray<Told>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-guardian-" })
  const [database, output] = [`${folder}/own.db`, `${folder}/out`]
  const store = new DatabaseSync(database, { timeout: 5000 })
  yield* Effect.addFinalizer(() => Effect.sync(() => store.close()))
  for (const statement of ["PRAGMA journal_mode = WAL", ...Store.migrations.flat()]) store.exec(statement)
  let revision = 0
  const append = ([tag, data]: Told) =>
    void store
      .prepare("INSERT INTO events (stream, revision, tag, version, at, data) VALUES ('w', ?, ?, 1, 0, ?)")
      .run((revision += 1), tag, JSON.stringify(data))
  const beat = (watch: string, role: string, at: number) =>
    void store
      .prepare(
        "INSERT INTO beats (watch, role, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role, at = excluded.at"
      )
      .run(watch, role, at)
  const beatOf = (watch: string) => store.prepare("SELECT role, at FROM beats WHERE watch = ?").get(watch)
  events.forEach(append)
  return { append, beat, beatOf, database, output, said: Effect.orElseSucceed(fs.readFileString(output), () => "") }
})

/**
 * Looks each 10 ms, and holds half a second for silence, while somebody beats. A start prints its reason.
 */
const guardingOf = Effect.fnUntraced(function* (...events: ReadonlyArray<Told>) {
  const all = yield* told(events)
  const line = [process.execPath, "-e", "process.stdout.write(process.argv[1])"] as const
  const { beat, database, output } = all
  const beats = Effect.map(Clock.currentTimeMillis, (now) => beat("w", "watcher/1", now))
  yield* Effect.forkScoped(Effect.repeat(beats, Schedule.spaced("50 millis")))
  const order = JSON.stringify({ database, watch: "w", line, output, silentAfter: 500, every: 10 })
  return { ...all, ended: Effect.promise(() => guardian(order)) }
})

const until = <A>(look: Effect.Effect<A>, good: (seen: A) => boolean) =>
  Effect.repeat(look, { until: good, schedule: Schedule.spaced("10 millis") })

const live = (what: string, test: () => Effect.Effect<void, unknown, FileSystem.FileSystem | Scope.Scope>) =>
  it.live(what, () => Effect.scoped(test()).pipe(Effect.provide(NodeServices.layer)))

describe("behaviour#guardian", () => {
  describe("a guardian's process", () => {
    it("carries its identity in the name of its beats", () => {
      assert.deepStrictEqual(guardianNamed(guardianName(here)), here)
      assert.isUndefined(guardianNamed("watcher/1"))
    })

    for (const [whose, process] of [
      ["has its pid by now", { ...here, startTime: here.startTime + 1 }],
      ["of an earlier boot had", { ...here, bootId: "another" }]
    ] as const)
      live(`brings back an owner that is gone, though another process ${whose}, over the fence that it saw`, () =>
        Effect.gen(function* () {
          const { append, ended, said } = yield* guardingOf(owned(3, process))
          const leaving = until(said, (text) => text !== "").pipe(Effect.tap(Effect.sync(() => append(left))))
          const [text] = yield* Effect.all([leaving, ended], { concurrency: 2 })
          assert.strictEqual(text, "died:3")
        })
      )

    live(
      "leaves an owner alone that lives and beats, until another takes its place and dies; beats itself meanwhile",
      () =>
        Effect.gen(function* () {
          const { append, beatOf, ended, said } = yield* guardingOf(owned(1, { ...here, startTime: 1 }), owned(2))
          const own = Effect.sync(() => beatOf(guardianOf("w")))
          const watching = Effect.gen(function* () {
            const first = yield* until(own, (row) => row !== undefined)
            const later = yield* until(own, (row) => row!["at"] !== first!["at"])
            assert.deepStrictEqual([later!["role"], yield* said], [guardianName(here), ""])
            append(owned(5, { ...here, startTime: 1 }))
            assert.strictEqual(yield* until(said, (text) => text !== ""), "died:5")
            append(left)
          })
          yield* Effect.all([watching, ended], { concurrency: 2 })
        })
    )

    for (const [what, ...last] of [
      ["its owner has left", left],
      ["the watch has ended", ["ConductorCompleted", {}]],
      ["nobody watches any more", owned(1), ["GuardianGaveUp", {}]]
    ] as ReadonlyArray<readonly [string, ...ReadonlyArray<Told>]>)
      live(`leaves when ${what}, and starts nothing`, () =>
        Effect.gen(function* () {
          const { ended, said } = yield* guardingOf(owned(1), ...last)
          yield* ended
          assert.strictEqual(yield* said, "")
        })
      )

    live("leaves when another guardian has taken its place, or the store is gone, and starts nothing", () =>
      Effect.gen(function* () {
        const one = yield* guardingOf(owned(1))
        // Again and again: where it came late to a look, it beats first, and the other one would leave.
        const another = Effect.sync(() => one.beat(guardianOf("w"), "guardian/1/1/another", 1))
        yield* Effect.raceFirst(
          one.ended,
          Effect.andThen(Effect.repeat(another, Schedule.spaced("5 millis")), Effect.never)
        )
        const two = yield* guardingOf(owned(1))
        const removed = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(two.database))
        yield* Effect.all([two.ended, removed], { concurrency: 2 })
        // A guardian that gives up ends too, but it has started souffleur in vain before.
        assert.deepStrictEqual([yield* one.said, yield* two.said], ["", ""])
      })
    )

    live(
      "ends after a minute what it has started in vain, then starts another; three that came to nothing, and it leaves",
      () =>
        Effect.gen(function* () {
          const { database, output, said } = yield* told([owned(3, { ...here, startTime: 1 })])
          const line = ["/bin/sh", "-c", "echo $$; exec sleep 300"] as const
          const pids = Effect.map(said, (text) => text.trim().split("\n").filter(Boolean).map(Number))
          const order = { database, watch: "w", line, output, silentAfter: 500, every: 1000 }
          let now = 0
          const look = makeGuardian(order, { wall: now, monotonic: now })
          const seconds = (count: number) =>
            Array.from({ length: count }, () => {
              now += 1000
              return look({ wall: now, monotonic: now })
            })
          const started = (count: number) =>
            Effect.map(
              until(pids, (all) => all.length === count),
              (all) => all.at(-1)!
            )
          const gone = (pid: number) =>
            until(
              Effect.sync(() => proc.stat(pid)),
              (stat) => stat === undefined
            )
          yield* Effect.addFinalizer(() =>
            Effect.map(pids, (all) =>
              all.filter((pid) => proc.stat(pid)?.name === "sleep").forEach((pid) => process.kill(pid, "SIGKILL"))
            )
          )
          seconds(3)
          const first = yield* started(1)
          seconds(57)
          yield* until(
            Effect.sync(() => proc.stat(first)),
            (stat) => stat?.name === "sleep"
          )
          assert.deepStrictEqual(yield* pids, [first])
          seconds(5)
          yield* gone(first)
          seconds(7)
          for (const count of [2, 3]) {
            const pid = yield* started(count)
            process.kill(pid, "SIGKILL")
            yield* gone(pid)
            assert.strictEqual(seconds(12).includes(false), count === 3)
          }
          assert.lengthOf(yield* pids, 3)
        })
    )

    live("holds one event at a time of a long watch: 100 MB of events go through a heap of 48 MB", () =>
      Effect.gen(function* () {
        const text = "-".repeat(1_000_000)
        const long = Array.from({ length: 100 }, () => ["AgentStarted", { text }] as const)
        const { database, output } = yield* told([owned(1), ...long, left])
        const order = JSON.stringify({ database, watch: "w", line: ["/bin/true"], output, silentAfter: 500, every: 10 })
        const entry = new URL("../src/own/GuardianEntry.ts", import.meta.url).href
        const words = `import(${JSON.stringify(entry)}).then(({ guardian }) => guardian(${JSON.stringify(order)}))`
        const ended = Effect.callback<number | Error>((resume) => {
          const guarding = new Worker(words, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 48 } })
          guarding.on("error", (error) => resume(Effect.succeed(error as Error)))
          guarding.on("exit", (code) => resume(Effect.succeed(code)))
          return Effect.promise(() => guarding.terminate())
        })
        assert.strictEqual(yield* ended, 0)
      })
    )

    live("collects young garbage with each beat, where a flag of Node lets it", () =>
      Effect.gen(function* () {
        const { database, output } = yield* told([owned(1)])
        const kinds: Array<unknown> = []
        const before = globalThis.gc
        yield* Effect.addFinalizer(() => Effect.sync(() => (globalThis.gc = before)))
        globalThis.gc = ((options: object) => kinds.push(options)) as unknown as typeof before
        const order = { database, watch: "w", line: ["/bin/true"] as const, output, silentAfter: 360_000, every: 1000 }
        const look = makeGuardian(order, { wall: 0, monotonic: 0 })
        const lookAt = (now: number) => assert.isTrue(look({ wall: now, monotonic: now }))
        for (let second = 0; second <= 62; second++) lookAt(second * 1000)
        const young = { type: "minor", execution: "sync" }
        assert.deepStrictEqual(kinds, [young, young])
        globalThis.gc = undefined
        lookAt(200_000)
      })
    )

    live("counts no silence on a full disk, where no beat can be written, and begins to count once there is room", () =>
      Effect.gen(function* () {
        const { beat, database, output } = yield* told([owned(3)])
        beat("w", "watcher/1", 0)
        const order = { database, watch: "w", line: ["/bin/true"] as const, output, silentAfter: 360_000, every: 1000 }
        let [now, trouble] = [0, 0]
        const look = makeGuardian(order, { wall: now, monotonic: now })
        const own = StatementSync.prototype as { run: (...values: Array<SQLInputValue>) => unknown }
        const { run } = own
        yield* Effect.addFinalizer(() => Effect.sync(() => (own.run = run)))
        own.run = function (...values) {
          if (trouble > 0) throw Object.assign(new Error("no beat"), { errcode: trouble })
          return run.apply(this, values)
        }
        /** Looks each second up to that one. A souffleur that was started has a file for its output. */
        const startedBy = (second: number) => {
          for (; now < second * 1000; now += 1000) assert.isTrue(look({ wall: now, monotonic: now }))
          return existsSync(output)
        }
        assert.isFalse(startedBy(30))
        trouble = full
        assert.isFalse(startedBy(1200))
        trouble = 0
        // Souffleur needs a minute to beat again, and is silent where it does not.
        assert.isFalse(startedBy(1500))
        // A souffleur that was stopped in mid-write locks the store: that excuses it not.
        trouble = locked
        assert.isFalse(startedBy(1560))
        assert.isTrue(startedBy(1565))
      })
    )

    live("begins though another process holds the store, and beats once it is free", () =>
      Effect.gen(function* () {
        const { beatOf, database, output } = yield* told([owned(3)])
        const other = new DatabaseSync(database)
        yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
        other.exec("BEGIN IMMEDIATE")
        const order = { database, watch: "w", line: ["/bin/true"] as const, output, silentAfter: 500, every: 10 }
        const look = makeGuardian(order, { wall: 0, monotonic: 0 })
        assert.isUndefined(beatOf(guardianOf("w")))
        other.exec("COMMIT")
        assert.isTrue(look({ wall: 10, monotonic: 10 }))
        assert.strictEqual(beatOf(guardianOf("w"))?.["at"], 10)
      })
    )

    live("looks again, as long as souffleur cannot use the event log", () =>
      Effect.gen(function* () {
        const { database, output, said } = yield* told([owned(3, { ...here, startTime: 1 })])
        const line = ["/bin/sh", "-c", "echo $$; exit 4"] as const
        let now = 0
        const look = makeGuardian(
          { database, watch: "w", line, output, silentAfter: 500, every: 1000 },
          { wall: 0, monotonic: 0 }
        )
        const pids = Effect.map(said, (text) => text.trim().split("\n").filter(Boolean).map(Number))
        const looks = Effect.sync(() => assert.isTrue(look({ wall: (now += 1000), monotonic: now })))
        yield* until(Effect.andThen(looks, pids), (all) => all.length === 5)
      })
    )
  })
})
