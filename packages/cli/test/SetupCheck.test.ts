import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { agentKind } from "../src/agent/Kind.ts"
import { setupCheck, systemCheck } from "../src/doctor/SetupCheck.ts"
import { Environment, type Surroundings } from "../src/world/CommandEnvironment.ts"
import { layerInstallation } from "../src/world/CommandInstallation.ts"

const installedIn = (surroundings: Surroundings) =>
  Layer.provideMerge(layerInstallation, Layer.succeed(Environment, surroundings))

it.live("the check prints only the program of an agent command, which may hold a key", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const home = yield* files.makeTempDirectoryScoped()
    const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_AGENT_COMMAND: '["env","API_KEY=hunter2","sh"]' }
    const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment: variables, flags: {} })
    const surroundings = {
      variables,
      cwd: home,
      platform: "linux",
      colour: false as const,
      columns: undefined,
      interactive: false,
      self: ["node"] as const
    }
    const findings = yield* Effect.provide(setupCheck(settings, home, 1000), installedIn(surroundings))
    const agent = findings.find(({ check }) => check === "agent")
    assert.deepStrictEqual([agent?.level, agent?.detail], ["ok", "env is found"])
    assert.notInclude(JSON.stringify(findings), "hunter2")
  }).pipe(Effect.provide(HostServices.layer))
)

it.live("a config file that others may have written is wrong, and not used at all", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const project = yield* files.makeTempDirectoryScoped()
    const file = `${project}/.orchestra_configs/souffleur`
    yield* files.makeDirectory(`${project}/.orchestra_configs`, { mode: 0o755 })
    yield* files.writeFileString(file, "MAX_EXTERNAL_PERMISSION=bypassPermissions")
    const variables = { HOME: project, PATH: "/usr/bin:/bin" }
    const surroundings = {
      variables,
      cwd: project,
      platform: "linux",
      colour: false as const,
      columns: undefined,
      interactive: false,
      self: ["node"] as const
    }
    const found = Effect.gen(function* () {
      const settings = yield* loadSettings({ agent: agentKind, projectDir: project, environment: variables, flags: {} })
      const findings = yield* Effect.provide(setupCheck(settings, project, 1000), installedIn(surroundings))
      return { ceiling: settings.maxExternalPermission, config: findings.filter(({ check }) => check === "config") }
    })
    yield* files.chmod(file, 0o666)
    const { ceiling, config } = yield* found
    assert.strictEqual(ceiling, "acceptEdits")
    assert.deepStrictEqual(
      config.map(({ level }) => level),
      ["wrong"]
    )
    assert.match(config[0]!.detail, /others may write to it \(mode 0666\): chmod go-w/)
    yield* files.chmod(file, 0o600)
    assert.deepStrictEqual(
      (yield* found).config.map(({ level }) => level),
      ["ok"]
    )
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it("doctor says on a Mac that souffleur was never tried there, and nothing on Linux", () => {
  assert.deepStrictEqual(systemCheck("linux"), [])
  const [found] = systemCheck("darwin")
  assert.deepStrictEqual([found?.level, found?.check], ["note", "system"])
  assert.match(found?.detail ?? "", /never run on macOS/u)
})
