import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, prints, said, stage, task, until, type Variables } from "./Stage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test, 30_000)
const id = "11111111-1111-4111-8111-111111111111"
const nobody = "4190000"
const at = (pid: string, session: string) => ["watch", "--pid", pid, "--session-id", session]

interface Bad {
  readonly args: ReadonlyArray<string>
  /** In the one line on standard error. */
  readonly says: RegExp
  readonly code?: number
  readonly env?: Variables
  /** On standard output. */
  readonly out?: ReadonlyArray<string>
}

const bad = (home: string): ReadonlyArray<Bad> => [
  ...["letters", "-1", "0", "../../x", "*", "", "12.5", "4194305", "9".repeat(400)].map((pid) => ({
    args: at(pid, id),
    says: /is no process id: a whole number/
  })),
  { args: at("1", id), says: /pid 1 is the machine's first process/ },
  { args: at(String(process.pid), id), says: /started this souffleur/ },
  ...["../../x", "*", "", "-1", "a b", "$(touch x)", "x".repeat(5000)].map((session) => ({
    args: at(nobody, session),
    says: /is no session id/
  })),
  { args: at(nobody, "--permission-mode=bypassPermissions"), says: /Unrecognized flag/ },
  { args: ["watch", "PID:12"], says: /exactly one SESSION_ID:… is needed/ },
  { args: ["watch", "PID:12", "PID:13", `SESSION_ID:${id}`], says: /exactly one PID:… is needed/ },
  { args: ["watch", "PID:12", "SESSION_ID:../../x"], says: /is no session id/ },
  { args: ["watch", "PID:12", `SESSION_ID:${id}`, "--pid", "12"], says: /named twice/ },
  { args: ["watch", "--pid", "12"], says: /given together/ },
  { args: ["watch"], says: /which Conductor\?/ },
  { args: [...at(nobody, id), "--comms", "nowhere.db"], says: /nowhere\.db: it is not there/ },
  { args: [...at(nobody, id), "--comms", "plan.json"], says: /plan\.json: file is not a database/ },
  { args: [...at(nobody, id), "--project-dir", "nowhere"], says: /project folder "nowhere" is not there/ },
  { args: ["config", "--project-dir", "plan.json"], says: /no folder, or cannot be read/ },
  { args: at(nobody, id), env: { SOUFFLEUR_AGENT_COMMAND: "no-such-agent" }, says: /agent command no-such-agent: no program/ },
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_AGENT_COMMAND: '["claude","--permission-mode=bypassPermissions"]' },
    says: /part 2 .* permission flag/
  },
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_AGENT_COMMAND: '["env","sh","--dangerously-skip-permissions"]' },
    says: /part 3 .* permission flag/
  },
  { args: at(nobody, id), env: { SOUFFLEUR_LAUNCHER: "tmux" }, says: /SOUFFLEUR_LAUNCHER: tmux needs/ },
  { args: ["status"], env: { SOUFFLEUR_WATCHER_INTERVAL: "soon" }, says: /SOUFFLEUR_WATCHER_INTERVAL: must be a duration/ },
  { args: ["config"], env: { SOUFFLEUR_TRIM_CHARS: "-5" }, says: /SOUFFLEUR_TRIM_CHARS: must be a positive integer/ },
  { args: ["config"], env: { SOUFFLEUR_LAUNCHER: "x" }, says: /must be one of/ },
  { args: ["nonsense"], says: /Unknown subcommand/ },
  { args: ["status", "--nonsense"], says: /Unrecognized flag: --nonsense/ },
  { args: ["log", "--from", "letters"], says: /--from/ },
  { args: ["log", "--since", "yesterday"], says: /is no duration/ },
  { args: ["state", "--at", "yesterday"], says: /neither a revision nor a UTC time/ },
  { args: ["state", "no-such-watch"], says: /no watch is called/ },
  { args: ["log", "../../x"], says: /no watch is called/ },
  { args: ["release"], says: /no watch of/ },
  { args: ["estimate"], says: /Missing required argument: file/ },
  { args: ["estimate", "nowhere.md"], says: /cannot be read/ },
  { args: ["estimate", "nowhere.md", "--json"], says: /^$/, out: ['{"ok":false,"error":"the export cannot be read: NotFound"}'] },
  { args: ["export", "../../x"], says: /is no session id/ },
  { args: ["export", id], says: /cannot be read: it is not there/ },
  ...["newer", "foreign", "damaged", "text"].map((what) => ({
    args: ["status", "--json"],
    env: { SOUFFLEUR_STATE_DIR: join(home, what) },
    code: 4,
    says: /^souffleur: the event log cannot be used: .*souffleur\.db: /
  })),
  { args: at(nobody, id), env: { SOUFFLEUR_STATE_DIR: join(home, "newer") }, code: 4, says: /a newer souffleur made it/ },
  {
    args: ["status"],
    env: { SOUFFLEUR_STATE_DIR: join(home, "opera", "plan.json", "below") },
    code: 4,
    says: /the event log cannot be used/
  },
  { args: ["status"], env: { SOUFFLEUR_STATE_DIR: "/proc/souffleur" }, code: 4, says: /\/proc\/souffleur.*cannot be made/ },
  { args: ["status"], env: { SOUFFLEUR_STATE_DIR: "/proc/souffleur/below" }, code: 4, says: /\/proc\/souffleur.*cannot be made/ }
]

