/** @module-tag cases */
import { claudeCode } from "@souffleur/agents"
import { CommsSchema } from "@souffleur/comms"
import { CommandRefused, guardianOf } from "@souffleur/domain"
import { Beats, EventLogSql } from "@souffleur/eventlog"
import { guardianNamed, HostServices, SqliteClient } from "@souffleur/node"
import type { NoticeMessage } from "@souffleur/process"
import { FailedClosed } from "@souffleur/recovery"
import { Roles } from "@souffleur/supervisor"
import { FakeWorld } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FileSystem, Layer, Option, Path, Result, Schedule, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { type NodeOptions, Souffleur } from "../src/index.ts"
import { layerDatabase } from "../src/world/StoreLayers.ts"

const quick = {
  watcherInitialWait: Duration.zero,
  watcherInterval: Duration.millis(50),
  validationRetryInterval: Duration.millis(10),
  stopGrace: Duration.millis(50)
}

/** A project of the test's own, and the service with other parts. */
const place = Effect.fnUntraced(function* ({ environment, ...parts }: Partial<NodeOptions> = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
  const project = path.join(home, "opera")
  yield* fs.makeDirectory(project)
  const stateDir = path.join(home, "state")
  const layer = Souffleur.layerNode({
    stateDir,
    environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home, ...environment },
    settings: quick,
    ...parts
  })
  return { fs, home, project, stateDir, layer, comms: path.join(project, "comms.db") }
})
/** Waits until no process has this pid. */
const untilGone = (pid: number) =>
  Effect.sync(() => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }).pipe(Effect.repeat({ until: (lives) => !lives, schedule: Schedule.spaced("20 millis") }))
const host = Layer.provideMerge(SqliteClient.layerSqlite, HostServices.layer)

it.live("a watch speaks to comms by the errand of this package, and refuses a file that is no such database", () =>
  Effect.gen(function* () {
    const { comms, fs, layer, project } = yield* place()
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const child = yield* ChildProcess.make("/bin/sleep", ["600"])
      const order = { project, pid: child.pid, sessionId: "11111111-1111-4111-8111-111111111111" }
      yield* fs.writeFileString(comms, "no database")
      assert.strictEqual((yield* Effect.flip(souffleur.watch(order)))._tag, "CommsUnavailable")
      yield* fs.remove(comms)
      yield* CommsSchema.init(comms)
      // No session of that process is known, so that its watch ends, and comms is told why.
      const watch = yield* souffleur.watch(order)
      assert.strictEqual((yield* watch.awaitEnd).end, "validation exhausted")
      const { comms: told } = yield* watch.state
      assert.strictEqual(told, comms)
    }).pipe(Effect.scoped, Effect.provide(layer))
    const commsDb = new DatabaseSync(comms, { readOnly: true })
    const rows = commsDb.prepare("SELECT count(*) AS messages FROM orchestration_messages").get()
    commsDb.close()
    assert.isAbove(Number(rows?.["messages"]), 0)
  }).pipe(Effect.scoped, Effect.provide(host))
)

it.live("a watch with a guardian has a process beside it that beats, and that ends with the watch", () =>
  Effect.gen(function* () {
    const { layer, project, stateDir } = yield* place()
    const beats = Layer.provide(EventLogSql.layerBeside(), layerDatabase(`${stateDir}/souffleur.db`))
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const guardian = { line: () => [process.execPath, "-e", ""] as const, cwd: project }
      const watch = yield* souffleur.run({ project, command: ["/bin/sleep", "600"], guardian })
      yield* watch.events.pipe(
        Stream.takeUntil(({ event }) => event._tag === "WatchSettled"),
        Stream.runDrain
      )
      const beat = yield* Beats.use((beats) => beats.last(guardianOf(watch.id))).pipe(
        Effect.repeat({ until: Option.isSome, schedule: Schedule.spaced("20 millis") }),
        Effect.provide(beats)
      )
      const { pid } = guardianNamed(Option.getOrThrow(beat).by)!
      const { conductor } = yield* watch.state
      yield* souffleur.release(watch.id)
      yield* watch.awaitEnd
      process.kill(conductor!.pid, "SIGKILL")
      yield* untilGone(pid)
    }).pipe(Effect.scoped, Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(host))
)

it.live("a preview says what a command and its recovery would be, and starts and opens nothing", () =>
  Effect.gen(function* () {
    const { fs, layer, project } = yield* place()
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const command = ["/bin/touch", "began"] as const
      const { ends, sees, starts } = yield* souffleur.preview({ project, command })
      assert.deepStrictEqual(starts, { program: "/bin/touch", args: ["began"], input: null })
      assert.deepInclude(sees, { kind: "command", goes_on: null, project })
      const killed = ends.find(({ end }) => end === "killed")
      assert.deepStrictEqual(killed?.ways[0]?.lines, starts === null ? [] : [starts])
      assert.deepStrictEqual(yield* souffleur.watches, [])
      assert.isFalse(yield* fs.exists(`${project}/began`))
      const { events, id } = yield* souffleur.run({ project, command: ["/bin/sleep", "600"] })
      yield* Stream.runDrain(Stream.takeUntil(events, ({ event }) => event._tag === "ConductorConfirmed"))
      assert.strictEqual((yield* souffleur.preview({ watch: id })).sees.goes_on?.watch, id)
      const { conductor } = yield* souffleur.release(id)
      process.kill(conductor!.pid, "SIGKILL")
    }).pipe(Effect.scoped, Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(host))
)

