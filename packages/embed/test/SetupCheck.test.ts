import { anyAgent, claudeCode } from "@souffleur/agents"
import { HostServices } from "@souffleur/node"
import { type AgentPackage, loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FileSystem } from "effect"
import { setupCheck, systemCheck } from "../src/doctor/SetupCheck.ts"
import { installed } from "./Installed.ts"

/** Another agent beside the first. */
const other: AgentPackage = {
  ...claudeCode,
  title: "Other",
  program: "other",
  folder: { variables: ["OTHER_DIR"], inHome: ".other" },
  sessions: "talks",
  stall: Duration.seconds(301),
  owns: ([program]) => program === "other"
}

describe("command-line#doctor", () => {
  it.live("the check prints only the program of an agent command, which may hold a key", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_AGENT_COMMAND: '["env","API_KEY=hunter2","sh"]' }
      const settings = yield* loadSettings({ agent: claudeCode, projectDir: home, environment: variables, flags: {} })
      const findings = yield* setupCheck(settings, home, 1000).pipe(Effect.provide(installed(variables)))
      const agent = findings.find(({ check }) => check === "agent")
      assert.deepStrictEqual([agent?.level, agent?.detail], ["ok", "env is found"])
      assert.notInclude(JSON.stringify(findings), "hunter2")
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.live("the folder and the limits are those of the agent that is installed, not of the default that is not", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${home}/other`, "#!/bin/sh\n", { mode: 0o755 })
      const agent = anyAgent(claudeCode, other)
      const checked = Effect.fnUntraced(function* (PATH: string) {
        const variables = { HOME: home, PATH }
        const settings = yield* loadSettings({ agent, projectDir: home, environment: variables, flags: {} })
        const found = yield* Effect.provide(setupCheck(settings, home, 1000), installed(variables, agent))
        return (check: string) => found.filter((one) => one.check === check).map(({ detail }) => detail)
      })
      const found = yield* checked(home)
      assert.include(found("agent").join(), "Other is installed: souffleur run -- other")
      assert.include(found("sessions").join(), `${home}/.other/talks`)
      assert.include(found("stale limit").join(), "silent for 5 m 1 s")
      const none = yield* checked(`${home}/none`)
      assert.include(none("sessions").join(), `${home}/.claude/projects`)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("the check names the program of RECOVERY_COMMAND, and says where there is none", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const checked = Effect.fnUntraced(function* (command: string) {
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_RECOVERY_COMMAND: command }
        const settings = yield* loadSettings({ agent: claudeCode, projectDir: home, environment: variables, flags: {} })
        const findings = yield* setupCheck(settings, home, 1000).pipe(Effect.provide(installed(variables)))
        return findings.flatMap(({ check, detail, level }) => (check === "recovery" ? [[level, detail]] : []))
      })
      assert.deepStrictEqual(yield* checked(""), [])
      const [[level, detail] = []] = yield* checked('["sh","KEY=hunter2"]')
      assert.strictEqual(level, "ok")
      assert.match(detail ?? "", /^\/\S+\/sh is asked first/u)
      for (const [command, why] of [
        ["no-such-lethe", "no program no-such-lethe in PATH"],
        ["[", "not a JSON array"]
      ] as const) {
        const [[level, detail] = []] = yield* checked(command)
        assert.strictEqual(level, "wrong")
        assert.include(detail, why)
      }
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it("doctor says on a Mac that souffleur was never tried there, and nothing on Linux", () => {
    assert.deepStrictEqual(systemCheck("linux"), [])
    const [found] = systemCheck("darwin")
    assert.deepStrictEqual([found?.level, found?.check], ["note", "system"])
    assert.match(found?.detail ?? "", /never run on macOS/u)
  })
})

describe("settings#config-file", () => {
  it.live("a config file that others may have written is wrong, and not used at all", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const project = yield* files.makeTempDirectoryScoped()
      const file = `${project}/.orchestra_configs/souffleur`
      yield* files.makeDirectory(`${project}/.orchestra_configs`, { mode: 0o755 })
      yield* files.writeFileString(file, "MAX_EXTERNAL_PERMISSION=bypassPermissions")
      const variables = { HOME: project, PATH: "/usr/bin:/bin" }
      const found = Effect.gen(function* () {
        const settings = yield* loadSettings({
          agent: claudeCode,
          projectDir: project,
          environment: variables,
          flags: {}
        })
        const findings = yield* setupCheck(settings, project, 1000).pipe(Effect.provide(installed(variables)))
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
})
