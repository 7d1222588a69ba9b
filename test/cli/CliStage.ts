import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { CommsTables } from "@souffleur/comms"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect, Schedule } from "effect"
import { compiledOf } from "./Build.ts"
import { bundle } from "./Built.ts"
import { inProcess } from "./InProcess.ts"

export { bundle }

export type Variables = Readonly<Record<string, string>>

/** Many tests wait at once, and leave the processor to what they wait for. */
const looks = Schedule.min([Schedule.exponential("10 millis", 1.5), Schedule.spaced("150 millis")])

/** Looks again until it is so; the test's own limit ends it. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, so: (found: A) => boolean) =>
  Effect.repeat(look, { until: so, schedule: looks })

export const alive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/su.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** A process that a test has started, and what it has said so far. */
export interface Running {
  readonly pid: number
  /** Whole lines of standard output. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }>
  readonly kill: (signal: NodeJS.Signals) => void
}

const running = (child: ChildProcess): Running => {
  const lines: Array<string> = []
  let [rest, errors] = ["", ""]
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const found = (rest + text).split("\n")
    rest = found.pop() ?? ""
    lines.push(...found)
  })
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text))
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid ?? 0,
    lines,
    errors: () => errors,
    ended: Effect.promise(() => ended),
    kill: (signal) => child.kill(signal)
  }
}

/**
 * Ends a souffleur by a signal: by itself within its patience, or by the signal after that. For a shell both are 128
 * and its number. Returns whether it had the time for its goodbye, which a busy machine may not give.
 */
export const answers = Effect.fnUntraced(function* (process: Running, signal: "SIGINT" | "SIGTERM" = "SIGTERM") {
  process.kill(signal)
  const ended = yield* process.ended
  const self = { code: signal === "SIGTERM" ? 143 : 130, signal: null }
  assert.deepStrictEqual(ended, ended.signal === null ? self : { code: null, signal }, process.errors())
  return ended.signal === null
})

export interface Said {
  readonly _tag: string
  readonly watch: string
  readonly revision: number
  readonly at: string
  readonly [field: string]: unknown
}
export const said = (line: string): Said => JSON.parse(line)

/** Until a `watch --json` has printed such an event; fails when it ends before. */
export const prints = Effect.fnUntraced(function* (
  watch: Running,
  tag: string,
  more: (event: Said) => boolean = () => true
) {
  let from = 0
  const look = Effect.sync(() => {
    const found = watch.lines.slice(from).map(said)
    from += found.length
    return found.find((event) => event._tag === tag && more(event))
  })
  const found = yield* Effect.raceFirst(
    until(look, (event) => event !== undefined),
    // Its last lines may come with its end.
    Effect.andThen(watch.ended, look)
  )
  if (found !== undefined) return found
  const { code } = yield* watch.ended
  return yield* Effect.die(
    new Error(`souffleur ended with ${code} before ${tag}: ${watch.errors()}\n${watch.lines.join("\n")}`)
  )
})

export const task = (number: number, millis = 150) => ({
  id: `task-0${number}`,
  file: `scene-${number}.txt`,
  text: `scene ${number}\n`,
  millis
})

/** Fractions of a second in place of minutes. A Conductor that beats is never stale here, however busy the machine. */
export const quick: Variables = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "300 millis",
  SOUFFLEUR_WATCHER_INTERVAL: "200 millis",
  SOUFFLEUR_HEARTBEAT_STALE_AFTER: "10 minutes",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "5 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "5 seconds",
  SOUFFLEUR_MONITOR_STALE_AFTER: "2 minutes",
  SOUFFLEUR_VALIDATION_RETRY_INTERVAL: "100 millis",
  SOUFFLEUR_STOP_GRACE: "300 millis",
  SOUFFLEUR_RESTART_PAUSE: "10 millis",
  SOUFFLEUR_LAUNCHER: "headless"
}

/**
 * A home of the test's own: project, comms, the agent's folder, souffleur's; nothing that started in it outlives the
 * test.
 */