it.live("an app's own provider recovers, and its own kind of agent reads the command", () =>
  Effect.gen(function* () {
    const roles = Roles.layerWith([
      { name: "ours", of: "command", recover: () => new FailedClosed({ stage: "ours", message: "not tonight" }) }
    ])
    const { layer, project } = yield* place({ roles })
    const event = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.run({ project, command: ["/bin/sh", "-c", "exit 3"] })
      return yield* watch.events.pipe(
        Stream.filter(({ event }) => event._tag === "RecoveryFailedClosed"),
        Stream.runHead,
        Effect.flatMap(Effect.fromOption)
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
    assert.deepInclude(event.event, { stage: "ours", message: "not tonight" })

    const refusing = { ...claudeCode, takeApart: () => Result.fail(new CommandRefused({ message: "not this one" })) }
    const other = yield* place({ agent: refusing })
    const refused = yield* Souffleur.use(({ run }) => run({ project: other.project, command: ["/bin/true"] })).pipe(
      Effect.scoped,
      Effect.provide(other.layer),
      Effect.flip
    )
    assert.deepInclude(refused, { _tag: "CommandRefused", message: "not this one" })
  }).pipe(Effect.scoped, Effect.provide(host))
)

describe("behaviour#detach", () => {
  it.live(
    "an app hands a command to a process of its own, which owns its watch, and neither has marks of an agent",
    () =>
      Effect.gen(function* () {
        const { fs, home, layer, project, stateDir } = yield* place({
          environment: { CLAUDE_CODE_SESSION_ID: "s1", SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" }
        })
        const keeps = fileURLToPath(new URL("Keeps.ts", import.meta.url))
        yield* Effect.gen(function* () {
          const souffleur = yield* Souffleur
          const order = { project, command: ["/bin/sh", "-c", "env > seen; exec sleep 600"] } as const
          const line = (id: string) => [process.execPath, keeps, stateDir, home, id] as const
          const { id, pid } = yield* souffleur.detach(order, { line })
          assert.strictEqual((yield* souffleur.state(id)).owner?.process.pid, pid)
          const second = yield* Effect.flip(souffleur.detach(order, { line }))
          assert.strictEqual(second._tag, "AlreadyWatched")
          assert.include(second.message, "a folder begins nothing beside its unfinished watch")
          const begun = Stream.takeUntil(souffleur.events(id), ({ event }) => event._tag === "WatchSettled")
          yield* Stream.runDrain(begun)
          // The shell begins a moment after its launch is known.
          const seen = yield* fs.readFileString(`${project}/seen`).pipe(
            Effect.orElseSucceed(() => ""),
            Effect.repeat({ until: (text) => text.includes("PATH="), schedule: Schedule.spaced("20 millis") })
          )
          assert.notMatch(seen, /CLAUDE_CODE_SESSION_ID|w-g1-launch-1/u)
          const { conductor } = yield* souffleur.release(id)
          process.kill(conductor!.pid, "SIGKILL")
          yield* untilGone(pid)
          assert.deepInclude(yield* Effect.flip(souffleur.detach({ watch: id }, { line })), {
            _tag: "Refused",
            reason: "ended"
          })
        }).pipe(Effect.scoped, Effect.provide(layer))
      }).pipe(Effect.scoped, Effect.provide(host))
  )
})

describe("behaviour#notices", () => {
  it.live("a watch tells the channels of NOTIFY, or those that an app gives in their place", () =>
    Effect.gen(function* () {
      const { fs, home } = yield* place()
      const program = `${home}/tell`
      yield* fs.writeFileString(program, `#!/bin/sh\ncat >> ${home}/told\n`, { mode: 0o700 })
      const notify = [{ _tag: "command", command: program }] as const
      const ended = Effect.fnUntraced(function* (parts: Partial<NodeOptions>) {
        const { layer, project } = yield* place(parts)
        const watch = Souffleur.use(({ run }) => run({ project, command: ["/bin/true"] }))
        const { end } = yield* Effect.flatMap(watch, ({ awaitEnd }) => awaitEnd).pipe(
          Effect.scoped,
          Effect.provide(layer)
        )
        assert.strictEqual(end, "completed")
      })
      yield* ended({ settings: { ...quick, notify } })
      const told = yield* fs.readFileString(`${home}/told`)
      assert.deepInclude(JSON.parse(told), { kind: "completed" })
      const heard: Array<string> = []
      const send = ({ notice }: NoticeMessage) => Effect.sync(() => void heard.push(notice.kind))
      yield* ended({
        settings: { ...quick, notify },
        notices: () => Effect.succeed([{ name: "ours", words: false, send }])
      })
      assert.deepStrictEqual(heard, ["completed"])
      assert.strictEqual(yield* fs.readFileString(`${home}/told`), told)
    }).pipe(Effect.scoped, Effect.provide(host))
  )
})

it.live("an app's own processes, claims, launcher and comms take the place of the host's", () =>
  Effect.gen(function* () {
    const world = new FakeWorld({ conductor: { pid: 4711, sessionId: "s1" } })
    const { layer, project } = yield* place({
      processes: world.processes.layer,
      claims: world.claims.layer,
      launcher: () => world.launcher.layer,
      comms: () => world.comms.layer
    })
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const run = yield* souffleur.run({ project, command: ["/bin/true"] })
      yield* Stream.runDrain(Stream.takeUntil(run.events, ({ event }) => event._tag === "ConductorConfirmed"))
      assert.deepInclude(world.launches[0], { cwd: project })
      assert.strictEqual((yield* souffleur.status(yield* souffleur.find(run.id))).conductor, "running")
      const { id } = yield* souffleur.watch({ project, pid: 4711, sessionId: "s1", comms: "/nowhere.db" })
      assert.strictEqual((yield* souffleur.status(yield* souffleur.find(id))).comms, "ok")
      assert.isAbove([...world.claims.held].length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(host))
)
