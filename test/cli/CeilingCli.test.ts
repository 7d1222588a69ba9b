/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { payloadHeader } from "@souffleur/domain"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, type Running, said, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const seen = (watch: Running, tag: string) => watch.lines.map(said).filter(({ _tag }) => _tag === tag)
const asks = `${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: go on`

/** Writes the config file of the project, as an agent can that may edit files. */
const configure = (project: string, text: string) => {
  fs.mkdirSync(join(project, ".orchestra_configs"), { recursive: true })
  fs.writeFileSync(join(project, ".orchestra_configs", "souffleur"), text)
}

type Staged = Effect.Success<ReturnType<typeof stage>>
/** The Conductor asks for a fresh context, and for bypassPermissions. */
const handsOver = (the: Staged) =>
  the.commsDb((db) => {
    db.prepare(
      "INSERT INTO orchestration_messages (task_id, message, message_type) VALUES ('souffleur', ?, 'handoff')"
    ).run(asks)
    db.exec(
      "UPDATE orchestration_tasks SET state = 'context_recovery', last_heartbeat = datetime('now') WHERE task_id = 'task-00'"
    )
  })
/**
 * Waits until the next generation says that it works, and lets it get on. Until then the request of the generation
 * before is valid.
 */
const works = (the: Staged) =>
  Effect.andThen(
    until(
      Effect.sync(() => the.row("task-00")["state"]),
      (state) => state === "working"
    ),
    Effect.sync(() =>
      the.commsDb((db) =>
        db.prepare("INSERT INTO orchestration_tasks (task_id, state) VALUES (?, 'working')").run(crypto.randomUUID())
      )
    )
  )
