import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Duration, Effect, Exit, FileSystem, Layer, Schedule, Stream } from "effect"
import { Parts, type RunOptions, Souffleur } from "../src/index.ts"
import { firstTitle } from "../src/jobs/JobTitle.ts"

/** The service in a world of fakes, where any command is a plain one. */
const faked = () => {
  const world = new FakeWorld({ conductor: { pid: 4711, sessionId: "s1" } })
  world.files.program("/bin/make")
  world.files.program("/bin/ls")
  const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  return { world, layer }
}
const order = { project: "/q", command: ["/bin/make", "night"], id: "row-17" } as const satisfies RunOptions

describe("behaviour#jobs-of-a-caller", () => {
  it.effect("the same id is the same watch: it goes on, its end is told again, and nothing else is launched", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const first = yield* souffleur.run(order).pipe(
        Effect.tap(({ id }) => untilEvent(id, "WatchSettled")),
        Effect.scoped
      )
      assert.strictEqual(first.id, "row-17")
      const again = yield* souffleur.run(order)
      assert.strictEqual(again.id, "row-17")
      assert.isAbove(again.from, 0)
      yield* souffleur.done("row-17")
      assert.strictEqual((yield* again.awaitEnd).end, "completed")
      const ended = yield* souffleur.run(order)
      assert.strictEqual((yield* ended.awaitEnd).end, "completed")
      assert.lengthOf(world.launcher.launches, 1)
      assert.lengthOf(yield* souffleur.watches, 1)
      // The folder is free for another one.
      assert.strictEqual((yield* souffleur.run({ ...order, id: "row-18" })).id, "row-18")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("another command or folder under an id is refused, also once its watch has ended", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      yield* Effect.scoped(souffleur.run(order))
      const refusals = Effect.gen(function* () {
        for (const [other, why] of [
          [{ command: ["/bin/make", "day"] }, "watch row-17 is another job: it has another command"],
          [{ project: "/r" }, "watch row-17 is another job: it is of /q"]
        ] as const) {
          const refused = yield* Effect.flip(souffleur.run({ ...order, ...other }))
          assert.strictEqual(refused._tag, "OpenedOtherwise")
          assert.include(refused.message, why)
        }
      })
      yield* refusals
      const beside = yield* Effect.flip(souffleur.run({ ...order, id: "row-18" }))
      assert.include(beside.message, "watch row-17 of this folder is not finished, so row-18 was not started")
      yield* souffleur.release("row-17")
      yield* refusals
      assert.isAtMost(world.launcher.launches.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("of two starts at once under one id one is launched, and the other harms no file of it", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const both = yield* Effect.all([Effect.exit(souffleur.run(order)), Effect.exit(souffleur.run(order))], {
        concurrency: "unbounded"
      })
      assert.lengthOf(both.filter(Exit.isSuccess), 1)
      yield* souffleur.events("row-17").pipe(
        Stream.takeUntil(({ event }) => event._tag === "WatchSettled"),
        Stream.runDrain
      )
      assert.lengthOf(yield* souffleur.watches, 1)
      assert.lengthOf(world.launcher.launches, 1)
      const { firstLaunch } = yield* souffleur.state("row-17")
      assert.deepStrictEqual([...world.launcher.prepared.keys()], [firstLaunch?.launchId])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("its title and its labels are with it in every list, also once it has ended", () => {
    const { layer } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const labels = { "app.example/row": "17" }
      const { id } = yield* souffleur.run({ ...order, title: " The night's\n\u001b[2Jbuild ", labels })
      const said = { id, title: "The night's \\u001b[2Jbuild", labels }
      assert.deepInclude((yield* souffleur.jobs)[0], said)
      assert.deepInclude(yield* souffleur.status(yield* souffleur.find(id)), said)
      yield* souffleur.release(id)
      assert.deepInclude((yield* souffleur.endedJobs(1)).last[0], said)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("what is out of its bounds is refused, and nothing begins", () => {
    const { layer } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      for (const [more, why] of [
        [{ id: "row_17" }, "an id is up to 100 letters"],
        [{ title: " \n" }, "a title has a word"],
        [{ labels: { "": "x" } }, "labels: number 1 must have a name"],
        [{ environment: { PATH: "/tmp" } }, "the environment of a job must not name PATH"],
        [{ environment: { SOUFFLEUR_LAUNCH_ID: "x" } }, "the environment of a job must not name SOUFFLEUR_LAUNCH_ID"],
        [{ environment: { "A,B": "x" } }, "the environment of a job must be at most 50 names"],
        [{ environment: { KEY: "a\0b" } }, "KEY is too long, or holds a zero byte"],
        [{ permission: "acceptEdits" }, "a plain command has no permission"]
      ] as const) {
        const refused = yield* Effect.flip(souffleur.run({ ...order, ...more }))
        assert.strictEqual(refused._tag, "CommandRefused")
        assert.include(refused.message, why)
      }
      assert.deepStrictEqual(yield* souffleur.watches, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it("a job that was given no title is called by its program and its first words", () => {
    const words = ["/opt/bin/claude", "-p", "--model", "x", "Mend\n  the tests"]
    const of = (more: object, kind: "agent" | "command") => firstTitle({ words, ...more } as never, kind)
    assert.strictEqual(of({ prompt: "Mend\n  the tests" }, "agent"), "claude Mend the tests")
    assert.strictEqual(of({}, "agent"), "claude")
    assert.strictEqual(of({ words: ["sleep", "600"] }, "command"), "sleep 600")
    assert.isNull(of({ words: undefined }, "command"))
    assert.strictEqual(of({ prompt: "x".repeat(1e6) }, "agent")?.length, 101)
  })

  it.live("a command has its variables in each of its launches, and its title is read on its host alone", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
      const project = `${home}/opera`
      yield* fs.makeDirectory(project)
      const line = 'echo "$STAGE" >> told; if [ -e began ]; then exit 0; fi; touch began; exec sleep 600'
      const layer = Souffleur.layerNode({
        stateDir: `${home}/state`,
        environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home, STAGE: "not this one" },
        settings: {
          watcherInitialWait: Duration.zero,
          watcherInterval: Duration.millis(50),
          restartPause: Duration.millis(50)
        }
      })
      yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const environment = { STAGE: "a secret" }
        const { awaitEnd, id } = yield* souffleur.run({ project, command: ["/bin/sh", "-c", line], environment })
        yield* untilBegan(fs.exists(`${project}/began`))
        const [job] = yield* souffleur.jobs
        assert.strictEqual(job?.title, `sh -c ${line}`.slice(0, 100) + (line.length > 94 ? "…" : ""))
        yield* untilBegan(Effect.map(souffleur.state(id), ({ conductor }) => conductor !== undefined))
        const { conductor } = yield* souffleur.state(id)
        process.kill(conductor!.pid, "SIGKILL")
        assert.strictEqual((yield* awaitEnd).end, "completed")
        assert.strictEqual(yield* fs.readFileString(`${project}/told`), "a secret\na secret\n")
        const log = JSON.stringify(yield* souffleur.history(id))
        assert.include(log, '"environment":["STAGE"]')
        assert.notInclude(log, "a secret")
        assert.notInclude(log, "sleep 600")
        assert.isNull((yield* souffleur.endedJobs(1)).last[0]?.title)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

const untilBegan = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(look, { until: (so) => so, schedule: Schedule.spaced("20 millis") })