live("what is bad is told in one sentence on standard error, by the exit code of its kind", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const own = join(the.state, "souffleur.db")
    assert.deepStrictEqual((yield* the.run(["status", "--json"])).lines, ["[]"])
    assert.strictEqual(fs.statSync(own).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(the.state).mode & 0o777, 0o700)
    const spoiled = {
      newer: Buffer.from(fs.readFileSync(own)),
      foreign: fs.readFileSync(the.comms),
      damaged: Buffer.from(fs.readFileSync(own)),
      text: Buffer.from("to be\n")
    }
    spoiled.newer.writeUInt32BE(99, 60)
    spoiled.damaged.fill(0xff, 100)
    for (const [name, bytes] of Object.entries(spoiled)) {
      fs.mkdirSync(join(the.home, name), { mode: 0o700 })
      fs.writeFileSync(join(the.home, name, "souffleur.db"), bytes)
    }
    yield* Effect.forEach(
      bad(the.home),
      Effect.fnUntraced(function* ({ args, code = 2, env, out = [], says }) {
        const what = `${args.join(" ").slice(0, 200)} ${JSON.stringify(env ?? {})}`
        const found = yield* the.run(args, env)
        assert.strictEqual(found.code, code, `${what}\n${found.errors}`)
        assert.deepStrictEqual(found.lines, out, what)
        assert.match(found.errors, says, what)
        assert.isAtMost(found.errors.split("\n").length, 2, `${what}: one line`)
        assert.isBelow(found.errors.length, 600, what)
        assert.notMatch(found.errors, /^\s+at |node:internal/m, what)
      }),
      { concurrency: 3, discard: true }
    )
    for (const [name, bytes] of Object.entries(spoiled))
      assert.isTrue(bytes.equals(fs.readFileSync(join(the.home, name, "souffleur.db"))), `${name} is left as it was`)
    assert.isFalse(fs.existsSync(join(the.project, "x")), "no shell reads a session id")
    assert.deepStrictEqual((yield* the.run(["status", "--json"])).lines, ["[]"], "nothing of it is in the log")
  })
)

live("a config file of rubbish is warnings and defaults", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    fs.mkdirSync(join(the.project, ".orchestra_configs"))
    fs.writeFileSync(
      join(the.project, ".orchestra_configs", "souffleur"),
      Buffer.concat([Buffer.from("FORCE_COMPACT=many\nrubbish\n"), crypto.getRandomValues(Buffer.alloc(2000))])
    )
    const { code, lines } = yield* the.run(["config", "--json"])
    const config = JSON.parse(lines.join("\n"))
    assert.strictEqual(code, 0)
    assert.strictEqual(config.force_compact_threshold_tokens, 400_000)
    assert.strictEqual(config.max_external_permission, "acceptEdits")
    assert.isAtLeast(config.warnings.length, 1)
    assert.include(config.source, ".orchestra_configs/souffleur")
  })
)

