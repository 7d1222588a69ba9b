import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printed, printedAt } from "./Printed.ts"

it.layer(services)((it) => {
  describe("command-line#setting-up", () => {
    it.effect("the plugin is installed for the user, doctor knows it, and an uninstall finds it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-plugin-" }))
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: `${home}/state` }
        const said = (...args: ReadonlyArray<string>) => printed(home, variables, ...args)
        const file = `${home}/.claude/skills/souffleur/SKILL.md`
        const finding = Effect.gen(function* () {
          const lines: Array<string> = []
          yield* Effect.ignore(printedAt({ cwd: home, variables, interactive: false, lines }, "doctor", "--json"))
          const all: ReadonlyArray<{ readonly check: string; readonly level: string; readonly detail: string }> =
            JSON.parse(lines.join("\n"))
          const found = all.find(({ check }) => check === "plugin")
          return `${found?.level} ${found?.detail}`
        })
        assert.strictEqual(yield* finding, 'ok none in Claude Code; "souffleur plugin install" adds /souffleur')
        assert.deepStrictEqual(yield* said("plugin", "install"), [
          `${file}: installed; type in Claude Code: /souffleur PID:<pid> SESSION_ID:<session id>`
        ])
        assert.deepStrictEqual(yield* said("plugin", "status"), [`${file}: installed`])
        assert.strictEqual(yield* finding, "ok /souffleur is in Claude Code")
        const text = yield* fs.readFileString(file)
        yield* fs.writeFileString(file, text.replaceAll(process.execPath, "/no/such/node"))
        assert.strictEqual(yield* finding, "wrong /souffleur of Claude Code starts /no/such/node, which is not there")
        yield* fs.writeFileString(file, text.replace("Repeat the line", "Say the line"))
        assert.match(yield* finding, /^note \/souffleur of Claude Code is of another version/u)
        assert.match((yield* said("uninstall", "--dry-run")).join("\n"), new RegExp(`^plugin +${file}$`, "mu"))
        yield* said("uninstall", "--yes")
        assert.isFalse(yield* fs.exists(`${home}/.claude/skills/souffleur`))

        yield* fs.makeDirectory(`${home}/.claude/skills/souffleur`)
        yield* fs.writeFileString(file, "of others\n")
        assert.match(yield* finding, /^note \/souffleur of Claude Code is another program's/u)
        assert.strictEqual((yield* Effect.flip(said("plugin", "install"))).code, 2)
        assert.notInclude((yield* said("uninstall", "--dry-run")).join("\n"), file)
        assert.strictEqual(yield* fs.readFileString(file), "of others\n")
      })
    )
  })
})
