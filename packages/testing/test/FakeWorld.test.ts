import { assert, describe, it } from "@effect/vitest"
import { Agent, Claims, EventLog, Launcher, Processes, Settings } from "@souffleur/domain"
import { readTrusted, replaceDurably, runProgram } from "@souffleur/process"
import { Cause, Clock, Duration, Effect, Exit, FileSystem } from "effect"
import { FakeFiles, FakeWorld, identityOf, ownerOf, passes, secondsNow, untilDone, untilEvent } from "../src/index.ts"

describe("the whole world", () => {
  it.effect("a world begins at its own time, on its own settings, with each port", () => {
    const begins = Date.UTC(2026, 4, 1, 1, 30)
    const world = new FakeWorld({ begins, settings: { stopGrace: Duration.seconds(1) } })
    return Effect.gen(function* () {
      assert.strictEqual(yield* Clock.currentTimeMillis, begins)
      yield* passes("30 minutes")
      assert.strictEqual(yield* Clock.currentTimeMillis, Date.UTC(2026, 4, 1, 2))
      const { maxTokens, stopGrace } = yield* Settings
      assert.deepStrictEqual([maxTokens, Duration.toMillis(stopGrace)], [null, 1000])
      assert.deepStrictEqual((yield* Processes).self, (yield* Claims).self.process)
      assert.deepStrictEqual(yield* (yield* Agent).sessions, [])
      assert.deepStrictEqual(yield* (yield* EventLog).read("w", 0), [])
    }).pipe(Effect.provide(world.layer))
  })
  it.effect("a world says which acts came, and keeps each launch with its order", () => {
    const world = new FakeWorld()
    world.processes.run({ pid: 4711 }, { pid: 4712, parent: 4711, on: { SIGTERM: "stays" } })
    return Effect.gen(function* () {
      const launcher = yield* Launcher
      const command = { program: "/bin/true", args: ["-v"], environment: {} }
      yield* launcher.prepare({ id: "l1", command, cwd: "/p", title: "one" })
      assert.deepStrictEqual(yield* launcher.launch("l1"), identityOf(5000))
      assert.deepStrictEqual(yield* launcher.launch("l1"), identityOf(5000), "at most once")
      for (const pid of [4711, 4712]) yield* (yield* Processes).signal(identityOf(pid), "SIGTERM")
      assert.deepStrictEqual(world.launches, [
        { id: "l1", command, cwd: "/p", title: "one", pid: 5000, order: undefined }
      ])
      assert.deepStrictEqual(world.signals, ["SIGTERM 4711", "SIGTERM 4712"])
      assert.deepStrictEqual(world.processes.alive, [4712, 5000])
    }).pipe(Effect.provide(world.layer))
  })
  it.effect("a world has no program of others", () =>
    Effect.gen(function* () {
      const order = { command: "git", args: ["status"], stdin: "", within: "1 second", atMost: 100 } as const
      assert.strictEqual((yield* Effect.flip(runProgram(order)))._tag, "ProgramFailed")
    }).pipe(Effect.provide(new FakeWorld().layer))
  )
  it.effect("a claim of a souffleur that lives is refused, and that of a dead one is taken over", () => {
    const world = new FakeWorld()
    world.processes.run({ pid: 77 })
    world.claims.held.set("s1", ownerOf(77))
    return Effect.gen(function* () {
      const claims = yield* Claims
      assert.strictEqual((yield* Effect.flip(claims.claim({ session: "s1" })))._tag, "AlreadyWatched")
      world.processes.end(77)
      yield* claims.claim({ session: "s1" })
      assert.deepStrictEqual(world.claims.held.get("s1"), claims.self)
    }).pipe(Effect.provide(world.layer))
  })
  it.effect("a test that waits for an event in vain dies with the events that came instead", () => {
    const world = new FakeWorld()
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(untilEvent("w", "ConductorDied", { within: "90 seconds" }))
      const why = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.strictEqual((why as Error).message, "no ConductorDied within 90 s, but no event")
      assert.strictEqual(yield* secondsNow, 90)
    }).pipe(Effect.provide(world.layer))
  })
  it.effect("a test that waits in vain for an effect to be done dies, and one that is done keeps its own time", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(untilDone(Effect.never, { within: "90 seconds" }))
      assert.include(Exit.isFailure(exit) && String(Cause.squash(exit.cause)), "not done within 90 s")
      assert.strictEqual(yield* untilDone(Effect.as(Effect.sleep("1.5 seconds"), "late")), "late")
      assert.strictEqual(yield* secondsNow, 91.5)
      assert.strictEqual(yield* Effect.flip(untilDone(Effect.fail("refused"))), "refused")
    }).pipe(Effect.provide(new FakeWorld().layer))
  )
  it("a Conductor without a process is a mistake of the test", () => {
    assert.throws(() => new FakeWorld().conductor.pid, "no process of the Conductor was begun or launched")
  })
})

describe("files in memory", () => {
  it.effect("a file that was written is read, renamed and removed as on a host", () => {
    const files = new FakeFiles().write("/p/a", "one")
    return Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* replaceDurably("/p/a", "two")
      assert.strictEqual(files.read("/p/a"), "two")
      assert.deepStrictEqual(new TextDecoder().decode(yield* readTrusted("/p/a", { atMost: 3 })), "two")
      assert.include((yield* Effect.flip(readTrusted("/p/a", { atMost: 2 }))).message, "larger than 2 bytes")
      yield* fs.rename("/p/a", "/p/b")
      assert.deepStrictEqual(files.paths, ["/p/b"])
      assert.isTrue((yield* Effect.flip(readTrusted("/p/a", { atMost: 3 }))).missing)
      assert.strictEqual((yield* Effect.flip(fs.stat("/p/a"))).reason._tag, "NotFound")
      yield* fs.remove("/p/b")
      assert.isFalse(yield* fs.exists("/p/b"))
    }).pipe(Effect.provide(files.layer))
  })
  it.effect("a file that is opened exclusively replaces no other, and an open file outlives its name", () => {
    const files = new FakeFiles().write("/p/a", "one")
    return Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual((yield* Effect.flip(fs.open("/p/a", { flag: "wx" }))).reason._tag, "AlreadyExists")
      const open = yield* fs.open("/p/a")
      files.write("/p/a", "other")
      const first = new Uint8Array(2)
      assert.strictEqual(yield* open.read(first), 2)
      assert.strictEqual(new TextDecoder().decode(first), "on")
      assert.strictEqual(yield* open.read(first, { position: 0n }), 2)
      assert.strictEqual(yield* open.read(first), 1)
      assert.strictEqual(yield* open.read(first), 0)
    }).pipe(Effect.provide(files.layer), Effect.scoped)
  })
})
