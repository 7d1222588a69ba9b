import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path, Schedule } from "effect"
import { type Provider, programProvider, standardCompact } from "../src/index.ts"
import { closedAt, cycleOf, launches, relaunches } from "./Cycles.ts"
import { type FakeWorld, identityOf } from "@souffleur/testing"
import { worldOf } from "./RecoveryWorld.ts"

describe("behaviour#providers", () => {
  it.layer(HostServices.layer, { excludeTestServices: true })((it) => {
    type Asking = { readonly world?: FakeWorld; readonly project?: string; readonly within?: "1 second" }
    /** Runs one cycle whose first provider is that program with these arguments; the next provider would compact. */
    const asking = Effect.fnUntraced(function* (
      program: string,
      args: ReadonlyArray<string>,
      { project = "/p", within, world }: Asking = {}
    ) {
      const fs = yield* FileSystem.FileSystem
      const read = (file: string) =>
        Effect.mapError(fs.readFileString(file), () => ({ message: "the prompt file cannot be read" }))
      const own = programProvider("own", JSON.stringify([process.execPath, program, ...args]), read, within)
      type Needs = typeof own | typeof standardCompact extends Provider<infer R> ? R : never
      return yield* cycleOf<Needs>([own, standardCompact], { project }, world)
    })
    /** With the program of the fixtures, behaving so. */
    const cycle = Effect.fnUntraced(function* (how: string, world?: FakeWorld) {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const prompt = `${yield* fs.makeTempDirectoryScoped()}/prompt.txt`
      const program = path.join(import.meta.dirname, "fixtures/provider.js")
      const options = {
        ...(world === undefined ? {} : { world }),
        ...(how === "hangs" ? { within: "1 second" as const } : {})
      }
      return { prompt, ...(yield* asking(program, [how, prompt], options)) }
    })

    it.effect("the program's answer launches a fresh or the same session, and its prompt is not in the log", () =>
      Effect.gen(function* () {
        for (const how of ["fresh", "resume"] as const) {
          const { log, start, world } = yield* cycle(how)
          yield* start
          assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000"])
          const [order] = world.agent.orders
          const [said, , receipt] = order?.prompt.split("\n") ?? []
          assert.strictEqual(said, "SECRET of s1 in /p. The previous Conductor crashed or became unresponsive.")
          assert.strictEqual(receipt, `Hand-off ${[...world.launcher.prepared.values()][0]?.id}`)
          assert.strictEqual(order?.permission, "acceptEdits")
          const events = yield* log.events
          const [relaunch] = relaunches(events)
          const fresh = how === "fresh"
          assert.deepInclude(relaunch, {
            provider: "own",
            awaiting: fresh,
            exportPath: null,
            conductor: identityOf(5000)
          })
          assert.strictEqual(order?.session._tag, fresh ? "Fresh" : "Resume")
          assert.strictEqual(relaunch?.sessionId === "s1", !fresh)
          assert.notInclude(JSON.stringify(events), "SECRET")
        }
      })
    )
    it.effect("the program hands on to the next provider, by its answer or by a useless answer", () =>
      Effect.gen(function* () {
        for (const how of ["escalate", "garbage", "twice", "other", "talks", "fails", "floods", "hangs"]) {
          const { log, start, world } = yield* cycle(how)
          world.launcher.compactions = ["compacts and ends"]
          yield* start
          assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000", "launch 5001"], how)
          const events = yield* log.events
          assert.deepStrictEqual(
            relaunches(events).map(({ provider }) => provider),
            ["standard_compact"],
            how
          )
          // The invalid answer is kept nowhere.
          assert.notInclude(JSON.stringify(events), "x".repeat(501), how)
        }
      })
    )
    it.effect("the program's launch is found again after a crash, though its prompt is gone", () =>
      Effect.gen(function* () {
        const { last, prompt, start, world } = yield* cycle("fresh")
        world.launcher.vanishes = 1
        yield* Effect.forkScoped(start)
        yield* Effect.repeat(
          Effect.sync(() => world.launcher.vanishes),
          { until: (left) => left === 0, schedule: Schedule.spaced("10 millis") }
        )
        yield* (yield* FileSystem.FileSystem).remove(prompt)
        yield* start
        assert.deepInclude(yield* last, { _tag: "ConductorRelaunched", conductor: identityOf(5000) })
        assert.deepStrictEqual(launches(world), ["launch 5000"])
      })
    )
    it.effect("the program closes the cycle, by its answer or by an unreadable prompt", () =>
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
    it.effect("the program's answer does not outweigh another writer or completion", () =>
      Effect.gen(function* () {
        const held = yield* cycle("resume", worldOf({ pid: 70, parent: 1 }))
        held.world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
        yield* held.start
        assert.deepStrictEqual(
          [closedAt(yield* held.last), held.world.processes.alive],
          [["one writer", "process 70 holds the session"], [70]]
        )
        const complete = yield* cycle("resume")
        complete.world.comms.conductor.state = "complete"
        yield* complete.start
        assert.deepStrictEqual([(yield* complete.last)?._tag, complete.world.did], ["ConductorCompleted", []])
      })
    )
    it.effect("the program is not asked again after a crash, and its launch is not made again", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        for (let append = 1; ; append++) {
          const { last, log, prompt, start, world } = yield* cycle("resume")
          const crashed = yield* log.abandonAt(append, "after", start)
          const asked = (yield* log.events).some((event) => event._tag === "StepSucceeded" && event.step === "own: ask")
          if (asked) yield* fs.writeFileString(prompt, "as it was then")
          yield* start
          assert.strictEqual((yield* last)?._tag, "ConductorRelaunched", `crashed at append ${append}`)
          assert.deepStrictEqual(
            [launches(world), world.processes.alive],
            [["launch 5000"], [5000]],
            `crashed at append ${append}`
          )
          if (asked) assert.strictEqual(yield* fs.readFileString(prompt), "as it was then")
          if (!crashed) return assert.isAbove(append, 9)
        }
      })
    )
    it.effect("the example of docs/providers.md does what it says", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const page = yield* fs.readFileString(path.join(import.meta.dirname, "../../../docs/providers.md"))
        const project = yield* fs.makeTempDirectoryScoped()
        const program = `${project}/example.mjs`
        yield* fs.writeFileString(program, /```js\n([^]*?)```/u.exec(page)![1]!)
        const without = yield* asking(program, [], { project })
        without.world.launcher.compactions = ["compacts and ends"]
        yield* without.start
        assert.strictEqual(relaunches(yield* without.log.events)[0]?.provider, "standard_compact")
        yield* fs.writeFileString(`${project}/NOTES.md`, "next: the tests")
        const { log, start, world } = yield* asking(program, [], { project })
        yield* start
        const asked = (yield* log.events).find((event) => event._tag === "StepSucceeded" && event.step === "own: ask")
        const { prompt_file: prompt } = (asked?._tag === "StepSucceeded" ? asked.outcome : {}) as {
          readonly prompt_file: string
        }
        yield* fs.remove(path.dirname(prompt), { recursive: true })
        assert.strictEqual(relaunches(yield* log.events)[0]?.provider, "own")
        assert.include(world.agent.orders[0]?.prompt, `Read ${project}/NOTES.md first`)
      })
    )
  })
})
