import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { loadSettings } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { setup } from "../src/doctor/Setup.ts"
import { Environment } from "../src/Environment.ts"

it.live("an agent command may hold a key: it is told by its program alone", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const home = yield* files.makeTempDirectoryScoped()
    const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_AGENT_COMMAND: '["env","API_KEY=hunter2","sh"]' }
    const settings = yield* loadSettings({ projectDir: home, environment: variables, flags: {} })
    const surroundings = { variables, cwd: home, platform: "linux", colour: false as const, interactive: false, self: ["node"] as const }
    const findings = yield* Effect.provideService(setup(settings, 1000), Environment, surroundings)
    const agent = findings.find(({ check }) => check === "agent")
    assert.deepStrictEqual([agent?.level, agent?.detail], ["ok", "env is found"])
    assert.notInclude(JSON.stringify(findings), "hunter2")
  }).pipe(Effect.provide(NodeServices.layer))
)
