import { claudeCode } from "@souffleur/agents"
import { Errands } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { type NoticeChannel, NoticeLost } from "@souffleur/process"
import { FakeWorld } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { type NodeOptions, Souffleur, SouffleurSetup } from "../src/index.ts"
import { Installation } from "../src/world/Installation.ts"

/** The service over files in memory. */
const faked = (variables: Readonly<Record<string, string>> = {}) => {
  const world = new FakeWorld()
  const none = Effect.die("nothing is started")
  const installation = Layer.succeed(Installation, {
    agent: claudeCode,
    variables: { HOME: "/home", ...variables },
    launchLine: none,
    guardianLine: none,
    detachLine: none,
    hookLine: none,
    noticeLine: none,
    platform: "linux"
  })
  return {
    world,
    layer: Layer.provide(SouffleurSetup.layer, [installation, Layer.mock(Errands)({}), world.layer])
  }
}

/** A project on this host, and the service for it. */
const place = Effect.fnUntraced(function* (options: Partial<NodeOptions> = {}) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-setup-" }))
  const [project, stateDir] = [`${home}/opera`, `${home}/state`]
  yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
  const environment = { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home }
  const config = (text: string) => fs.writeFileString(`${project}/.orchestra_configs/souffleur`, text, { mode: 0o600 })
  return { fs, home, project, stateDir, config, layer: SouffleurSetup.layerNode({ stateDir, environment, ...options }) }
})