/** Once it has become the agent: its receipt is taken before. */
const permissionOf = (pid: number) =>
  Effect.map(
    until(
      Effect.sync(() => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")),
      (words) => words.includes("--permission-mode")
    ),
    (words) => words[words.indexOf("--permission-mode") + 1]
  )
const pidOf = (relaunched: { readonly [field: string]: unknown }) =>
  (relaunched["conductor"] as { readonly pid: number }).pid

describe("behaviour#trust", () => {
  describe.concurrent("the ceiling is pinned", () => {
    live(
      "an agent that writes the config file gains nothing, even after a restart of souffleur; a person's word accepts the file",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1, 50), task(2, 50)])
          const agent = join(the.home, "agent")
          const busy = `#!/bin/sh\nexport SOUFFLEUR_STANDIN_HANG_AT=1\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`
          fs.writeFileSync(agent, busy, { mode: 0o755 })
          const variables = { SOUFFLEUR_AGENT_COMMAND: agent }
          const conductor = yield* the.conductor(1)
          const notices = join(the.home, "notices")
          const notify = join(the.home, "notify")
          fs.writeFileSync(notify, `#!/bin/sh\ncat >> '${notices}'\n`, { mode: 0o755 })
          const first = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], {
            ...variables,
            SOUFFLEUR_NOTIFY: `command:${notify}`
          })
          const { watch } = yield* prints(first, "WatchSettled")

          configure(the.project, "MAX_EXTERNAL_PERMISSION=bypassPermissions\nNOTIFY=command:/tmp/evil\n")
          handsOver(the)
          const second = yield* prints(first, "ConductorRelaunched")
          assert.strictEqual(yield* permissionOf(pidOf(second)), "acceptEdits")
          const [launch] = seen(first, "LaunchPrepared")
          assert.deepStrictEqual([launch?.["requested"], launch?.["effective"]], ["bypassPermissions", "acceptEdits"])
          assert.deepStrictEqual(
            seen(first, "ConfigOverreached").map(({ keys }) => keys),
            [["MAX_EXTERNAL_PERMISSION", "NOTIFY"]]
          )
          // Everywhere that a person looks.
          yield* until(
            Effect.sync(() => (fs.existsSync(notices) ? fs.readFileSync(notices, "utf8") : "")),
            (text) => text.includes("untrusted_config")
          )
          yield* until(Effect.sync(the.messages), (all) =>
            all.some((one) => String(one["message"]).includes("souffleur config --trust"))
          )
          const status = JSON.parse((yield* the.ask(["status", "--json"])).lines.join("\n"))
          assert.deepStrictEqual(status[0].permission, {
            ceiling: "acceptEdits",
            file_asks_for: ["MAX_EXTERNAL_PERMISSION", "NOTIFY"]
          })
          assert.include((yield* the.ask(["status"])).errors, "souffleur config --trust")
          const overreached = seen(first, "ConfigOverreached")[0]!
          assert.include(
            (yield* the.ask(["why", watch, String(overreached.revision)])).lines.join("\n"),
            "retry --ceiling bypassPermissions"
          )
          const doctor = (yield* the.ask(["doctor"])).lines.join("\n")
          assert.match(doctor, /ceiling +watch .* holds acceptEdits/u)
          assert.match(doctor, /wrong +trust/u)

          // Neither a new souffleur nor the agent's own word changes it.
          yield* works(the)
          first.kill("SIGKILL")
          yield* first.ended
          const again = the.start(["watch", "--json", "--resume", watch], variables)
          yield* prints(again, "OwnerTook")
          assert.strictEqual(
            (yield* the.ask(["retry", watch, "--ceiling", "bypassPermissions"], { CLAUDECODE: "1" })).code,
            2
          )
          handsOver(the)
          const third = yield* prints(again, "ConductorRelaunched")
          assert.strictEqual(yield* permissionOf(pidOf(third)), "acceptEdits")
          assert.lengthOf(seen(again, "ConfigOverreached"), 0, "once for one file")
          yield* works(the)

          const granted = yield* the.run(["retry", watch, "--ceiling", "bypassPermissions"])
          assert.deepStrictEqual(
            [granted.code, granted.lines],
            [0, [`${watch}: no launch is above bypassPermissions from now on`]]
          )
          handsOver(the)
          const fourth = yield* prints(again, "ConductorRelaunched", ({ generation }) => generation === 4)
          assert.strictEqual(yield* permissionOf(pidOf(fourth)), "bypassPermissions")
          yield* the.ask(["release", watch])
          assert.strictEqual((yield* again.ended).code, 0)
        })
    )

    live("a new opening with another program ends with 2, and a person's word accepts it", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const marker = join(the.home, "ran")
        const run = () => the.run(["run", "--no-guardian", "--", "/bin/true"])
        assert.strictEqual((yield* run()).code, 0)
        configure(the.project, `NOTIFY=command:["/usr/bin/touch","${marker}"]\n`)
        const refused = yield* run()
        assert.strictEqual(refused.code, 2)
        assert.match(refused.errors, /NOTIFY is not trusted yet.*souffleur config --trust/u)
        assert.strictEqual((yield* the.ask(["config", "--trust"], { SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" })).code, 2)
        // A shell above it has the mark of a launch, and the command itself was cleaned.
        const cleaned = spawnSync(
          "/bin/sh",
          ["-c", `env -u SOUFFLEUR_LAUNCH_ID '${process.execPath}' '${bundle}' config --trust; exit $?`],
          { cwd: the.project, env: { ...the.environment, SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" }, encoding: "utf8" }
        )
        assert.strictEqual(cleaned.status, 2)
        assert.match(cleaned.stderr, /agent pid \d+ has started it/u)
        assert.isFalse(fs.existsSync(marker))
        assert.strictEqual((yield* the.ask(["config", "--trust"])).code, 0)
        assert.strictEqual((yield* run()).code, 0)
      })
    )

    live("agents of a run that write the config file give the next agents nothing", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const git = (...args: ReadonlyArray<string>) =>
          execFileSync("git", ["-C", the.project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args])
        git("init", "-q", "-b", "main")
        fs.writeFileSync(
          join(the.project, "plan.yaml"),
          "workflow_id: play\nfinish: none\ntasks:\n  - id: task-001\n    title: T\n    acceptance_criteria: it is written\n"
        )
        const agent = join(the.home, "agent")
        const script = `#!/bin/sh\nmkdir -p .orchestra_configs\nprintf 'MAX_EXTERNAL_PERMISSION=bypassPermissions\\n' > .orchestra_configs/souffleur\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`
        fs.writeFileSync(agent, script, { mode: 0o755 })
        fs.writeFileSync(join(the.project, ".gitignore"), ".orchestra_configs\n")
        fs.writeFileSync(join(the.project, "craft.json"), "{}")
        git("add", ".")
        git("commit", "-q", "-m", "base")
        const args = ["conduct", "plan.yaml", "--json", "--permission", "bypassPermissions"]
        const conductor = the.start(args, { SOUFFLEUR_AGENT_COMMAND: agent })
        const { code } = yield* conductor.ended
        assert.strictEqual(code, 0, conductor.errors())
        const events = conductor.lines.map((line) => JSON.parse(line))
        const prepared = events.filter(({ _tag }) => _tag === "AgentPrepared")
        assert.isAtLeast(prepared.length, 2)
        assert.deepStrictEqual([...new Set(prepared.map(({ effective }) => effective))], ["acceptEdits"])
        assert.lengthOf(
          events.filter(({ _tag }) => _tag === "ConfigOverreached"),
          1
        )
        const status = JSON.parse((yield* the.ask(["conduct", "status", "--json"])).lines.join("\n"))
        assert.deepStrictEqual(status.permission, {
          ceiling: "acceptEdits",
          file_asks_for: ["MAX_EXTERNAL_PERMISSION"]
        })
      })
    )
  })
})
