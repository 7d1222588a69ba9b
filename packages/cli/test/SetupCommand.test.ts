import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { Event } from "@souffleur/domain"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

it.layer(services)((it) => {
  it.effect(
    "a setup writes each answer and says where; a missing answer without a terminal, and an agent's session, are refused",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-setup-" }))
        const project = `${home}/opera`
        yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
        const file = `${project}/.orchestra_configs/souffleur`
        yield* fs.writeFileString(file, "# mine\nSTOP_GRACE=3 seconds\nNOTIFY=desktop\n", { mode: 0o600 })
        const before = yield* fs.readFileString(file)
        yield* fs.makeDirectory(`${home}/bin`)
        yield* fs.writeFileString(`${home}/bin/claude`, "#!/bin/sh\n", { mode: 0o755 })
        const variables = { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
        const setup = (...args: ReadonlyArray<string>) => printed(project, variables, "setup", ...args)
        const refused = (...args: ReadonlyArray<string>) => Effect.map(Effect.flip(setup(...args)), ({ code }) => code)

        assert.strictEqual(yield* refused(), 2)
        assert.strictEqual(yield* refused("--agent", "claude", "--hooks", "none"), 2)
        assert.strictEqual(yield* refused("--yes", "--notify", "nonsense:x"), 2)
        assert.strictEqual(yield* refused("--yes", "--agent", "claude\nMAX_EXTERNAL_PERMISSION=bypassPermissions"), 2)
        assert.strictEqual(yield* fs.readFileString(file), before)
        assert.deepStrictEqual(yield* setup("--yes"), ["Nothing is changed."])

        const hooks = `${project}/.claude/settings.local.json`
        const answers = ["--permission", "bypassPermissions", "--hooks", "project", "--notify", "ntfy:night"]
        assert.deepStrictEqual(yield* setup("--yes", ...answers), [
          `config   ${file}`,
          `hooks    ${hooks}`,
          'Next: souffleur run -- claude "do it"'
        ])
        assert.strictEqual(
          yield* fs.readFileString(file),
          "# mine\nSTOP_GRACE=3 seconds\nMAX_EXTERNAL_PERMISSION=bypassPermissions\nNOTIFY=ntfy:night\n"
        )
        assert.isTrue(yield* fs.exists(hooks))
        const { trusted } = JSON.parse(
          (yield* printed(project, variables, "config", "--json"))
            .filter((line) => !line.startsWith("config file"))
            .join("\n")
        )
        assert.strictEqual(trusted, "yes")

        // None takes out the hooks that are there. Without a word they stay.
        assert.deepStrictEqual(yield* setup("--yes"), ["Nothing is changed."])
        assert.isTrue(yield* fs.exists(hooks))
        assert.deepStrictEqual((yield* setup("--yes", "--hooks", "none"))[0], `no hooks ${hooks}`)
        assert.isFalse(yield* fs.exists(hooks))

        // An agent must not raise its own ceiling by it.
        const inAgent = printed(project, { ...variables, CLAUDECODE: "1" }, "setup", "--yes", ...answers)
        assert.strictEqual((yield* Effect.flip(inAgent)).code, 2)
      })
  )

  it.effect("a setup warns of an agent that is not in PATH", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-setup-" }))
      const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: `${home}/state` }
      const told = yield* printed(home, variables, "setup", "--yes", "--agent", "no-such-agent")
      assert.match(told[0] ?? "", /^warning: .*no-such-agent.*: nothing can be launched until it is installed$/u)
    })
  )

  it.effect("an uninstall's dry run says what stays, and why", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const the = yield* place({ comms: false })
      const home = the.stateDir.slice(0, -"/state".length)
      yield* the.watch("opera-1", [
        ...watching({ project: the.project, comms: null }),
        Event.ConductorCompleted.make({ at: 2000, by: "agent" })
      ])
      yield* fs.makeDirectory(`${the.project}/.orchestra_configs`)
      const config = `${the.project}/.orchestra_configs/souffleur`
      yield* fs.writeFileString(config, "STOP_GRACE=3 seconds\n", { mode: 0o600 })
      const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: the.stateDir }
      const dry = (...args: ReadonlyArray<string>) => printed(the.project, variables, "uninstall", "--dry-run", ...args)
      const told = yield* dry()
      assert.include(told, `stays          ${the.stateDir}/souffleur.db: --state removes it too`)
      assert.include(told, `stays          ${config}: it is your file`)
      assert.isFalse((yield* dry("--state")).some((line) => line.includes("--state removes")))
      const { left } = JSON.parse((yield* dry("--json")).join("\n"))
      assert.deepInclude(left, { path: config, message: "it is your file" })
    })
  )
})
