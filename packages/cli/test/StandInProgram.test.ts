/** @module-tag cases */
import { assert, it } from "@effect/vitest"
import { CommsSchema } from "@souffleur/comms"
import { Sqlite, type SqliteUnusable } from "@souffleur/eventlog"
import { HostServices, SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer, Path, Schedule, type Scope, Stream } from "effect"
import { ChildProcess } from "effect/process"
import type { SqlError } from "effect/sql"
import { fileURLToPath } from "node:url"
import { builtProgram } from "../../node/test/fixtures/BuiltProgram.ts"

const standIn = await builtProgram(fileURLToPath(new URL("fixtures/standIn.ts", import.meta.url)))

const services = Layer.provideMerge(SqliteClient.layerSqlite, HostServices.layer)
const one = "11111111-1111-4111-8111-111111111111"
const two = "22222222-2222-4222-8222-222222222222"
const first = "Work on plan.json. The stage word is brass-lantern-7."
const task = (number: number, millis = 20) => ({
  id: `task-0${number}`,
  file: `scene-${number}.txt`,
  text: `scene ${number}\n`,
  millis
})

interface Record {
  readonly type: string
  readonly subtype?: string
  readonly uuid?: string
  readonly parentUuid?: string | null
  readonly sessionId: string
  readonly message?: {
    readonly role: string
    readonly content: unknown
    readonly stop_reason?: string
    readonly usage?: object
  }
}

const isLocked = (error: SqliteUnusable | SqlError.SqlError) =>
  error._tag === "SqliteUnusable" ? error.reason === "locked" : error.reason._tag === "LockTimeoutError"

/** A project with a plan and a comms database, and agents started in it as souffleur starts them. */
const stage = Effect.fnUntraced(function* (tasks: ReadonlyArray<ReturnType<typeof task>>) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const sqlite = yield* Sqlite
  const root = yield* files.realPath(yield* files.makeTempDirectoryScoped())
  const project = paths.join(root, "the play")
  const agent = paths.join(root, "agent")
  yield* files.makeDirectory(project)
  yield* files.writeFileString(paths.join(project, "plan.json"), JSON.stringify({ tasks }))
  const comms = paths.join(project, "comms.db")
  yield* CommsSchema.init(comms)

  const start = (args: ReadonlyArray<string>, env: { readonly [name: string]: string } = {}) =>
    ChildProcess.make(process.execPath, [standIn, ...args], {
      cwd: project,
      env: { PATH: "/usr/bin:/bin", CLAUDE_CONFIG_DIR: agent, ...env },
      stdin: "ignore",
      // A stand-in that ignores TERM also ends with a test that fails.
      forceKillAfter: "1 second"
    })
  const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env?: { readonly [name: string]: string }) {
    const child = yield* start(args, env)
    const [out, err] = yield* Effect.all(
      [Stream.mkString(Stream.decodeText(child.stdout)), Stream.mkString(Stream.decodeText(child.stderr))],
      {
        concurrency: 2
      }
    )
    const code = yield* child.exitCode.pipe(
      Effect.map(Number),
      Effect.catch(() => Effect.succeed("killed" as const))
    )
    return { code, out: out.trim(), err: err.trim() }
  }, Effect.scoped)
  const records = Effect.fnUntraced(function* (id: string) {
    const text = yield* files.readFileString(
      paths.join(agent, "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`)
    )
    // The last line may be in the midst of being written.
    return text
      .split("\n")
      .slice(0, -1)
      .map((line): Record => JSON.parse(line))
  })
  return {
    project,
    comms,
    agent,
    start,
    run,
    records,
    // The stand-in writes the same file: a lock of its own is waited for.
    query: (statement: string) =>
      Effect.scoped(
        Effect.flatMap(sqlite.openForeign(comms), (sql) => sql.unsafe<{ [column: string]: unknown }>(statement))
      ).pipe(Effect.retry({ while: isLocked, schedule: Schedule.spaced("20 millis") })),
    exists: (...parts: ReadonlyArray<string>) => files.exists(paths.join(...parts)),
    pidFiles: files.readDirectory(paths.join(agent, "sessions"))
  }
})

/** Looks again until it is so. A real process takes its time, and the test's own limit ends the wait. */
const until = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(look, { until: (so) => so, schedule: Schedule.spaced("20 millis") })
const launch = (session: "--session-id" | "--resume", id: string, prompt: string) => [
  session,
  id,
  "--permission-mode",
  "acceptEdits",
  "-p",
  "--",
  prompt
]
const said = (records: ReadonlyArray<Record>) => JSON.stringify(records.filter((record) => record.type === "assistant"))
const live = <A, E>(name: string, test: () => Effect.Effect<A, E, Layer.Success<typeof services> | Scope.Scope>) =>
  it.live(name, () => Effect.provide(test(), services))

