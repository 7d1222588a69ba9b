import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem } from "effect"
import { agentsWithHooks as hookedAgents } from "../src/agent/HookedAgent.ts"
import { services } from "./mcp/McpPlace.ts"
import { printed, printedAt } from "./Printed.ts"

const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-hooks-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(`${home}/bin`)
  yield* fs.makeDirectory(project)
  const variables = { HOME: home, PATH: `${home}/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  const said = (...args: ReadonlyArray<string>) => printed(project, variables, ...args)
  /** The lines that a command printed before it failed. */
  const before = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const exit = yield* Effect.exit(printedAt({ cwd: project, variables, interactive: false, lines }, ...args))
    assert.isTrue(Exit.isFailure(exit))
    return lines
  })
  return { before, fs, home, project, said }
})

/** The files of the user, from the home. */
const files = {
  claude: ".claude/settings.json",
  codex: ".codex/hooks.json",
  qwen: ".qwen/settings.json",
  copilot: ".copilot/hooks/souffleur.json",
  gemini: ".gemini/settings.json"
}

describe("behaviour#hooks-of-the-agent", () => {
  it.layer(services)((it) => {
    it.effect("each agent gets its hooks in its own settings, and uninstall finds them all", () =>
      Effect.gen(function* () {
        const { fs, home, said } = yield* folder
        assert.sameMembers(
          hookedAgents.map(({ program }) => program),
          Object.keys(files)
        )
        for (const [agent, file] of Object.entries(files)) {
          const path = `${home}/${file}`
          assert.strictEqual(
            (yield* said("hooks", "install", "--user", "--agent", agent))[0],
            `${path}: hooks installed`
          )
          const { hooks } = hookedAgents.find(({ program }) => program === agent)!
          const written = JSON.parse(yield* fs.readFileString(path)).hooks
          assert.deepStrictEqual(Object.keys(written), hooks.events)
          const { command, timeout } = written.SessionStart[0].hooks[0]
          assert.match(command, agent === "claude" ? / hook 2>/u : new RegExp(` hook ${agent} 2>`, "u"))
          assert.strictEqual(timeout, agent === "gemini" ? 5000 : 5)
          const { events, programs } = JSON.parse(
            (yield* said("hooks", "status", "--user", "--agent", agent, "--json")).join("\n")
          )
          assert.deepStrictEqual(events, hooks.events)
          assert.strictEqual(programs[0].agent, agent === "claude" ? undefined : agent)
          const all = yield* fs.readFileString(path)
          yield* fs.writeFileString(path, all.replaceAll('"SessionStart"', '"SessionBegun"'))
          const typed = `souffleur hooks install${agent === "claude" ? "" : ` --agent ${agent}`} --user`
          assert.include(
            yield* said("hooks", "status", "--user", "--agent", agent),
            `none for SessionStart: "${typed}" adds them`
          )
          yield* fs.writeFileString(path, all)
        }
        // Also where souffleur has no record of them.
        yield* fs.remove(`${home}/state/hooked`, { recursive: true })
        const { removed } = JSON.parse((yield* said("uninstall", "--yes", "--json")).join("\n"))
        assert.sameMembers(
          removed
            .filter(({ kind }: { readonly kind: string }) => kind === "hooks")
            .map((one: { path: string }) => one.path),
          Object.values(files).map((file) => `${home}/${file}`)
        )
        for (const file of Object.values(files)) assert.isFalse(yield* fs.exists(`${home}/${file}`))
      })
    )

    it.effect(
      "the help names each agent that has hooks, and a status says how to add those that miss in that project",
      () =>
        Effect.gen(function* () {
          const { fs, home, project, said } = yield* folder
          const help = (yield* said("hooks", "--help")).join("\n")
          for (const { title } of hookedAgents) assert.include(help, title)
          const other = `${home}/other`
          yield* fs.makeDirectory(other)
          const at = ["--agent", "claude", "--project-dir", other]
          yield* said("hooks", "install", ...at)
          const file = `${other}/.claude/settings.local.json`
          yield* fs.writeFileString(file, (yield* fs.readFileString(file)).replaceAll('"Stop"', '"Stopped"'))
          assert.include(
            yield* said("hooks", "status", ...at),
            `none for Stop: "souffleur hooks install --project-dir ${other}" adds them`
          )
          assert.isFalse(yield* fs.exists(`${project}/.claude`))
        })
    )

    it.effect("--watch is written into the hooks of a project, stays until --no-watch, and trusts the folder", () =>
      Effect.gen(function* () {
        const { before, fs, project, said } = yield* folder
        const file = `${project}/.claude/settings.local.json`
        const watching = "each session is watched from its first prompt on"
        for (const [flags, watched] of [
          [["--watch"], true],
          [[], true],
          [["--no-watch"], false],
          [[], false]
        ] as const) {
          yield* said("hooks", "install", ...flags)
          assert.strictEqual((yield* fs.readFileString(file)).includes(" hook --watch 2>"), watched)
          assert.strictEqual((yield* said("hooks", "status")).includes(watching), watched)
        }
        assert.strictEqual(JSON.parse((yield* said("config", "--json")).join("\n")).trusted, "yes")
        for (const place of [["--user"], ["--agent", "codex"]])
          assert.include(
            (yield* before("hooks", "install", "--watch", ...place)).join("\n"),
            "the sessions of a project are watched, and not those of every folder"
          )
      })
    )

    it.effect("a hook that a person must approve is told where it is installed, and by doctor", () =>
      Effect.gen(function* () {
        const { before, said } = yield* folder
        const sentence = "Codex runs them once you approve each: type /hooks in codex"
        const all = hookedAgents.find(({ program }) => program === "codex")!.hooks.events.join(", ")
        assert.strictEqual((yield* said("hooks", "install", "--agent", "codex")).at(-1), sentence)
        assert.deepStrictEqual((yield* said("hooks", "status", "--agent", "codex")).slice(-2), [
          `left out until you approve them: ${all}`,
          sentence
        ])
        const findings: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(
          (yield* before("doctor", "--json")).join("\n")
        )
        assert.deepInclude(findings, {
          check: "hooks",
          ok: true,
          level: "note",
          detail: `${sentence}, and leaves out ${all}`,
          todo: null
        })
      })
    )

    it.effect("hooks that the agent's settings switch off are told where they are installed, and by doctor", () =>
      Effect.gen(function* () {
        const { before, fs, home, said } = yield* folder
        for (const [agent, settings, off] of [
          ["qwen", { disableAllHooks: true }, '"disableAllHooks": true'],
          ["gemini", { hooksConfig: { enabled: false } }, '"hooksConfig.enabled": false']
        ] as const) {
          const file = `${home}/${files[agent]}`
          yield* fs.makeDirectory(`${home}/.${agent}`)
          yield* fs.writeFileString(file, `// of ${agent}\n${JSON.stringify(settings)}\n`)
          const sentence = `none of them runs: the file has ${off}`
          assert.include(yield* said("hooks", "install", "--agent", agent), sentence)
          assert.include(yield* said("hooks", "status", "--agent", agent), sentence)
          const detail = `those in ${file} do not run: it has ${off}`
          const findings: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(
            (yield* before("doctor", "--json")).join("\n")
          )
          assert.deepInclude(findings, { check: "hooks", ok: true, level: "note", detail, todo: null })
        }
      })
    )

    it.effect(
      "the agent is that of the folder; one without hooks, and a project's settings of a user's, are refused",
      () =>
        Effect.gen(function* () {
          const { before, fs, home, project, said } = yield* folder
          yield* fs.writeFileString(`${home}/bin/gemini`, "#!/bin/sh\n", { mode: 0o755 })
          assert.strictEqual((yield* said("hooks", "install"))[0], `${home}/.gemini/settings.json: hooks installed`)
          assert.include(
            (yield* before("hooks", "install", "--project-dir", project)).join("\n"),
            "Gemini CLI has hooks in the settings of the user alone"
          )
          yield* fs.rename(`${home}/bin/gemini`, `${home}/bin/pi`)
          assert.include(
            (yield* before("hooks", "install")).join("\n"),
            "pi has no hooks of souffleur. These have some: claude, codex, qwen, copilot, gemini"
          )
          assert.include(
            (yield* before("hooks", "install", "--agent", "pi")).join("\n"),
            "pi has no hooks of souffleur"
          )
        })
    )
  })
})
