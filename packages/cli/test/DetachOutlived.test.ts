import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, it } from "@effect/vitest"
import { Event, EventLog, Processes } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { FakeProcesses, FakeWorld, identityOf } from "@souffleur/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { outlived, startDetached } from "../src/watching/Detach.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { gone, place, services } from "./mcp/McpPlace.ts"

const at = 1000

/** The pid of a process that has ended, and that its parent never waits for. */
const zombie = Effect.acquireRelease(
  Effect.promise(async () => {
    const parent = spawn("/bin/sh", ["-c", "true & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] })
    const [pid] = (await once(parent.stdout, "data")) as [Buffer]
    return { parent, pid: Number(String(pid)) }
  }),
  ({ parent }) => Effect.sync(() => parent.kill("SIGKILL"))
)

it.live("a detached souffleur that nothing reaps has ended all the same", () =>
  Effect.gen(function* () {
    const { as, project, watch } = yield* place({ comms: false })
    yield* watch("w", [
      Event.WatchOpened.make({ at, project, comms: null, pid: gone.pid, sessionId: "unreaped", observe: false })
    ])
    const { pid } = yield* zombie
    const code = yield* Effect.match(cli(["resume", "w", "--project-dir", project]), {
      onFailure: (ended) => ended.code,
      onSuccess: () => 0
    }).pipe(
      Effect.updateService(Environment, (one) => ({ ...one, self: ["/bin/sh", "-c", `echo ${pid}`] as const })),
      as(""),
      Effect.timeout("3 seconds")
    )
    assert.strictEqual(code, 1)
    assert.include((yield* TestConsole.logLines).join("\n"), `pid ${pid} ended before it watched`)
  }).pipe(Effect.provide([TestConsole.layer, services]))
)
it.effect("a souffleur that the first process of a container has started does not wait to outlive it", () => {
  const processes = new FakeProcesses()
  processes.ancestors = [1]
  return Effect.provide(outlived(1), processes.layer)
})

const layerEcho = Layer.succeed(Environment, {
  variables: {},
  cwd: "/p",
  platform: "linux",
  colour: false,
  columns: undefined,
  interactive: false,
  self: ["/bin/sh", "-c", "echo 4242"]
})

it.effect("a detached souffleur that does not come to watch within a minute is ended, and what to do is said", () => {
  const world = new FakeWorld()
  return Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append("night", 0, [
      Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false })
    ])
    const looks = yield* Deferred.make<void>()
    world.processes.run({ pid: 4242, on: { SIGTERM: "stays" } })
    const processes = Processes.of({
      ...world.processes.service,
      find: (pid) => Effect.andThen(Deferred.succeed(looks, undefined), world.processes.service.find(pid))
    })
    const started = yield* startDetached("night", false).pipe(
      Effect.provideService(Processes, processes),
      Effect.flip,
      Effect.forkChild
    )
    yield* Deferred.await(looks)
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual(world.signals, [])
    yield* TestClock.adjust("2 seconds")
    yield* TestClock.adjust("11 seconds")
    const { _tag, message } = yield* Fiber.join(started)
    assert.strictEqual(_tag, "NotDetached")
    assert.match(
      message,
      /^pid 4242 did not come to watch within 60 s, and was ended: \S+ may say why, and "souffleur resume night" tries again$/u
    )
    assert.deepStrictEqual(world.signals, ["SIGTERM 4242", "SIGKILL 4242"])
    assert.isFalse(world.processes.has(identityOf(4242)))
  }).pipe(Effect.provide([Layer.merge(world.layer, Layer.fresh(HostServices.layer)), layerEcho]))
})