describe("command-line#config", () => {
  it.effect(
    "the settings of a project have their values, their sources and the warnings, and nothing is trusted",
    () => {
      const { layer, world } = faked({ SOUFFLEUR_TRIM_CHARS: "900000" })
      world.files.write(
        "/p/.orchestra_configs/souffleur",
        "MAX_EXTERNAL_PERMISSION=bypassPermissions\nQUIET_HOURS=never\nSTOP_GRACE=90 seconds\n"
      )
      const before = world.files.paths
      return Effect.gen(function* () {
        const { config, settings } = yield* SouffleurSetup.use((setup) => setup.settings("/p"))
        const of = (wanted: string) => settings.find(({ name }) => name === wanted)
        assert.deepInclude(of("trim_chars"), { value: 900_000, from: "SOUFFLEUR_TRIM_CHARS" })
        assert.strictEqual(of("stop_grace")?.value, "90 seconds")
        assert.include(of("stop_grace")?.from ?? "", "/p/.orchestra_configs/souffleur")
        assert.deepInclude(of("max_time"), { value: null, from: null })
        assert.deepInclude(config, {
          file: "/p/.orchestra_configs/souffleur",
          trusted: "not yet",
          ceiling: "bypassPermissions"
        })
        assert.match(config.warnings.join(), /QUIET_HOURS/u)
        assert.deepStrictEqual(world.files.paths, before)
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("command-line#doctor", () => {
  it.live("the findings tell what is wrong and what to do, and a look makes no folder", () =>
    Effect.gen(function* () {
      const { fs, layer, project, stateDir } = yield* place()
      yield* Effect.gen(function* () {
        const setup = yield* SouffleurSetup
        const found = yield* setup.findings(project, { pid: process.pid })
        assert.deepInclude(
          found.find(({ check }) => check === "agent"),
          { level: "wrong" }
        )
        assert.include(
          found.find(({ check }) => check === "trust")?.detail ?? "",
          "asks for nothing that is not trusted"
        )
        assert.match(found.find(({ check }) => check === `process ${process.pid}`)?.detail ?? "", /souffleur/u)
        assert.deepStrictEqual(
          found.filter(({ level, todo }) => level === "wrong" && todo === null),
          []
        )
      }).pipe(Effect.provide(layer))
      assert.isFalse(yield* fs.exists(stateDir))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("a damaged log is a finding, is refused while a process has it open, and is moved aside whole", () =>
    Effect.gen(function* () {
      const { fs, layer, project, stateDir } = yield* place()
      yield* fs.makeDirectory(stateDir, { mode: 0o700 })
      const log = `${stateDir}/souffleur.db`
      yield* fs.writeFileString(log, "no database, ".repeat(1000), { mode: 0o600 })
      yield* Effect.gen(function* () {
        const setup = yield* SouffleurSetup
        const found = yield* setup.findings(project)
        assert.deepInclude(
          found.find(({ check }) => check === "event log"),
          { level: "wrong" }
        )
        const refused = yield* Effect.scoped(Effect.andThen(fs.open(log), Effect.flip(setup.quarantine(project))))
        assert.strictEqual(refused._tag, "NotQuarantined")
        assert.include(refused.message, `nothing is moved: process ${process.pid} has the event log open`)
        assert.isTrue(yield* fs.exists(log))
        const [moved] = yield* setup.quarantine(project)
        assert.include(moved?.detail ?? "", `moved to ${stateDir}/quarantine/`)
        assert.isFalse(yield* fs.exists(log))
        assert.deepInclude((yield* setup.quarantine(project))[0], { level: "ok" })
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

describe("command-line#setting-up", () => {
  it.live("a trial of the notices tells what each channel answered, also those that an app brings", () =>
    Effect.gen(function* () {
      const lost = new NoticeLost({ message: "no such room", tries: 1 })
      const channels: ReadonlyArray<NoticeChannel> = [
        { name: "log", words: false, send: ({ notice }) => Effect.sync(() => assert.strictEqual(notice.kind, "test")) },
        { name: "room", words: false, send: () => Effect.fail(lost) }
      ]
      const ours = yield* place({ notices: () => Effect.succeed(channels) })
      const tried = SouffleurSetup.use((setup) => setup.tryNotices(ours.project))
      assert.deepStrictEqual(yield* Effect.provide(tried, ours.layer), [
        { channel: "log", problem: null },
        { channel: "room", problem: "no such room" }
      ])
      const bare = yield* place()
      assert.deepStrictEqual(
        yield* Effect.provide(
          SouffleurSetup.use((setup) => setup.tryNotices(bare.project)),
          bare.layer
        ),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("a program that the config file names since it was trusted gets no notice", () =>
    Effect.gen(function* () {
      const { config, fs, home, layer, project, stateDir } = yield* place()
      const tell = (name: string) => `NOTIFY=command:${JSON.stringify(["/usr/bin/touch", `${home}/${name}`])}\n`
      const tried = Effect.provide(
        SouffleurSetup.use((setup) => setup.tryNotices(project)),
        layer
      )
      yield* config(tell("first"))
      yield* Effect.provide(
        Souffleur.use((souffleur) => souffleur.trust(project)),
        Souffleur.layerNode({ stateDir, environment: { HOME: home, PATH: "/usr/bin:/bin" } })
      )
      assert.deepStrictEqual(yield* tried, [{ channel: "command", problem: null }])
      yield* config(tell("second"))
      assert.strictEqual((yield* Effect.flip(tried))._tag, "ConfigUntrusted")
      assert.isTrue(yield* fs.exists(`${home}/first`))
      assert.isFalse(yield* fs.exists(`${home}/second`))
      const { config: seen } = yield* Effect.provide(
        SouffleurSetup.use((setup) => setup.settings(project)),
        layer
      )
      assert.deepInclude(seen, { trusted: "no", asks_for: ["NOTIFY"] })
      assert.include(seen.problem ?? "", "NOTIFY")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live(
    "hooks are installed with a program that keeps their signs, are seen there, and go again without a trace",
    () =>
      Effect.gen(function* () {
        const { fs, home, layer, project, stateDir } = yield* place()
        yield* Effect.gen(function* () {
          const setup = yield* SouffleurSetup
          const installed = yield* setup.installHooks({ project })
          assert.deepInclude(installed, { changed: true, how: "installed" })
          const seen = yield* setup.hooks({ project })
          assert.deepInclude(seen, { path: installed.path, agent: claudeCode.program, absent: [], missing: [] })
          assert.sameMembers([...seen.events], [...seen.wanted])
          const [{ self } = { self: [] }] = seen.programs
          const call = JSON.stringify({
            session_id: "s1",
            hook_event_name: "SessionStart",
            source: "startup",
            cwd: project
          })
          const [command = "", ...args] = self
          const environment = { HOME: home, SOUFFLEUR_STATE_DIR: stateDir }
          const { status } = spawnSync(command, [...args, "hook"], { input: call, env: environment })
          assert.strictEqual(status, 0)
          assert.include(yield* fs.readFileString(`${stateDir}/hooks/s1.jsonl`), '"sessionId":"s1"')
          assert.deepInclude(yield* setup.uninstallHooks({ project }), { changed: true, how: "removed" })
          assert.deepStrictEqual((yield* setup.hooks({ project })).events, [])
        }).pipe(Effect.provide(layer))
        assert.deepStrictEqual(yield* fs.readDirectory(`${stateDir}/hooked`), [])
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("an agent that is unknown or takes no such hooks is refused by the name of those that do", () => {
    const { layer } = faked()
    return Effect.gen(function* () {
      const setup = yield* SouffleurSetup
      const refused = yield* Effect.flip(setup.hooks({ project: "/p", agent: "nonesuch" }))
      assert.deepInclude(refused, {
        _tag: "NoHooks",
        message: `nonesuch has no hooks of souffleur. These have some: ${claudeCode.program}`
      })
    }).pipe(Effect.provide(layer))
  })
})
