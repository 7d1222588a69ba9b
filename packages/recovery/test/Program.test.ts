import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { type Provider, programProvider, standardCompact } from "../src/index.ts"
import { closedAt, cycleOf, launches, relaunches } from "./Cycles.ts"
import { identityOf, World } from "./World.ts"

it.layer(NodeServices.layer, { excludeTestServices: true })((it) => {
  /** One cycle whose first provider is the program of the fixtures, behaving so; the next would compact. */
  const cycle = Effect.fnUntraced(function* (how: string, world = new World().run({ pid: 4711, parent: 1 })) {
    const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
    const prompt = `${yield* fs.makeTempDirectoryScoped()}/prompt.txt`
    const command = JSON.stringify([process.execPath, path.join(import.meta.dirname, "fixtures/provider.js"), how, prompt])
    const read = (file: string) => Effect.mapError(fs.readFileString(file), () => ({ why: "the prompt file cannot be read" }))
    const own = programProvider("own", command, read, how === "hangs" ? "1 second" : undefined)
    type Needs = typeof own extends Provider<infer R> ? R : never
    return { prompt, ...(yield* cycleOf<Needs>([own, standardCompact], {}, world)) }
  })

  it.effect("its word is a launch: a fresh session, or the same one resumed, with a prompt that is not in the log", () =>
    Effect.gen(function* () {
      for (const how of ["fresh", "resume"] as const) {
        const { log, start, world } = yield* cycle(how)
        yield* start
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000"])
        const [order] = world.orders
        assert.strictEqual(order?.prompt, "SECRET of s1 in /p. The previous Conductor crashed or became unresponsive.")
        assert.strictEqual(order?.permission, "acceptEdits")
        const events = yield* log.events
        const [relaunch] = relaunches(events)
        const fresh = how === "fresh"
        assert.deepInclude(relaunch, { provider: "own", awaiting: fresh, exportPath: null, conductor: identityOf(5000) })
        assert.strictEqual(order?.session._tag, fresh ? "Fresh" : "Resume")
        assert.strictEqual(relaunch?.sessionId === "s1", !fresh)
        assert.notInclude(JSON.stringify(events), "SECRET")
      }
    })
  )
  it.effect("it hands on to the next provider, which finds the Conductor stopped, when it says so or says nothing of use", () =>
    Effect.gen(function* () {
      for (const how of ["escalate", "garbage", "twice", "other", "talks", "fails", "floods", "hangs"]) {
        const { log, start, world } = yield* cycle(how)
        world.compactions = ["compacts and ends"]
        yield* start
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000", "launch 5001"], how)
        const events = yield* log.events
        assert.deepStrictEqual(
          relaunches(events).map(({ provider }) => provider),
          ["standard_compact"],
          how
        )
        // What it said instead of an answer is nobody's to keep.
        assert.isBelow(JSON.stringify(events).length, 20_000, how)
      }
    })
  )
  it.effect("it closes the cycle: by its word, or by a prompt that cannot be read", () =>
    Effect.gen(function* () {
      for (const [how, reason] of [
        ["fail_closed", "a person must look"],
        ["no-prompt", "the prompt file cannot be read"]
      ] as const) {
        const { last, start, world } = yield* cycle(how)
        yield* start
        assert.deepStrictEqual([closedAt(yield* last), launches(world)], [["own", reason], []])
      }
    })
  )
  it.effect("its word does not outweigh one writer, nor completion", () =>
    Effect.gen(function* () {
      const held = yield* cycle("resume", new World().run({ pid: 4711, parent: 1 }, { pid: 70, parent: 1 }))
      held.world.sessions = [{ pid: 70, sessionId: "s1" }]
      yield* held.start
      assert.deepStrictEqual([closedAt(yield* held.last), held.world.alive], [["one writer", "process 70 holds the session"], [70]])
      const complete = yield* cycle("resume")
      complete.world.state = "complete"
      yield* complete.start
      assert.deepStrictEqual([(yield* complete.last)?._tag, complete.world.did], ["ConductorCompleted", []])
    })
  )
  it.effect("after a crash it is not asked again, and its launch not made again", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      for (let append = 1; ; append++) {
        const { last, log, prompt, start, world } = yield* cycle("resume")
        const crashed = yield* log.abandonAt(append, "after", start)
        const asked = (yield* log.events).some((event) => event._tag === "StepSucceeded" && event.step === "own: ask")
        if (asked) yield* fs.writeFileString(prompt, "as it was then")
        yield* start
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched", `crashed at append ${append}`)
        assert.deepStrictEqual([launches(world), world.alive], [["launch 5000"], [5000]], `crashed at append ${append}`)
        if (asked) assert.strictEqual(yield* fs.readFileString(prompt), "as it was then")
        if (!crashed) return assert.isAbove(append, 9)
      }
    })
  )
})