live("the stand-in works its plan to the end, and keeps its session as the real agent does", () =>
  Effect.gen(function* () {
    const { exists, pidFiles, project, query, records, run } = yield* stage([task(1), task(2)])
    const ended = yield* run(launch("--session-id", one, first))
    assert.deepStrictEqual(ended, { code: 0, out: "Every task of the plan is complete.", err: "" })
    assert.isTrue(yield* exists(project, "scene-2.txt"))
    const rows = yield* query(
      "SELECT task_id, state, session_id, worked_by, last_heartbeat AS beat FROM orchestration_tasks ORDER BY task_id"
    )
    assert.deepEqual(
      rows.map((row) => [row["task_id"], row["state"], row["session_id"], row["worked_by"]]),
      [
        ["souffleur", "watching", null, null],
        ["task-00", "complete", one, null],
        ["task-01", "complete", null, one],
        ["task-02", "complete", null, one]
      ]
    )
    assert.match(String(rows[1]!["beat"]), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

    const conversation = (yield* records(one)).filter((record) => record.uuid !== undefined)
    assert.deepStrictEqual(
      conversation.map(({ parentUuid }) => parentUuid),
      [null, ...conversation.slice(0, -1).map(({ uuid }) => uuid)]
    )
    assert.deepStrictEqual(
      conversation.map(({ message, type }) => [type, message!.stop_reason]),
      [
        ["user", undefined],
        ...[1, 2].flatMap(() => [
          ["assistant", "tool_use"],
          ["user", undefined]
        ]),
        ["assistant", "end_turn"]
      ]
    )
    assert.strictEqual(conversation[0]!.message!.content, first)
    assert.hasAllKeys(conversation.at(-1)!.message!.usage, [
      "input_tokens",
      "cache_creation_input_tokens",
      "cache_read_input_tokens",
      "output_tokens"
    ])
    assert.strictEqual((yield* records(one)).at(-1)!.type, "last-prompt")
    assert.deepStrictEqual(yield* pidFiles, [])
  })
)

live("a killed stand-in leaves its pid file; a successor reads the export, names the fact and finishes", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { agent, exists, pidFiles, project, query, records, run } = yield* stage([task(1), task(2), task(3)])
    const died = yield* run(launch("--session-id", one, first), { SOUFFLEUR_STANDIN_DIE_AT: "2" })
    assert.strictEqual(died.code, "killed")
    assert.isTrue(yield* exists(project, "scene-1.txt"))
    assert.isFalse(yield* exists(project, "scene-2.txt"))
    const [left] = yield* pidFiles
    const pidFile = JSON.parse(yield* files.readFileString(`${agent}/sessions/${left}`))
    assert.deepInclude(pidFile, {
      pid: Number(left!.replace(".json", "")),
      sessionId: one,
      cwd: project,
      status: "busy"
    })
    assert.match(pidFile.procStart, /^\d+$/)
    const cut = yield* records(one)
    assert.strictEqual(cut.at(-1)!.message!.stop_reason, "tool_use")

    const out = `${project}/the export.md`
    yield* files.writeFileString(out, `# Conversation\n\nuser: ${first}\n`)
    const prompt = `/conductor --recovery-bootstrap\n\nThe previous Conductor crashed.\nRead this first: ${out}\nGo on.`
    assert.strictEqual((yield* run(launch("--session-id", two, prompt))).code, 0)
    assert.include(said(yield* records(two)), "I have read the export: the stage word is brass-lantern-7.")
    assert.isTrue(yield* exists(project, "scene-3.txt"))
    const done = yield* query(
      "SELECT task_id, worked_by FROM orchestration_tasks WHERE state = 'complete' ORDER BY task_id"
    )
    assert.deepEqual(
      done.map((row) => row["worked_by"]),
      [null, one, two, two]
    )
  })
)

live("the stand-in takes a new id, refuses a used or unknown one, and admits a missing export", () =>
  Effect.gen(function* () {
    const { project, records, run } = yield* stage([])
    const again = launch("--session-id", one, `Read this first: ${project}/gone.md`)
    assert.strictEqual((yield* run(again)).code, 0)
    assert.include(said(yield* records(one)), "I could not read the export.")
    assert.notInclude(said(yield* records(one)), "stage word")
    assert.deepStrictEqual(yield* run(again), { code: 1, out: "", err: `Error: Session ID ${one} is already in use.` })
    const unknown = yield* run(launch("--resume", two, "hello"))
    assert.deepStrictEqual(unknown, { code: 1, out: "", err: `No conversation found with session ID: ${two}` })
  })
)

live("the stand-in waits for a locked database", () =>
  Effect.gen(function* () {
    const { comms, records, start } = yield* stage([task(1)])
    const other = yield* Effect.flatMap(Sqlite, (sqlite) => sqlite.openForeign(comms))
    yield* other.unsafe("BEGIN EXCLUSIVE")
    const child = yield* start(launch("--session-id", one, first))
    yield* until(Effect.map(records(one), ({ length }) => length > 0).pipe(Effect.orElseSucceed(() => false)))
    // Many of its tries fit in here.
    yield* Effect.repeat(child.isRunning, { times: 20, schedule: Schedule.spaced("20 millis") })
    assert.isTrue(yield* child.isRunning)
    assert.strictEqual((yield* records(one)).length, 1)
    yield* other.unsafe("COMMIT")
    assert.strictEqual(Number(yield* child.exitCode), 0)
  })
)

