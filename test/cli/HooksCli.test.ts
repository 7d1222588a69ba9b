import { Hooks } from "@souffleur/domain"
import { HookFiles, HostServices } from "@souffleur/node"
import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { bundle, stage, until, type Variables } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

/** The errand's own file; the command does the same when it is asked. */
const quick = join(dirname(bundle), "hook.cjs")
type Stage = Effect.Success<ReturnType<typeof stage>>

const session = "5c0ff1e0-0000-4000-8000-000000000001"
const input = (fields: object = {}) => JSON.stringify({ session_id: session, hook_event_name: "Stop", ...fields })
/** One call of the hook, as the agent makes it; nothing may ever be said to it. */
const hook = (the: Stage, stdin: string | Uint8Array, variables: Variables = {}) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [quick, "hook"], {
    input: stdin,
    env: { ...the.environment, CLAUDE_PID: String(process.pid), ...variables },
    encoding: "utf8"
  })
  assert.deepStrictEqual({ status, stdout, stderr }, { status: 0, stdout: "", stderr: "" })
}
const file = (the: Stage, id = session) => join(the.state, "hooks", `${id}.jsonl`)
const signs = (the: Stage): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  [`${file(the)}.1`, file(the)]
    .filter((path) => fs.existsSync(path))
    .flatMap((path) => fs.readFileSync(path, "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line))
const startTime = Number(fs.readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ")[19])

describe("behaviour#hooks-of-the-agent", () => {
  describe.concurrent("souffleur hook", () => {
    live("a hook writes one line with event, session, process and time, and no word of a conversation", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const before = yield* Clock.currentTimeMillis
        hook(the, input({ hook_event_name: "SessionStart", source: "resume", prompt: "secret", cwd: "/secret" }))
        hook(the, input({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "secret" } }), {
          CLAUDE_PID: ""
        })
        const [{ at, ...first }, second] = signs(the) as readonly [{ at: number }, Readonly<Record<string, unknown>>]
        assert.deepStrictEqual(first as object, {
          event: "SessionStart",
          sessionId: session,
          kind: "resume",
          holding: "began",
          pid: process.pid,
          startTime
        })
        assert.isTrue(at >= before - 50 && at <= (yield* Clock.currentTimeMillis), String(at))
        assert.deepInclude(second, { event: "PreToolUse", sessionId: session, pid: null, startTime: null })
        assert.notInclude(fs.readFileSync(file(the), "utf8"), "secret")
        assert.strictEqual(fs.statSync(file(the)).mode & 0o777, 0o600)
        assert.strictEqual(fs.statSync(join(the.state, "hooks")).mode & 0o777, 0o700)
        // The reader of the file knows the same.
        const hooks = yield* Effect.provide(
          Effect.map(Hooks, (all) => all),
          HookFiles.layer(the.state)
        ).pipe(Effect.provide(HostServices.layer))
        assert.deepStrictEqual(yield* hooks.holds({ pid: process.pid, startTime }), Option.some(session))
      })
    )

    live("a hook with --watch has a session watched from its first prompt on, and waits for nothing of it", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const [copy, go, begun] = [join(the.home, "hook.cjs"), join(the.home, "go"), join(the.home, "begun")]
        fs.copyFileSync(quick, copy)
        // In place of the command: it goes on until it is told, and then says what it was started for.
        const told = "JSON.stringify([process.env.CLAUDE_CODE_SESSION_ID, ...process.argv.slice(2)]) + '\\n'"
        fs.writeFileSync(
          join(the.home, "souffleur.cjs"),
          `const fs = require("node:fs"); const look = () => fs.existsSync(${JSON.stringify(go)}) ? fs.appendFileSync(${JSON.stringify(begun)}, ${told}) : setTimeout(look, 20); look()`
        )
        const [started, resumed, compacted] = ["startup", "resume", "compact"].map((source) => ({
          hook_event_name: "SessionStart",
          source
        })) as [object, object, object]
        const prompt = { hook_event_name: "UserPromptSubmit" }
        const call = (id: string, fields: object, words = ["--watch"], variables: Variables = {}) => {
          const { status, stderr, stdout } = spawnSync(process.execPath, [copy, "hook", ...words], {
            input: input({ session_id: id, ...fields }),
            env: { ...the.environment, CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ID: id, ...variables },
            encoding: "utf8"
          })
          assert.deepStrictEqual({ status, stdout, stderr }, { status: 0, stdout: "", stderr: "" })
        }
        call("no-beginning", prompt)
        call("no-prompt", started)
        for (const fields of [compacted, prompt]) call("compaction", fields)
        for (const fields of [started, prompt]) call("no-flag", fields, [])
        for (const fields of [started, prompt]) call("a-launch", fields, ["--watch"], { SOUFFLEUR_LAUNCH_ID: "w-g2" })
        for (const fields of [started, prompt, compacted, prompt]) call("one", fields)
        for (const fields of [started, prompt, resumed, prompt, prompt]) call("two", fields)
        assert.isFalse(fs.existsSync(begun), "what was started still goes on")
        fs.writeFileSync(go, "")
        const lines = yield* until(
          Effect.sync(() => (fs.existsSync(begun) ? fs.readFileSync(begun, "utf8").trim().split("\n") : [])),
          ({ length }) => length >= 3
        )
        assert.deepStrictEqual(
          lines.toSorted(),
          ["one", "two", "two"].map((id) => JSON.stringify([id, "watch", "--detach", "--begun"]))
        )
      })
    )

    liveCase(
      "a hook never fails and never prints: garbage, too much, nothing, a path as id, a folder it may not write to",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          for (const stdin of [
            "",
            "garbage",
            "{",
            "\0\u{fffd}",
            input().slice(0, -3),
            input({ session_id: "../../x" })
          ])
            hook(the, stdin)
          assert.isFalse(fs.existsSync(join(the.home, "x.jsonl")))
          hook(the, Buffer.alloc(100_000_000, "x"))
          hook(the, input(), { SOUFFLEUR_STATE_DIR: "/proc/nowhere" })
          hook(the, input(), { SOUFFLEUR_STATE_DIR: the.comms })
          hook(the, input(), { SOUFFLEUR_STATE_DIR: "", HOME: "" })
          hook(the, `${input({ tool_input: "" }).slice(0, -2)}${"x".repeat(100_000_000)}"}`)
          assert.deepStrictEqual(signs(the).length, 1)
          const closed = spawnSync("/bin/sh", ["-c", '"$@" <&-', "sh", process.execPath, bundle, "hook"], {
            env: the.environment
          })
          assert.deepStrictEqual([closed.status, String(closed.stdout), String(closed.stderr)], [0, "", ""])
        })
    )

    liveCase("a hook whose input has no end goes on with the part that came in time", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const child = spawn(process.execPath, [quick, "hook"], {
          env: the.environment,
          stdio: ["pipe", "ignore", "ignore"]
        })
        child.stdin.write(input())
        const code = yield* Effect.promise(() => new Promise((resolve) => child.on("exit", resolve)))
        assert.strictEqual(code, 0)
        assert.lengthOf(signs(the), 1)
      })
    )

    liveCase("many hooks at once lose no line, even while the older file is replaced", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        fs.mkdirSync(join(the.state, "hooks"), { recursive: true })
        const old = `${JSON.stringify({ at: 1, event: "Old", sessionId: session, pid: null, startTime: null })}\n`
        // Each has it over the limit, until one has made it the older one.
        fs.writeFileSync(file(the), old.repeat(Math.ceil(131_072 / old.length)))
        const [calls, atOnce] = [40, 8]
        const one = (n: number) =>
          Effect.promise(
            () =>
              new Promise((resolve) => {
                const child = spawn(process.execPath, [quick, "hook"], {
                  env: the.environment,
                  stdio: ["pipe", "ignore", "ignore"]
                })
                child.stdin.end(input({ hook_event_name: `Call${n}` }))
                child.on("exit", resolve)
              })
          )
        yield* Effect.forEach(
          Array.from({ length: calls }, (_, n) => n),
          one,
          { concurrency: atOnce }
        )
        const events = new Set(signs(the).map(({ event }) => event))
        for (let n = 0; n < calls; n += 1) assert.isTrue(events.has(`Call${n}`), `Call${n}`)
        assert.isBelow(fs.statSync(file(the)).size, 20_000)
        assert.sameMembers(fs.readdirSync(join(the.state, "hooks")), [`${session}.jsonl`, `${session}.jsonl.1`])
      })
    )
  })

  describe.concurrent("the files of signs", () => {
    live("files of sessions long gone are removed with the first sign of another one", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const folder = join(the.state, "hooks")
        fs.mkdirSync(folder, { recursive: true })
        for (let n = 0; n < 500; n += 1) {
          fs.writeFileSync(join(folder, `old-${n}.jsonl`), "")
          fs.utimesSync(join(folder, `old-${n}.jsonl`), 1000 + n, 1000 + n)
        }
        hook(the, input())
        const left = fs.readdirSync(folder)
        assert.lengthOf(left, 400)
        assert.includeMembers(left, [`${session}.jsonl`, "old-499.jsonl"])
        assert.notInclude(left, "old-0.jsonl")
      })
    )

    live("a lock whose process died is removed by the next hook, and the one after it makes room", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        fs.mkdirSync(join(the.state, "hooks"), { recursive: true })
        fs.writeFileSync(file(the), `${"x".repeat(99)}\n`.repeat(1500))
        fs.writeFileSync(`${file(the)}.lock`, "")
        fs.utimesSync(`${file(the)}.lock`, 1000, 1000)
        hook(the, input({ hook_event_name: "First" }))
        assert.isAbove(fs.statSync(file(the)).size, 131_072)
        hook(the, input({ hook_event_name: "Second" }))
        assert.match(fs.readFileSync(`${file(the)}.1`, "utf8"), /^x{99}\n[^]*"First"[^]*"Second"[^\n]*\n$/u)
        hook(the, input({ hook_event_name: "Third" }))
        assert.match(fs.readFileSync(file(the), "utf8"), /^[^\n]*"Third"[^\n]*\n$/u)
        assert.strictEqual(fs.statSync(file(the)).mode & 0o777, 0o600)
      })
    )
  })

  describe.concurrent("souffleur hooks", () => {
    live(
      "hooks install writes a command that runs from anywhere and says where; hooks uninstall restores the file to the byte",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([], {})
          const settings = join(the.project, ".claude", "settings.local.json")
          fs.mkdirSync(join(the.project, ".claude"))
          const before = '{ "model" : "opus" }'
          fs.writeFileSync(settings, before)
          const state = join(the.home, "it's a state")
          const run = (...args: ReadonlyArray<string>) => the.run(["hooks", ...args], { SOUFFLEUR_STATE_DIR: state })
          const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
            const { code, lines } = yield* run(...args, "--json")
            assert.strictEqual(code, 0)
            return JSON.parse(lines.join("\n"))
          })
          assert.deepInclude(yield* json("status"), { file: settings, installed: false, events: [] })
          assert.deepStrictEqual(yield* json("install"), {
            file: settings,
            changed: true,
            how: "installed",
            backup: `${settings}.souffleur-backup`
          })
          assert.deepInclude(yield* json("install"), { changed: false })
          assert.deepInclude(yield* json("status"), { installed: true, absent: [], missing: [] })
          const { command } = JSON.parse(fs.readFileSync(settings, "utf8")).hooks.Stop[0].hooks[0]
          // In the agent's environment souffleur's own settings are not.
          execFileSync("/bin/sh", ["-c", command], { cwd: "/", env: {}, input: input() })
          assert.isTrue(fs.existsSync(join(state, "hooks", `${session}.jsonl`)))
          assert.deepInclude(yield* json("uninstall"), { changed: true, how: "restored" })
          assert.strictEqual(fs.readFileSync(settings, "utf8"), before)
          assert.deepInclude(yield* json("uninstall"), { changed: false })

          // For all projects, in the agent's own folder.
          const user = join(the.home, "claude", "settings.json")
          assert.deepInclude(yield* json("install", "--user"), { file: user, changed: true })
          const { lines } = yield* run("status", "--user")
          assert.match(lines.join("\n"), /settings\.json: all 12 hooks\n.*hook\.cjs hook, into .*it's a state$/u)
          assert.deepInclude(yield* json("uninstall", "--user"), { how: "removed" })
          assert.isFalse(fs.existsSync(user))
        })
    )

    liveCase(
      "hooks install leaves an unreadable file alone and refuses contradicting flags, with nothing on standard output",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const settings = join(the.project, ".claude", "settings.local.json")
          fs.mkdirSync(join(the.project, ".claude"))
          fs.writeFileSync(settings, '{"hooks": {} // mine\n')
          for (const word of ["install", "uninstall", "status"]) {
            const { code, errors, lines } = yield* the.run(["hooks", word])
            assert.deepStrictEqual([code, lines], [2, []])
            assert.include(errors, `${settings} is not JSON`)
          }
          const twice = yield* the.run(["hooks", "install", "--user", "--project-dir", the.project])
          assert.deepStrictEqual([twice.code, twice.lines], [2, []])
          assert.match(twice.errors, /--user or --project-dir, not both/)
          assert.deepStrictEqual(fs.readdirSync(join(the.project, ".claude")), ["settings.local.json"])
        })
    )

    liveCase("doctor finds hooks whose program is gone, or that write elsewhere", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const settings = join(the.project, ".claude", "settings.local.json")
        const found = Effect.map(the.ask(["doctor", "--json"]), ({ lines }) =>
          (
            JSON.parse(lines.join("\n")) as ReadonlyArray<{
              check: string
              level: string
              detail: string
              todo: string
            }>
          ).filter(({ check }) => check === "hooks")
        )
        assert.deepStrictEqual(yield* found, [])
        yield* the.run(["hooks", "install"])
        assert.deepStrictEqual(
          (yield* found).map(({ level }) => level),
          ["ok"]
        )
        fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replaceAll(quick, "/no/such/souffleur.js"))
        const [gone] = yield* found
        assert.deepInclude(gone, { level: "wrong", todo: `souffleur hooks install --project-dir ${the.project}` })
        assert.include(gone!.detail, "/no/such/souffleur.js, which is not there")
        yield* the.run(["hooks", "install"], { SOUFFLEUR_STATE_DIR: join(the.home, "other") })
        assert.deepStrictEqual(
          (yield* found).map(({ level }) => level),
          ["note"]
        )
      })
    )
  })
})