export const stage = Effect.fnUntraced(function* (
  tasks: ReadonlyArray<ReturnType<typeof task>>,
  variables: Variables = {}
) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "souffleur-stage-")))),
    (home) =>
      Effect.gen(function* () {
        const processes = yield* ProcessesPort
        // An agent may be starting another one: until none is seen.
        const left = Effect.tap(processes.tagged({ environment: { HOME: home } }), (found) =>
          Effect.forEach(found, ({ identity }) => Effect.ignore(processes.signal(identity, "SIGKILL")))
        )
        yield* until(left, (found) => found.every(({ condition }) => condition === "zombie"))
        fs.rmSync(home, { recursive: true, force: true, maxRetries: 20 })
      }).pipe(Effect.provide(Processes.layer), Effect.orDie)
  )
  const [project, comms, state, claude] = [
    join(home, "opera"),
    join(home, "opera", "comms.db"),
    join(home, "state"),
    join(home, "claude")
  ]
  const session = crypto.randomUUID()
  fs.mkdirSync(project)
  fs.mkdirSync(join(home, "run"), { mode: 0o700 })
  fs.writeFileSync(join(project, "plan.json"), JSON.stringify({ tasks }))

  /** The Conductor's database; `act` with a connection of its own. */
  const commsDb = <A>(act: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(comms, { timeout: 5000 })
    try {
      return act(db)
    } finally {
      db.close()
    }
  }
  commsDb((db) => {
    for (const statement of Object.values(CommsTables.tables)) db.exec(statement)
    db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-00', 'working'), ('souffleur', 'watching')")
    // Planned already: taking one up is no progress.
    for (const { id } of tasks)
      db.prepare("INSERT INTO orchestration_tasks (task_id, state) VALUES (?, 'watching')").run(id)
  })

  const environment: Variables = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    XDG_RUNTIME_DIR: join(home, "run"),
    NODE_COMPILE_CACHE: compiledOf(bundle),
    TMUX_TMPDIR: home,
    SOUFFLEUR_STATE_DIR: state,
    SOUFFLEUR_CLAUDE_DIR: claude,
    CLAUDE_CONFIG_DIR: claude,
    SOUFFLEUR_AGENT_COMMAND: JSON.stringify([process.execPath, bundle, "__stand-in"]),
    ...quick,
    ...variables
  }
  /** With these variables and no other. */
  const exactly = (program: string, args: ReadonlyArray<string>, env: Variables) =>
    running(spawn(program, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] }))
  const spawned = (program: string, args: ReadonlyArray<string>, more: Variables = {}, cwd = project) =>
    running(spawn(program, args, { cwd, env: { ...environment, ...more }, stdio: ["ignore", "pipe", "pipe"] }))
  const start = (args: ReadonlyArray<string>, more?: Variables, cwd?: string) =>
    spawned(process.execPath, [bundle, ...args], more, cwd)

  const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, more?: Variables, cwd?: string) {
    const child = start(args, more, cwd)
    const { code } = yield* child.ended
    return { code, lines: child.lines, errors: child.errors() }
  })

  /** Runs a word that only reads or writes the log, in this process. */
  const ask = (args: ReadonlyArray<string>, more: Variables = {}, cwd = project) =>
    inProcess(args, { bundle, cwd, variables: { ...environment, ...more } })

  const pidFile = (pid: number) => join(claude, "sessions", `${pid}.json`)
  /** Once its session can be found. */
  const acting = (agent: Running) =>
    Effect.as(
      until(
        Effect.sync(() => fs.existsSync(pidFile(agent.pid)) && sessions().length > 0),
        (yes) => yes
      ),
      agent
    )
  const order = [
    "--session-id",
    session,
    "--permission-mode",
    "acceptEdits",
    "-p",
    "--",
    "Work on the plan. The stage word is gossamer."
  ]
  const sessions = () =>
    fs.existsSync(join(claude, "projects"))
      ? (fs.readdirSync(join(claude, "projects"), { recursive: true }) as ReadonlyArray<string>).filter((file) =>
          file.endsWith(".jsonl")
        )
      : []

  const conversation = (id: string) => {
    const file = sessions().find((name) => name.includes(id))
    return file === undefined ? "" : fs.readFileSync(join(claude, "projects", file), "utf8")
  }

  return {
    home,
    project,
    comms,
    state,
    session,
    environment,
    commsDb,
    exactly,
    spawned,
    start,
    run,
    ask,
    acting,
    order,
    sessions,
    /** Generation 1, as a user would have started it: busy with a task until something ends it. */
    conductor: (hangAt = 1, more?: Variables) =>
      Effect.suspend(() =>
        acting(start(["__stand-in", ...order], { SOUFFLEUR_STANDIN_HANG_AT: String(hangAt), ...more }))
      ).pipe(
        // It has told comms that it works, before it begins the task.
        Effect.tap(() =>
          until(
            Effect.sync(() => conversation(session)),
            (text) => text.includes(tasks[hangAt - 1]?.file ?? "")
          )
        )
      ),
    watch: (conductor: Running, ...args: ReadonlyArray<string>) =>
      start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", session, ...args]),
    events: Effect.map(ask(["log", "--json"]), ({ lines }) => lines.map(said)),
    /** Every launch that became an agent. */
    launched: () =>
      fs.existsSync(join(state, "launches"))
        ? fs
            .readdirSync(join(state, "launches"))
            .filter((file) => file.endsWith(".receipt"))
            .map((file) => JSON.parse(fs.readFileSync(join(state, "launches", file), "utf8")))
            .filter((receipt) => receipt._tag === "Taken")
            .map((receipt): number => receipt.process.pid)
        : [],
    conversation,
    row: (id: string) =>
      commsDb((db) =>
        db.prepare("SELECT state, last_error, session_id FROM orchestration_tasks WHERE task_id = ?").get(id)
      ) ?? {},
    messages: () =>
      commsDb((db) =>
        db
          .prepare("SELECT message, message_type FROM orchestration_messages WHERE task_id = 'souffleur' ORDER BY id")
          .all()
      )
  }
})
