import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import {
  Config,
  ConfigProvider,
  Duration,
  Effect,
  Fiber,
  FileSystem,
  Option,
  Path,
  Ref,
  Schedule,
  type Scope,
  Stream
} from "effect"
import { type Printed, Souffleur } from "../src/index.ts"

/** The first run waits for its end by another, and the second has all done. */
const job = "#!/bin/sh\nif [ -e began ]; then exit 0; fi; touch began; exec sleep 600"

/** The service with its state in a home, and fractions of a second in place of minutes. */
const souffleurIn = (home: string) =>
  Souffleur.layerNode({
    stateDir: `${home}/state`,
    environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home },
    settings: {
      watcherInitialWait: 0,
      watcherInterval: "50 millis",
      monitorInitialWait: Duration.millis(50),
      monitorInterval: 50,
      stopGrace: { milliseconds: 50 }
    }
  })

it.live(
  "a command of the project that is killed runs again; its watch is left with its scope, and the same call goes on with it",
  () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
      const project = path.join(home, "opera")
      yield* fs.makeDirectory(project)
      yield* fs.writeFileString(path.join(project, "job.sh"), job, { mode: 0o755 })
      const layer = souffleurIn(home)
      const order = { project, command: ["./job.sh"] } as const
      const first = yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const watch = yield* souffleur.run(order)
        yield* watch.events.pipe(
          Stream.takeUntil(({ event }) => event._tag === "WatchSettled"),
          Stream.runDrain
        )
        return watch.id
      }).pipe(Effect.scoped, Effect.provide(layer))
      const last = yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { conductor, owner } = yield* souffleur.state(first)
        assert.isUndefined(owner)
        const watch = yield* souffleur.run(order)
        assert.strictEqual(watch.id, first)
        const told = yield* Effect.forkScoped(Stream.runCollect(watch.events))
        assert.isDefined(conductor)
        const began = fs.exists(path.join(project, "began"))
        yield* Effect.repeat(began, { until: (so) => so, schedule: Schedule.spaced("20 millis") })
        process.kill(conductor!.pid, "SIGKILL")
        const { end, generation } = yield* watch.awaitEnd
        assert.deepStrictEqual([end, generation], ["completed", 2])
        const why = Option.getOrThrow(yield* souffleur.why(first))
        assert.include(why.lines.join("\n"), "exit code 0")
        return (yield* Fiber.join(told)).map(({ event }) => event._tag)
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.includeMembers(last, ["OwnerTook", "ConductorDied", "ConductorRelaunched", "ConductorCompleted"])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

