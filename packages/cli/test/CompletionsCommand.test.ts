import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

describe("command-line#setting-up", () => {
  it.layer(services)((it) => {
    it.effect("a completion is written where its shell looks, says where, and goes again; a foreign file stays", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-completions-" }))
        const variables = { HOME: home, SHELL: "/usr/bin/fish", SOUFFLEUR_STATE_DIR: `${home}/state` }
        const say = (...args: ReadonlyArray<string>) => printed(home, variables, "completions", ...args)
        const files = {
          bash: `${home}/.local/share/bash-completion/completions/souffleur`,
          zsh: `${home}/.local/share/zsh/site-functions/_souffleur`,
          fish: `${home}/.config/fish/completions/souffleur.fish`
        }
        for (const [shell, file] of Object.entries(files)) {
          assert.strictEqual((yield* say("install", shell))[0], `The completion for ${shell} is written to ${file}.`)
          assert.strictEqual((yield* say("install", shell))[0], `The completion for ${shell} is in ${file}.`)
          assert.match(yield* fs.readFileString(file), /conduct[^]*souffleur completions uninstall/u)
        }
        assert.match(yield* fs.readFileString(files.zsh), /^#compdef souffleur\n/u)
        // Without a word it is the shell of SHELL.
        assert.deepStrictEqual(yield* say("uninstall"), [`${files.fish} is removed.`])
        assert.isFalse(yield* fs.exists(files.fish))
        assert.deepStrictEqual(yield* say("uninstall"), ["There is no completion for fish."])

        yield* fs.writeFileString(files.fish, "mine")
        for (const act of ["install", "uninstall"])
          assert.deepStrictEqual(yield* Effect.flip(say(act)).pipe(Effect.map(({ code }) => code)), 2)
        assert.strictEqual(yield* fs.readFileString(files.fish), "mine")

        // An uninstall of all finds those that are left, and not the foreign one.
        const listed = yield* printed(home, { ...variables, PATH: "" }, "uninstall", "--dry-run")
        assert.deepStrictEqual(
          listed.filter((line) => line.startsWith("completion")).map((line) => line.split(/\s+/u)[1]),
          [files.bash, files.zsh]
        )
      })
    )
  })
})
