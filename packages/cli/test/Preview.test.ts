import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect, Exit, FileSystem } from "effect"
import { layerHost, layerStore } from "@souffleur/embed/internal"
import type { Preview } from "@souffleur/embed/internal"
import { loadSettings } from "@souffleur/process"
import { agentKind } from "../src/agent/Kind.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printed, printedAt } from "./Printed.ts"

/** Every file and folder below `folder`, with its time of change and its bytes. SQLite's shared memory is no file of ours. */
const tree = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(folder, { recursive: true })).filter((name) => !name.endsWith("-shm"))
  return yield* Effect.forEach(names.toSorted(), (name) =>
    Effect.gen(function* () {
      const { mode, mtime, type } = yield* fs.stat(`${folder}/${name}`)
      const bytes = type === "File" ? Buffer.from(yield* fs.readFile(`${folder}/${name}`)).toString("base64") : ""
      return { name, type, mode, mtime, bytes }
    })
  )
})

/** A home with an agent that notes its arguments, outside that home. */
const stage = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-preview-" }))
  const notes = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-notes-" })}/notes`
  const project = `${home}/opera`
  yield* fs.makeDirectory(project)
  yield* fs.makeDirectory(`${home}/bin`)
  yield* fs.writeFileString(`${home}/bin/claude`, `#!/bin/sh\necho "$@" >> '${notes}'\necho '2.1.9 (Claude Code)'\n`)
  yield* fs.chmod(`${home}/bin/claude`, 0o755)
  const variables = { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  return {
    home,
    project,
    variables,
    started: Effect.orElseSucceed(fs.readFileString(notes), () => ""),
    json: (more: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
      Effect.map(printed(project, { ...variables, ...more }, ...args), (lines): Preview => JSON.parse(lines.join("\n")))
  }
})
it.layer(services)((it) => {
  describe("command-line#preview, behaviour#caps-of-the-user", () => {
    it.effect("a dry run starts no program that only a config file without trust names", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        yield* fs.makeDirectory(`${the.project}/.orchestra_configs`)
        yield* fs.writeFileString(
          `${the.project}/.orchestra_configs/souffleur`,
          `AGENT_COMMAND=${the.home}/bin/claude\n`
        )
        const watched = ["--force", "--pid", "4190000", "--session-id", "s-none"]
        assert.isTrue(Exit.isFailure(yield* Effect.exit(the.json({}, "watch", "--dry-run", "--json", ...watched))))
        assert.strictEqual(yield* the.started, "")
      })
    )
    it.effect("a dry run changes no file, makes no folder, and starts nothing but the agent's --version", () =>
      Effect.gen(function* () {
        const the = yield* stage()
        const before = yield* tree(the.home)
        const found = yield* the.json({}, "run", "--dry-run", "--json", "--", "claude", "--model", "opus", "do it")
        assert.deepStrictEqual(yield* tree(the.home), before)
        assert.strictEqual(yield* the.started, "--version\n")
        assert.deepInclude(found.sees, { kind: "agent", project: the.project, goes_on: null, terminal: "headless" })
        assert.deepInclude(found.sees.agent, { program: `${the.home}/bin/claude`, version: "2.1.9 (Claude Code)" })
        assert.deepInclude(found.sees.gate, { window: null, trim_chars: 800_000, threshold: 400_000 })
        assert.match(found.sees.gate?.says ?? "", /^where the model's window is known, /u)
        assert.deepStrictEqual(found.sees.caps, [])
        const capped = ["claude", "--max-budget-usd", "0.5", "--max-turns", "40", "do it"]
        assert.deepStrictEqual((yield* the.json({}, "run", "--dry-run", "--json", "--", ...capped)).sees.caps, [
          "$0.50 (--max-budget-usd)",
          "40 turns (--max-turns)"
        ])

        const byVariable = yield* the.json(
          { CLAUDE_CODE_MAX_TURNS: "40" },
          "run",
          "--dry-run",
          "--json",
          "--",
          "claude",
          "go"
        )
        assert.deepStrictEqual(byVariable.sees.caps, ["40 turns (CLAUDE_CODE_MAX_TURNS)"])

        const other = yield* the.json({}, "run", "--dry-run", "--json", "--", "sh", "-c", "echo done > proof")
        const self = yield* the.json(
          {},
          "watch",
          "--dry-run",
          "--json",
          "--force",
          "--pid",
          "4190000",
          "--session-id",
          "s-none"
        )
        assert.deepStrictEqual(yield* tree(the.home), before)
        assert.strictEqual(other.sees.agent, null)
        assert.match(self.sees.conductor?.doubt ?? "", /no process 4190000 is running/u)
      })
    )

    it.effect("a dry run names the user's own recovery program before the other providers, and does not run it", () =>
      Effect.gen(function* () {
        const the = yield* stage()
        const variables = { ...the.variables, SOUFFLEUR_RECOVERY_COMMAND: `${the.home}/bin/claude` }
        const lines = yield* printed(the.project, variables, "run", "--dry-run", "--verbose", "--", "claude", "do it")
        const text = lines.join("\n")
        assert.match(
          text,
          /IF IT IS KILLED[^]*?by recovery_command:\n +which launches it, or says that it has not\n +else by /u
        )
        assert.match(text, /recovery_command = \S+\/bin\/claude \(SOUFFLEUR_RECOVERY_COMMAND\)/u)
        assert.strictEqual(yield* the.started, "--version\n")
      })
    )

    it.effect("a dry run in a folder whose watch is not finished shows that watch, and its log keeps each byte", () =>
      Effect.gen(function* () {
        const the = yield* place({ comms: false })
        const home = the.stateDir.slice(0, -"/state".length)
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: the.stateDir }
        yield* the.watch("opera-1", watching({ project: the.project, comms: null }))
        const dry = Effect.gen(function* () {
          const before = yield* tree(home)
          for (const words of [
            ["run", "--dry-run", "--json"],
            ["watch", "--dry-run", "--json"]
          ]) {
            const found: Preview = JSON.parse((yield* printed(the.project, variables, ...words)).join("\n"))
            assert.deepInclude(found.sees.goes_on, { watch: "opera-1", revision: 6 })
            assert.strictEqual(found.starts, null)
          }
          const lines: Array<string> = []
          const at = { cwd: the.project, variables, interactive: false, lines }
          yield* Effect.flip(printedAt(at, "run", "--dry-run", "--", "make"))
          assert.include(lines.join("\n"), "watch opera-1 of this folder has another command")
          assert.deepStrictEqual(yield* tree(home), before)
        })
        yield* dry
        // The same while another process has the log open.
        const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment: variables, flags: {} })
        yield* Effect.provide(dry, layerStore(settings))
      })
    )

    it.effect("a dry run says that a living souffleur has the watch, so that a start is refused", () =>
      Effect.gen(function* () {
        const the = yield* place({ comms: false })
        const home = the.stateDir.slice(0, -"/state".length)
        const variables = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: the.stateDir }
        const { self } = yield* Effect.provide(Processes, layerHost)
        const words = (process: typeof self) =>
          Effect.gen(function* () {
            const night = watching({ project: the.project, comms: null })
            const last = night.findLast(({ _tag }) => _tag === "OwnerTook")
            if (last?._tag !== "OwnerTook") return assert.fail("no souffleur took the watch")
            const taken = { ...last, fence: last.fence + 1, owner: { ...last.owner, process } }
            yield* the.watch(`opera-${process.pid}`, [...night, taken])
            const lines = yield* printed(
              the.project,
              variables,
              "watch",
              "--dry-run",
              "--resume",
              `opera-${process.pid}`
            )
            return lines.join(" ").replaceAll(/\s+/gu, " ")
          })
        assert.include(yield* words(self), `souffleur pid ${self.pid} watches it, so a start is refused`)
        const gone = { ...self, startTime: self.startTime + 1 }
        assert.include(yield* words({ ...gone, pid: 4_190_000 }), "souffleur pid 4190000 had it last")
      })
    )

    it.effect("a dry run names each kind of end with the events of the rules, and the ways in their order", () =>
      Effect.gen(function* () {
        const the = yield* stage()
        const { ends, starts } = yield* the.json({}, "run", "--dry-run", "--json", "--", "claude", "-p", "do it")
        assert.deepStrictEqual(starts, {
          program: `${the.home}/bin/claude`,
          args: ["--session-id", "SESSION_ID", "-p", "--permission-mode", "acceptEdits"],
          input: "do it"
        })
        const told = Object.fromEntries(ends.map((end) => [end.end, end]))
        assert.deepStrictEqual(Object.keys(told), [
          "killed",
          "hung",
          "context full",
          "usage limit",
          "finished",
          "third end without progress"
        ])
        assert.match(told["killed"]!.says[0]!, /^The agent is dead: its process is gone/u)
        assert.strictEqual(told["usage limit"]!.ways[0]!.provider, "continue_turn")
        assert.deepStrictEqual(told["usage limit"]!.ways[0]!.lines?.[0]?.args, [
          "--resume",
          "SESSION_ID",
          "-p",
          "--permission-mode",
          "acceptEdits"
        ])
        assert.strictEqual(told["context full"]!.ways.at(-1)!.provider, "small_handoff")
        assert.deepInclude(told["finished"], { watch_ends: "unconfirmed", ways: [] })
        assert.deepInclude(told["third end without progress"], { watch_ends: "retries exhausted", ways: [] })

        const plain = yield* the.json({}, "run", "--dry-run", "--json", "--", "sh", "-c", "exit 1")
        assert.deepStrictEqual(
          plain.ends.map(({ end }) => end),
          ["killed", "finished", "third end without progress"]
        )
        assert.deepStrictEqual(plain.ends[0]!.ways, [
          { provider: "restart", lines: [{ program: "/usr/bin/sh", args: ["-c", "exit 1"], input: null }] }
        ])
        // The pause before the next run is told, and no number of a cycle.
        const says = plain.ends.flatMap((end) => end.says).join("\n")
        assert.match(says, /The command is run again at .*, after a pause of 1 s\./u)
        assert.include(says, "After another end without progress the pause is 5 s.")
        assert.notMatch(says, /Recovery \d|Conductor/u)
        assert.strictEqual(plain.sees.terminal, "headless")
        const own = yield* the.json({}, "run", "--dry-run", "--terminal", "--json", "--", "sh", "-c", "exit 1")
        assert.strictEqual(own.sees.terminal, "pty")
        const refused = yield* Effect.flip(
          printed(the.project, the.variables, "run", "--dry-run", "--terminal", "--", "claude", "x")
        )
        assert.deepInclude(refused, { code: 2 })
      })
    )

    it.effect("a dry run names the terminal in words", () =>
      Effect.gen(function* () {
        const the = yield* stage()
        const row = Effect.fnUntraced(function* (more: Readonly<Record<string, string>>) {
          const lines = yield* printed(
            the.project,
            { ...the.variables, ...more },
            "run",
            "--dry-run",
            "--",
            "claude",
            "x"
          )
          return lines.find((line) => line.startsWith("  terminal "))
        })
        assert.strictEqual(yield* row({ TMUX: "/t,1,0" }), "  terminal      a window of its own in this tmux")
        assert.strictEqual(
          yield* row({ SOUFFLEUR_LAUNCHER: "kitty", KITTY_LISTEN_ON: "unix:/k" }),
          "  terminal      a tab of its own in this kitty"
        )
        assert.include(yield* row({}), "it runs in the background")
      })
    )

    it.effect("a dry run says where each setting comes from, and which file is in force", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        yield* fs.makeDirectory(`${the.project}/.orchestra_configs`)
        const file = `${the.project}/.orchestra_configs/souffleur`
        yield* fs.writeFileString(
          file,
          "# the night\nSTOP_GRACE=3 seconds\nMAX_EXTERNAL_PERMISSION=bypassPermissions\n"
        )
        yield* printed(the.project, the.variables, "config", "--trust")
        const { sees } = yield* the.json(
          { SOUFFLEUR_WATCHER_INTERVAL: "7 seconds" },
          "run",
          "--dry-run",
          "--json",
          "--",
          "claude",
          "do it"
        )
        assert.deepStrictEqual(sees.settings, [
          { name: "max_external_permission", value: "bypassPermissions", from: `line 3 of ${file}` },
          { name: "watcher_interval", value: "7 seconds", from: "SOUFFLEUR_WATCHER_INTERVAL" },
          { name: "stop_grace", value: "3 seconds", from: `line 2 of ${file}` },
          { name: "state_dir", value: `${the.home}/state`, from: "SOUFFLEUR_STATE_DIR" }
        ])
        assert.deepInclude(sees.config, { file, trusted: "yes" })
        assert.strictEqual(sees.permission?.effective, "acceptEdits")
        assert.strictEqual(sees.permission?.ceiling, "bypassPermissions")
        const text = yield* printed(
          the.project,
          the.variables,
          "run",
          "--dry-run",
          "--verbose",
          "--",
          "claude",
          "do it"
        )
        assert.include(text, `  config file   ${file}`)
        assert.include(text, "IF IT IS KILLED")
        const at = { cwd: the.project, variables: the.variables, interactive: true }
        const brief = yield* printedAt(at, "run", "--dry-run", "--", "claude", "do it")
        assert.isAtMost(brief.length, 10)
        const names = brief.slice(1).map((line) => line.trim().split(/ {2,}/u)[0])
        const seen = "agent, terminal, permission, starts, prompt"
        assert.strictEqual(
          names.join("; "),
          `${seen.replaceAll(", ", "; ")}; killed, hung; context full; usage limit; finished`
        )
      })
    )
  })

  describe("behaviour#launch", () => {
    it.effect("an agent in print mode takes no window inside tmux, also where it knows no other mode", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        yield* fs.makeDirectory(`${the.project}/.orchestra_configs`)
        const config = `${the.project}/.orchestra_configs/souffleur`
        yield* fs.writeFileString(config, "MAX_EXTERNAL_PERMISSION=bypassPermissions\n", { mode: 0o600 })
        yield* printed(the.project, the.variables, "config", "--trust")
        for (const name of ["codex", "gemini", "opencode"])
          yield* fs.copyFile(`${the.home}/bin/claude`, `${the.home}/bin/${name}`)
        const inTmux = { TMUX: "/tmp/tmux-0/default,1,0" }
        const preview = (more: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>) =>
          the.json({ ...inTmux, ...more }, "run", "--dry-run", "--json", "--", ...command)
        const commands = [
          ["claude", "-p", "do it"],
          ["codex", "exec", "do it"],
          ["gemini", "--yolo", "--skip-trust", "-p", "do it"],
          ["opencode", "run", "--auto", "do it"]
        ]
        for (const command of commands)
          for (const named of [{}, { SOUFFLEUR_LAUNCHER: "tmux" }])
            assert.strictEqual((yield* preview(named, ...command)).sees.terminal, "headless", command.join(" "))
        assert.strictEqual((yield* preview({}, "claude", "do it")).sees.terminal, "tmux")
      })
    )
    it.effect("a dry run of a session that is to begin shows the command that resumes it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        yield* fs.makeDirectory(`${the.project}/.orchestra_configs`)
        const config = `${the.project}/.orchestra_configs/souffleur`
        yield* fs.writeFileString(config, "MAX_EXTERNAL_PERMISSION=bypassPermissions\n", { mode: 0o600 })
        yield* printed(the.project, the.variables, "config", "--trust")
        for (const [program, flags, resumes] of [
          ["claude", [], ["--resume", "SESSION_ID"]],
          ["pi", [], ["--session", "SESSION_FILE"]],
          ["qwen", [], ["--resume", "SESSION_ID"]],
          ["gemini", ["--yolo", "--skip-trust"], ["--resume", "SESSION_ID"]]
        ] as const) {
          yield* fs.copyFile(`${the.home}/bin/claude`, `${the.home}/bin/${program}`).pipe(Effect.ignore)
          const { ends } = yield* the.json({}, "run", "--dry-run", "--json", "--", program, ...flags, "-p", "do it")
          const ways = ends.find(({ end }) => end === "killed")?.ways ?? []
          const args = ways.find(({ provider }) => provider === "resume")?.lines?.[0]?.args ?? []
          const at = args.indexOf(resumes[0])
          assert.deepStrictEqual(args.slice(at, at + 2), [...resumes], `${program} ${args.join(" ")}`)
        }
      })
    )
    it.effect("a session that began in another folder is not resumed: its finished turn is not this work", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        const sessionOf = Effect.fnUntraced(function* (id: string, cwd: string) {
          const folder = `${the.home}/.claude/projects/${cwd.replaceAll("/", "-")}`
          yield* fs.makeDirectory(folder, { recursive: true })
          const asked = { type: "user", sessionId: id, cwd, uuid: "u", message: { role: "user", content: "Sing." } }
          yield* fs.writeFileString(`${folder}/${id}.jsonl`, `${JSON.stringify(asked)}\n`)
        })
        const [here, there] = ["11111111-aaaa-4bbb-8ccc-000000000001", "11111111-aaaa-4bbb-8ccc-000000000002"]
        yield* sessionOf(here, `${the.project}/stage`)
        yield* sessionOf(there, `${the.home}/operetta`)
        const lines: Array<string> = []
        const at = { cwd: the.project, variables: the.variables, interactive: false, lines }
        const run = (id: string) =>
          printedAt(at, "run", "--dry-run", "--json", "--", "claude", "--resume", id, "Go on.")
        yield* run(here)
        assert.include(JSON.parse(lines.splice(0).join("\n")).starts.args, here)
        assert.strictEqual((yield* Effect.flip(run(there))).code, 2)
        const gone = `souffleur: session ${there} began in ${the.home}/operetta, which is gone`
        assert.include(lines.splice(0).join("\n"), `${gone}: if that project is here now, link its old place to it`)
        yield* fs.makeDirectory(`${the.home}/operetta`)
        assert.strictEqual((yield* Effect.flip(run(there))).code, 2)
        assert.deepStrictEqual(lines.splice(0), [
          `souffleur: session ${there} began in ${the.home}/operetta: resume it there`
        ])
        // The project was moved: it is linked in its old place, or its sessions were moved with it.
        yield* fs.remove(`${the.home}/operetta`, { recursive: true })
        yield* fs.symlink(the.project, `${the.home}/operetta`)
        yield* run(there)
        yield* fs.remove(`${the.home}/operetta`)
        const [old, now] = [`${the.home}/operetta`, the.project].map(
          (folder) => `${the.home}/.claude/projects/${folder.replaceAll(/[^A-Za-z0-9]/gu, "-")}`
        ) as [string, string]
        yield* fs.makeDirectory(now, { recursive: true })
        yield* fs.rename(`${old}/${there}.jsonl`, `${now}/${there}.jsonl`)
        yield* run(there)
        lines.splice(0)
        assert.strictEqual((yield* Effect.flip(run("my-feature"))).code, 2)
        assert.include(
          lines.join("\n"),
          "there is no session my-feature to resume (a name does not do: give its id): no session file"
        )
      })
    )
  })

  describe("behaviour#permission-ceiling", () => {
    it.effect("a dry run says that an agent may edit any file of the user, where acceptEdits does not forbid it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const the = yield* stage()
        yield* fs.copyFile(`${the.home}/bin/claude`, `${the.home}/bin/qwen`)
        for (const [program, says] of [
          ["qwen", "acceptEdits, with which it may edit any file of yours; no launch is above acceptEdits"],
          ["claude", "acceptEdits; no launch is above acceptEdits"]
        ] as const) {
          const lines = yield* printed(the.project, the.variables, "run", "--dry-run", "--", program, "-p", "do it")
          assert.include(lines, `  permission    ${says}`)
        }
      })
    )
  })
})