describe("command-line#output", () => {
  it.live("an app reads what a job prints as it comes, each stream apart, and what came of it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
      const project = `${home}/opera`
      yield* fs.makeDirectory(project)
      const line = 'echo one; echo warned >&2; until [ -e go ]; do sleep 0.05; done; printf "two\\n\\377"'
      yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const watch = yield* souffleur.run({ project, command: ["/bin/sh", "-c", line] })
        const seen = yield* Ref.make<ReadonlyArray<Printed>>([])
        const reading = yield* souffleur.output(watch.id).pipe(
          Stream.runForEach((part) => Ref.update(seen, (all) => [...all, part])),
          Effect.forkScoped
        )
        const on = (all: ReadonlyArray<Printed>, stream: Printed["on"]) =>
          Buffer.concat(all.filter((part) => part.on === stream).map(({ bytes }) => bytes)).toString("latin1")
        yield* Effect.repeat(Ref.get(seen), {
          until: (all) => on(all, "stdout") === "one\n" && on(all, "stderr") === "warned\n",
          schedule: Schedule.spaced("20 millis")
        })
        const early = yield* Stream.runCollect(souffleur.output({ project }, { follow: false }))
        assert.strictEqual(on(early, "stdout"), "one\n")
        assert.deepInclude(yield* souffleur.result(watch.id), { end: null, exit: null, words: "one\nwarned" })
        yield* fs.writeFileString(`${project}/go`, "")
        yield* watch.awaitEnd
        yield* Fiber.join(reading)
        const all = yield* Ref.get(seen)
        assert.deepStrictEqual([on(all, "stdout"), on(all, "stderr")], ["one\ntwo\n\u00ff", "warned\n"])
        const { launchId } = yield* souffleur.state(watch.id)
        assert.deepStrictEqual([...new Set(all.map((part) => part.launchId))], [launchId])
        const { end, exit, id, used, words } = yield* souffleur.result(watch.id)
        assert.deepStrictEqual([id, end, exit, used.tokens], [watch.id, "completed", { _tag: "Exited", code: 0 }, 0])
        assert.strictEqual(words, yield* souffleur.lastWords(watch.id))
        assert.strictEqual(words, "warned\none\ntwo\n\uFFFD")
      }).pipe(Effect.scoped, Effect.provide(souffleurIn(home)))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

describe("behaviour#first-launch", () => {
  it.live("a project that is not there is an error at once, and nothing begins", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
      const project = `${home}/nowhere`
      yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const run = { project, command: ["/bin/true"] } as const
        const watch = { project, pid: process.pid, sessionId: "s1" }
        const plan = { project, plan: `${home}/plan.yaml`, state: `${home}/state.json` }
        const asked: ReadonlyArray<Effect.Effect<unknown, unknown, Scope.Scope>> = [
          souffleur.run(run),
          souffleur.watch(watch),
          souffleur.detach(run, { line: (id) => ["/bin/true", id] }),
          souffleur.conduct(plan),
          souffleur.preview(run),
          souffleur.preview(watch),
          souffleur.previewPlan(plan)
        ]
        for (const one of asked) assert.deepInclude(yield* Effect.flip(one), { _tag: "ProjectMissing", project })
        assert.deepStrictEqual(yield* souffleur.watches, [])
      }).pipe(Effect.scoped, Effect.provide(souffleurIn(home)))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

it.live("the options of souffleur come from the config of an app, and one that is missing is an error of that", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" })
    const layer = Souffleur.layerNodeConfig({
      stateDir: Config.String("STATE_DIR"),
      environment: Config.succeed({ HOME: home }),
      settings: { stopGrace: Config.Duration("STOP_GRACE") }
    })
    const watches = Effect.provide(
      Souffleur.use(({ watches }) => watches),
      layer
    )
    const given = (config: object) => Effect.provide(watches, ConfigProvider.layer(ConfigProvider.fromUnknown(config)))
    assert.deepStrictEqual(yield* given({ STATE_DIR: `${home}/state`, STOP_GRACE: "1 second" }), [])
    assert.isTrue(yield* fs.exists(`${home}/state/souffleur.db`))
    assert.strictEqual((yield* Effect.flip(given({ STOP_GRACE: "1 second" })))._tag, "ConfigError")
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

describe("behaviour#early-ends", () => {
  it.live("an end that came while nobody kept the watch is what the next process finds, with its output", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
      const project = `${home}/opera`
      yield* fs.makeDirectory(project)
      const line = "echo $$ >> began; echo one; until [ -e go ]; do sleep 0.05; done; echo two; touch over"
      const order = { project, command: ["/bin/sh", "-c", line] } as const
      const left = yield* Effect.gen(function* () {
        const watch = yield* (yield* Souffleur).run(order)
        yield* watch.events.pipe(
          Stream.takeUntil(({ event }) => event._tag === "WatchSettled"),
          Stream.runDrain
        )
        return watch.id
      }).pipe(Effect.scoped, Effect.provide(souffleurIn(home)))
      yield* fs.writeFileString(`${project}/go`, "")
      yield* Effect.repeat(fs.exists(`${project}/over`), { until: (so) => so, schedule: Schedule.spaced("20 millis") })
      yield* Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { end } = yield* Effect.flatMap(souffleur.resume(left), ({ awaitEnd }) => awaitEnd)
        assert.strictEqual(end, "completed")
        const { exit, words } = yield* souffleur.result(left)
        assert.deepStrictEqual([exit, words], [{ _tag: "Exited", code: 0 }, "one\ntwo"])
      }).pipe(Effect.scoped, Effect.provide(souffleurIn(home)))
      assert.lengthOf((yield* fs.readFileString(`${project}/began`)).trim().split("\n"), 1)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
