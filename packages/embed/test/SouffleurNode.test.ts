import { assert, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Duration, Effect, Fiber, FileSystem, Option, Path, Schedule, Stream } from "effect"
import { Souffleur } from "../src/index.ts"

/** The first run waits for its end by another, and the second has all done. */
const job = "#!/bin/sh\nif [ -e began ]; then exit 0; fi; touch began; exec sleep 600"

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
      const layer = Souffleur.layerNode({
        stateDir: path.join(home, "state"),
        environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home },
        settings: {
          watcherInitialWait: Duration.zero,
          watcherInterval: Duration.millis(50),
          monitorInitialWait: Duration.millis(50),
          monitorInterval: Duration.millis(50),
          stopGrace: Duration.millis(50)
        }
      })
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
        const { end, generation } = yield* watch.end
        assert.deepStrictEqual([end, generation], ["completed", 2])
        const why = Option.getOrThrow(yield* souffleur.why(first))
        assert.include(why.lines.join("\n"), "exit code 0")
        return (yield* Fiber.join(told)).map(({ event }) => event._tag)
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.includeMembers(last, ["OwnerTook", "ConductorDied", "ConductorRelaunched", "ConductorCompleted"])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)