live("one souffleur a Conductor, whatever its state folder; its log is read, followed and replayed; release lets the Conductor live", () =>
  Effect.gen(function* () {
    const the = yield* stage([task(1)])
    const conductor = yield* the.conductor()
    const watch = the.start(["watch", "--json", `PID:${conductor.pid}`, `SESSION_ID:${the.session}`])
    const settled = yield* prints(watch, "WatchSettled")
    const again = at(String(conductor.pid), the.session)
    for (const [args, env] of [
      [again, {}],
      [["watch"], {}],
      [again, { SOUFFLEUR_STATE_DIR: join(the.home, "other") }]
    ] as const) {
      const { code, errors, lines } = yield* the.run(args, env)
      assert.strictEqual(code, 3, errors)
      assert.match(errors, /^souffleur: already watched: .*\n$/)
      assert.deepStrictEqual(lines, [])
    }
    assert.deepStrictEqual((yield* the.run(["status", "--json"], { SOUFFLEUR_STATE_DIR: join(the.home, "other") })).lines, ["[]"])

    const [status] = JSON.parse((yield* the.run(["status", "--json"])).lines.join("\n"))
    assert.strictEqual(status.watch, settled.watch)
    assert.strictEqual(status.phase, "Watching")
    assert.deepStrictEqual([status.conductor.pid, status.conductor.alive, status.conductor.session_id], [conductor.pid, true, the.session])
    const log = yield* the.events
    assert.deepStrictEqual(log, watch.lines.map(said))
    for (const event of log) assert.match(event.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepStrictEqual((yield* the.run(["log", the.session, "--json", "--from", "3"])).lines.map(said), log.slice(2))
    const state = yield* the.run(["state", settled.watch, "--at", "1", "--json"])
    assert.deepInclude(JSON.parse(state.lines.join("\n")), { watch: settled.watch, revision: 1, phase: "Validating" })
    const follower = the.start(["log", "--json", "--follow"])
    yield* prints(follower, "WatchSettled")

    assert.strictEqual((yield* the.run(["stop", settled.watch])).code, 0)
    assert.deepStrictEqual(yield* watch.ended, { code: 0, signal: null })
    assert.deepStrictEqual(yield* follower.ended, { code: 0, signal: null })
    assert.strictEqual(said(follower.lines.at(-1)!)._tag, "WatchReleased")
    assert.isTrue(alive(conductor.pid))
    assert.strictEqual(the.row("souffleur")["state"], "exited")
  })
)

live("a souffleur that is told to end leaves its watch resumable, and its row as it was", () =>
  Effect.gen(function* () {
    const the = yield* stage([task(1)])
    const conductor = yield* the.conductor()
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143]
    ] as const) {
      const watch = the.watch(conductor)
      yield* prints(watch, "OwnerTook")
      yield* until(
        Effect.sync(() => the.row("souffleur")["state"]),
        (state) => state === "confirmed"
      )
      watch.kill(signal)
      assert.deepStrictEqual(yield* watch.ended, { code, signal: null }, watch.errors())
      assert.strictEqual((yield* the.events).at(-1)?._tag, "OwnerLeft")
      assert.strictEqual(the.row("souffleur")["state"], "confirmed")
      assert.isTrue(alive(conductor.pid))
    }
    const last = the.start(["watch", "--json"])
    yield* prints(last, "OwnerTook", ({ fence }) => fence === 3)
    the.board((db) => db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'"))
    assert.deepStrictEqual(yield* last.ended, { code: 0, signal: null })
  })
)

live("three failed validations end it with 1, a message and the row, and nothing is launched", () =>
  Effect.gen(function* () {
    const the = yield* stage([task(1)])
    const { code, lines } = yield* the.run([...at(nobody, id), "--json"])
    assert.strictEqual(code, 1)
    assert.strictEqual(said(lines.at(-1)!)._tag, "ValidationExhausted")
    assert.strictEqual(the.row("souffleur")["state"], "exited")
    assert.include(String(the.messages().at(-1)?.["message"]), nobody)
    assert.deepStrictEqual(the.launched(), [])
  })
)

live("a session with a record of 200 MB is exported in bounded memory, and what was left out is said", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const folder = join(the.home, "claude", "projects", "x")
    fs.mkdirSync(folder, { recursive: true })
    const record = (content: string) => JSON.stringify({ type: "user", uuid: "u", sessionId: id, message: { role: "user", content } })
    const [before, after] = record("|").split("|")
    const file = fs.openSync(join(folder, `${id}.jsonl`), "w")
    fs.writeSync(file, `${record("the first words")}\n${before}`)
    for (let n = 0; n < 20; n++) fs.writeSync(file, "y".repeat(10_000_000))
    fs.writeSync(file, `${after}\n${record("the last words")}\n`)
    fs.closeSync(file)

    const out = join(the.home, "out.md")
    const exporting = the.start(["export", id, "--out", out])
    let peak = 0
    const look = Effect.sync(() => {
      const status = alive(exporting.pid) ? fs.readFileSync(`/proc/${exporting.pid}/status`, "utf8") : ""
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0))
    })
    const { code } = yield* Effect.raceFirst(
      exporting.ended,
      Effect.andThen(
        until(look, () => false),
        Effect.never
      )
    )
    assert.strictEqual(code, 0, exporting.errors())
    assert.isAbove(peak, 0)
    assert.isBelow(peak, 200_000, "kB")
    assert.match(exporting.errors(), /^warning: .*left out: 1\n$/)
    assert.deepStrictEqual(exporting.lines, [out])
    assert.include(fs.readFileSync(out, "utf8"), "the last words")
    assert.strictEqual(fs.statSync(out).mode & 0o777, 0o600)
  })
)