live("/compact writes a boundary and a summary, and the resumed session still knows", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { agent, project, records, run } = yield* stage([task(1)])
    yield* run(launch("--session-id", one, first))
    const boundaries = Effect.map(records(one), (all) => all.filter((record) => record.subtype === "compact_boundary"))
    assert.strictEqual(
      (yield* run(launch("--resume", one, "/compact"), { SOUFFLEUR_STANDIN_COMPACT_FAILS: "true" })).code,
      0
    )
    assert.deepStrictEqual(yield* boundaries, [])
    assert.strictEqual((yield* run(launch("--resume", one, "/compact"))).code, 0)
    const [boundary] = yield* boundaries
    assert.deepInclude(boundary, { type: "system", parentUuid: null, sessionId: one })
    // A torn last line stays and is closed.
    const file = `${agent}/projects/${project.replaceAll(/[^A-Za-z0-9]/g, "-")}/${one}.jsonl`
    yield* files.writeFileString(file, `{"type":"user","mess`, { flag: "a" })
    yield* run(launch("--resume", one, "Go on."))
    const text = yield* files.readFileString(file)
    assert.include(text, `{"type":"user","mess\n{`)
    assert.include(text.slice(text.indexOf(`"mess\n`)), "I go on. The stage word is brass-lantern-7.")
  })
)

live("TERM ends the stand-in with 143 and a clean folder, even when it hangs, unless it ignores TERM", () =>
  Effect.gen(function* () {
    const { agent, exists, pidFiles, query, start } = yield* stage([task(1)])
    const args = launch("--session-id", one, first)
    const claimed = Effect.map(
      query("SELECT 1 FROM orchestration_tasks WHERE task_id = 'task-01'"),
      (rows) => rows.length > 0
    )
    const hanging = yield* start(args, { SOUFFLEUR_STANDIN_HANG_AT: "1" })
    yield* until(claimed)
    assert.isTrue(yield* exists(agent, "sessions", `${hanging.pid}.json`))
    process.kill(hanging.pid, "SIGTERM")
    assert.strictEqual(Number(yield* hanging.exitCode), 143)
    assert.deepStrictEqual(yield* pidFiles, [])

    const stubborn = yield* start(launch("--session-id", two, first), {
      SOUFFLEUR_STANDIN_HANG_AT: "1",
      SOUFFLEUR_STANDIN_IGNORE_TERM: "true"
    })
    yield* until(
      Effect.map(query(`SELECT 1 FROM orchestration_tasks WHERE worked_by = '${two}'`), (rows) => rows.length > 0)
    )
    process.kill(stubborn.pid, "SIGTERM")
    process.kill(stubborn.pid, "SIGINT")
    assert.strictEqual(Number(yield* stubborn.exitCode), 0)
  })
)

live("a stand-in that is held in a task beats, and ends the task when it is released", () =>
  Effect.gen(function* () {
    const { agent, exists, project, query, start } = yield* stage([task(1, 0)])
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(`${agent}/craft`, { recursive: true })
    yield* files.writeFileString(`${agent}/craft/task-01.held`, "")
    const held = yield* start(launch("--session-id", one, first))
    const beaten = Effect.map(
      query("SELECT 1 FROM orchestration_tasks WHERE task_id = 'task-00' AND last_heartbeat IS NOT NULL"),
      (rows) => rows.length === 1
    )
    for (let times = 0; times < 2; times++) {
      yield* until(beaten)
      yield* query("UPDATE orchestration_tasks SET last_heartbeat = NULL WHERE task_id = 'task-00'")
    }
    yield* until(beaten)
    assert.isFalse(yield* exists(project, "scene-1.txt"))
    yield* files.remove(`${agent}/craft/task-01.held`)
    assert.strictEqual(Number(yield* held.exitCode), 0)
    assert.isTrue(yield* exists(project, "scene-1.txt"))
  })
)

live("the stand-in beats while it works, and asks for a recovery before the chosen task", () =>
  Effect.gen(function* () {
    const { query, start } = yield* stage([task(1, 60_000), task(2)])
    yield* start(launch("--session-id", one, first))
    const conductor = Effect.map(
      query("SELECT state, last_heartbeat AS beat FROM orchestration_tasks WHERE task_id = 'task-00'"),
      (rows) => rows[0]!
    )
    yield* until(Effect.map(conductor, ({ beat }) => beat !== null))
    yield* query("UPDATE orchestration_tasks SET last_heartbeat = NULL WHERE task_id = 'task-00'")
    yield* until(Effect.map(conductor, ({ beat }) => beat !== null))

    const handing = yield* start(launch("--session-id", two, first), { SOUFFLEUR_STANDIN_HANDOFF_AT: "1" })
    yield* until(Effect.map(conductor, ({ state }) => state === "context_recovery"))
    assert.isTrue(yield* handing.isRunning)
  })
)
