import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { Event } from "@souffleur/domain"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printed, printedAt } from "./Printed.ts"
import { typedAt } from "./TypedAt.ts"

/** A project with this config file, which nothing trusts yet, and an agent in PATH. */
const folder = Effect.fnUntraced(function* (config: string) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-setup-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
  const file = `${project}/.orchestra_configs/souffleur`
  yield* fs.writeFileString(file, config, { mode: 0o600 })
  yield* fs.makeDirectory(`${home}/bin`)
  yield* fs.writeFileString(`${home}/bin/claude`, "#!/bin/sh\n", { mode: 0o755 })
  const variables = { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  return { file, project, variables }
})

it.layer(services)((it) => {
  describe("command-line#setting-up", () => {
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
          const refused = (...args: ReadonlyArray<string>) =>
            Effect.map(Effect.flip(setup(...args)), ({ code }) => code)

          assert.strictEqual(yield* refused(), 2)
          assert.strictEqual(yield* refused("--agent", "claude", "--hooks", "none"), 2)
          assert.strictEqual(yield* refused("--yes", "--notify", "nonsense:x"), 2)
          for (const name of ["agent", "notify"])
            assert.strictEqual(
              yield* refused("--yes", `--${name}`, "command:x\nMAX_EXTERNAL_PERMISSION=bypassPermissions"),
              2
            )
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

    it.effect("a setup names an installed agent to type next, and leaves the setting as it is", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { file, project, variables } = yield* folder("NOTIFY=desktop\n")
        yield* fs.rename(`${project}/../bin/claude`, `${project}/../bin/codex`)
        const said = yield* printed(
          project,
          variables,
          "setup",
          "--yes",
          "--permission",
          "acceptEdits",
          "--notify",
          "none"
        )
        assert.strictEqual(said.at(-1), 'Next: souffleur run -- codex exec "do it"')
        assert.notInclude(yield* fs.readFileString(file), "AGENT_COMMAND")
      })
    )

    it.effect(
      "a setup trusts no part of the config file that it neither asked for nor showed, unless a person says so",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const { file, project, variables } = yield* folder("EXPORT_COMMAND=/tmp/mine\nNOTIFY=desktop\n")
          const before = yield* fs.readFileString(file)
          const setup = (...args: ReadonlyArray<string>) => printed(project, variables, "setup", "--yes", ...args)
          const answers = ["--permission", "bypassPermissions", "--hooks", "none", "--agent", "claude"]
          assert.strictEqual((yield* Effect.flip(setup(...answers))).code, 2)
          assert.strictEqual((yield* Effect.flip(setup(...answers, "--notify", "desktop"))).code, 2)
          assert.strictEqual(yield* fs.readFileString(file), before)
          assert.deepStrictEqual((yield* setup(...answers, "--trust"))[0], `config   ${file}`)
          // A trusted key needs no word, and a changed one does.
          assert.deepStrictEqual((yield* setup("--permission", "acceptEdits"))[0], `config   ${file}`)
          yield* fs.writeFileString(file, "EXPORT_COMMAND=/tmp/other\nNOTIFY=desktop\n")
          assert.strictEqual((yield* Effect.flip(setup("--permission", "bypassPermissions"))).code, 2)
        })
    )

    it.effect("a setup asks at a terminal for each answer, and for the rest of the config file", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { file, project, variables } = yield* folder("EXPORT_COMMAND=/tmp/\u001B[2Jmine\n")
        const shown: Array<string> = []
        const setup = (...keys: ReadonlyArray<string>) =>
          printedAt({ cwd: project, variables, interactive: true }, "setup").pipe(typedAt(keys, shown))
        const enter = "enter"
        // Agent, permission, hooks, notices, service; then the rest of the file. Each menu begins at what holds now.
        const five = [enter, "down", enter, "down", "down", enter, enter, "n"]
        assert.strictEqual((yield* Effect.flip(setup(...five, "n"))).code, 2)
        assert.isFalse((yield* fs.readFileString(file)).includes("MAX_EXTERNAL_PERMISSION"))
        const told = shown.join("")
        for (const what of [
          "Which agent?",
          "may have?",
          "it may edit files, and its own rules",
          "it may run any command without a question",
          "the agent says at once what it does",
          "Hooks",
          "Where are you told",
          "after a reboot",
          "EXPORT_COMMAND=/tmp/\\u001b[2Jmine"
        ])
          assert.include(told, what)
        assert.notInclude(told, "\u001B[2J")
        assert.deepStrictEqual(yield* setup(...five, "y"), [
          `config   ${file}`,
          'Next: souffleur run -- claude "do it"'
        ])
        assert.include(yield* fs.readFileString(file), "MAX_EXTERNAL_PERMISSION=bypassPermissions")
        assert.include(told, "acceptEdits (as now)")
        const menus = shown.length
        assert.deepStrictEqual(yield* setup(enter, enter, "down", "down", enter, enter, "n"), ["Nothing is changed."])
        assert.include(shown.slice(menus).join(""), "bypassPermissions (as now)")
        // The questions are broken off.
        assert.strictEqual((yield* Effect.flip(setup(enter))).code, 2)
      })
    )

    it.effect("a setup lets Claude Code commit where a person says so, and doctor has what is missing for it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { project, variables } = yield* folder("")
        for (const args of [
          ["init", "-q"],
          ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "base"]
        ])
          execFileSync("git", ["-C", project, ...args])
        const said = (...args: ReadonlyArray<string>) => printed(project, variables, ...args)
        const found = Effect.gen(function* () {
          const lines: Array<string> = []
          yield* Effect.ignore(printedAt({ cwd: project, variables, interactive: false, lines }, "doctor", "--json"))
          const all: ReadonlyArray<{ readonly check: string; readonly level: string; readonly todo: string }> =
            JSON.parse(lines.join("\n"))
          return all.find(({ check }) => check === "commits")
        })
        const file = `${project}/.claude/settings.local.json`
        const missing = yield* found
        assert.deepStrictEqual(
          [missing?.level, missing?.todo.startsWith(`${file} takes {"permissions"`)],
          ["note", true]
        )
        assert.deepStrictEqual(yield* said("setup", "--yes"), ["Nothing is changed."])
        assert.strictEqual((yield* said("setup", "--yes", "--commits"))[0], `commits  ${file}`)
        assert.deepStrictEqual(JSON.parse(yield* fs.readFileString(file)), {
          permissions: { allow: ["Bash(git add:*)", "Bash(git commit:*)"] }
        })
        assert.strictEqual((yield* found)?.level, "ok")
        assert.strictEqual((yield* Effect.flip(said("setup", "--yes", "--agent", "codex", "--commits"))).code, 2)
        yield* said("setup", "--yes", "--agent", "codex")
        assert.match((yield* found)?.todo ?? "", /souffleur setup --permission bypassPermissions/u)
      })
    )

    it.effect("a setup says which answers the environment outranks, where it asks for them", () =>
      Effect.gen(function* () {
        const { project, variables } = yield* folder("")
        const setup = (...args: ReadonlyArray<string>) =>
          printed(project, { ...variables, SOUFFLEUR_NOTIFY: "desktop" }, "setup", "--yes", ...args)
        assert.deepStrictEqual(yield* setup(), ["Nothing is changed."])
        assert.deepStrictEqual(
          (yield* setup("--notify", "ntfy:night"))[0],
          "note: NOTIFY comes from the variable SOUFFLEUR_NOTIFY, which counts before the config file"
        )
      })
    )

    it.effect("a setup warns of an agent that is not in PATH", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-setup-" }))
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: `${home}/state` }
        const told = yield* printed(home, variables, "setup", "--yes", "--agent", "qwen")
        assert.match(
          told[0] ?? "",
          /^warning: .*qwen.*: nothing can be launched until it is installed, such as by "npm/u
        )
      })
    )

    it.effect("a setup tells what it wrote also where its last step fails, and its next command is that agent", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { file, project, variables } = yield* folder("")
        yield* fs.writeFileString(`${variables.HOME}/bin/mine`, "#!/bin/sh\n", { mode: 0o755 })
        const units = `${variables.HOME}/.config/systemd/user`
        yield* fs.makeDirectory(units, { recursive: true })
        yield* fs.writeFileString(`${units}/souffleur-all.service`, "of another program\n")
        const lines: Array<string> = []
        const setup = (...args: ReadonlyArray<string>) =>
          printedAt({ cwd: project, variables, interactive: false, lines }, "setup", "--yes", ...args)
        assert.strictEqual((yield* Effect.flip(setup("--agent", "mine", "--service"))).code, 2)
        assert.strictEqual(lines[0], "note: mine is none of the agents by its name: it is taken for Claude Code")
        assert.strictEqual(lines[1], `config   ${file}`)
        assert.include(yield* setup("--notify", "desktop"), 'Next: souffleur run -- mine "do it"')
      })
    )

    it.effect("another agent that is alone in PATH is named as a person runs it, with its own hooks", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { project, variables } = yield* folder("")
        const bin = `${variables.HOME}/bin`
        yield* fs.rename(`${bin}/claude`, `${bin}/codex`)
        const only = { ...variables, PATH: bin }
        const said = (...args: ReadonlyArray<string>) => printed(project, only, ...args)
        const facts = Effect.map(
          said("doctor", "--json"),
          (lines): ReadonlyArray<Readonly<Record<"check" | "level" | "detail" | "todo", string>>> =>
            JSON.parse(lines.join("\n"))
        )
        const of = (check: string) => Effect.map(facts, (all) => all.filter((one) => one.check === check))
        assert.include((yield* said()).join("\n"), 'souffleur run -- codex exec "do it"')
        const [missing, other] = yield* of("agent")
        assert.deepStrictEqual(
          [missing?.level, missing?.todo],
          ["note", "souffleur setup --agent codex makes that one the usual agent"]
        )
        assert.strictEqual(other?.detail, "Codex is installed: souffleur run -- codex exec …")
        assert.strictEqual(
          (yield* Effect.flip(said("setup", "--yes", "--agent", "codex", "--hooks", "project"))).code,
          2
        )
        assert.strictEqual((yield* Effect.flip(said("setup", "--yes", "--agent", "pi", "--hooks", "user"))).code, 2)
        assert.deepStrictEqual((yield* said("setup", "--yes", "--agent", "codex", "--notify", "none")).slice(1), [
          'Next: souffleur run -- codex exec "do it"'
        ])
        // Gemini CLI runs with the highest permission alone.
        const gemini = ["setup", "--yes", "--agent", "gemini"]
        assert.strictEqual((yield* said(...gemini)).at(-1), "Next: souffleur setup --permission bypassPermissions")
        assert.strictEqual(
          (yield* said(...gemini, "--permission", "bypassPermissions")).at(-1),
          'Next: souffleur run -- gemini --yolo --skip-trust -p "do it"'
        )
        yield* said("setup", "--yes", "--agent", "codex", "--permission", "acceptEdits")
        assert.lengthOf(yield* of("agent"), 1)
        assert.match((yield* of("sessions"))[0]?.detail ?? "", /\/\.codex\/sessions is not there/u)
        const preview = (yield* said("run", "--dry-run", "--json", "--", "codex", "exec", "hi")).join("\n")
        assert.notInclude(preview, "SESSION_ID")
        assert.deepStrictEqual(JSON.parse(preview).sees.hooks, [])
        assert.include(
          (yield* said("run", "--dry-run", "--verbose", "--", "codex", "exec", "hi")).join("\n"),
          '"souffleur hooks install --agent codex" adds them'
        )
        const hooks = `${variables.HOME}/.codex/hooks.json`
        const written = yield* said("setup", "--yes", "--hooks", "user")
        assert.includeMembers(
          [...written],
          [`hooks    ${hooks}`, "Codex runs them once you approve each: type /hooks in codex"]
        )
        const after = (yield* said("run", "--dry-run", "--json", "--", "codex", "exec", "hi")).join("\n")
        assert.deepInclude(JSON.parse(after).sees.hooks[0], { file: hooks, absent: [] })
        assert.deepStrictEqual((yield* said("setup", "--yes", "--hooks", "none"))[0], `no hooks ${hooks}`)
      })
    )
  })

  describe("command-line#uninstall", () => {
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
        const dry = (...args: ReadonlyArray<string>) =>
          printed(the.project, variables, "uninstall", "--dry-run", ...args)
        const told = yield* dry()
        assert.include(told, `stays  ${the.stateDir}/souffleur.db: --state removes it too`)
        assert.include(told, `stays  ${config}: it is your file`)
        assert.isFalse((yield* dry("--state")).some((line) => line.includes("--state removes")))
        const { left } = JSON.parse((yield* dry("--json")).join("\n"))
        assert.deepInclude(left, { path: config, message: "it is your file" })
      })
    )
  })
})
