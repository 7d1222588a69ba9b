import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
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
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: `${home}/state` }
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

        // An agent must not raise its own ceiling by it.
        const inAgent = printed(project, { ...variables, CLAUDECODE: "1" }, "setup", "--yes", ...answers)
        assert.strictEqual((yield* Effect.flip(inAgent)).code, 2)
      })
  )
})
