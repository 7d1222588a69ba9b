import { Effect, FileSystem, Path, Schedule, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { SqlError } from "effect/sql"
import { Sqlite } from "@souffleur/eventlog"
import { compiledOf } from "../cli/Build.ts"
import { bundle } from "../cli/Built.ts"
import { sampler, swept } from "./AgentProcesses.ts"
import { type Answer, type Asked, modelEndpoint } from "./ModelEndpoint.ts"

/** Seconds in place of minutes (spec: settings#keys). */
const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  // A successor has this time from its launch to its first beat.
  SOUFFLEUR_HEARTBEAT_STALE_AFTER: "30 seconds",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "5 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "5 seconds",
  // A souffleur that a busy machine holds up for some seconds is no silent one.
  SOUFFLEUR_MONITOR_STALE_AFTER: "30 seconds",
  SOUFFLEUR_STOP_GRACE: "1 second",
  SOUFFLEUR_LIMIT_MARGIN: "0 seconds"
}

/** Keeps the agent on this machine, and silent. */
const quiet = {
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
}

/** souffleur may itself have been started by an agent: what it launches must not see that. */
export const marks = ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1"] as const

const key = "sk-ant-test-000"

/** Ways to sign in: by a key, or as a subscriber. A usage limit ends a subscriber at once and with its time. */
const account = {
  key: { ANTHROPIC_API_KEY: key },
  subscriber: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-test" }
} as const

/** A user's pager: keeps what it is told. */
const pager = '#!/bin/sh\ncat >> "$HOME/notices"\n'
const Notices = Schema.Array(Schema.Struct({ kind: Schema.String, text: Schema.String, watch: Schema.String }))
const decodeNotices = Schema.decodeUnknownEffect(Schema.fromJsonString(Notices))

/** The conductor of the orchestration, whose first words a successor is launched with. */
const skill = "---\nname: conductor\ndescription: Conducts the plan\n---\nConduct.\n"

/** One line of `souffleur log --json`. */
const Logged = Schema.StructWithRest(Schema.Struct({ _tag: Schema.String, revision: Schema.Int }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
export type Logged = typeof Logged.Type
const decodeLogged = Schema.decodeUnknownEffect(Schema.fromJsonString(Logged))

/** The row of the Conductor, which it would write itself. */
export interface CommsDb {
  readonly beat: Effect.Effect<void>
  readonly complete: Effect.Effect<void>
  /** Asks for a recovery of its context, with this message before it. */
  readonly handoff: (payload: string) => Effect.Effect<void>
}

/** Gives the model's answer. Events that come before the answer may happen here. */
export type Part = (asked: Asked, commsDb: CommsDb) => Effect.Effect<Answer>

/** Names the thing that does not come in time, with what was said until then. */
export const inTime = (what: string, said: Effect.Effect<string> = Effect.succeed("")) =>
  Effect.timeoutOrElse({
    duration: "5 minutes",
    orElse: () => Effect.flatMap(said, (words) => Effect.die(`not in five minutes: ${what}\n${words.trim()}`))
  })

/** Asks again until it is so. */
export const until = <E, R>(what: string, so: Effect.Effect<boolean, E, R>, said?: Effect.Effect<string>) =>
  Effect.repeat(so, { until: (yes) => yes, schedule: Schedule.spaced("150 millis") }).pipe(
    inTime(what, said),
    Effect.asVoid
  )

export interface LabOptions {
  /** Without comms. */
  readonly solo?: boolean
  readonly account?: keyof typeof account
  /** Beside the timings, or in place of them. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * A home and a project of a user's own, a model on loopback, and souffleur's command line. Whatever was started with
 * that home is ended with the lab. `name` is the project folder's.
 */
export const makeLab = Effect.fn("Lab")(function* (claude: string, name: string, part: Part, options: LabOptions = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-claude-" }))
  const [home, tmp, project] = [path.join(root, "home"), path.join(root, "tmp"), path.join(root, name)]
  const skills = path.join(project, ".claude", "skills", "conductor")
  for (const folder of [home, tmp, skills]) yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  yield* fs.writeFileString(path.join(skills, "SKILL.md"), skill)
  yield* fs.writeFileString(
    path.join(home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [key], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } }
    })
  )
  yield* fs.writeFileString(path.join(home, "pager"), pager, { mode: 0o700 })
  yield* Effect.addFinalizer(() => swept(home))
  const agents = yield* sampler(claude, home)

  const environment = {
    ...quiet,
    ...timings,
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    NODE_COMPILE_CACHE: compiledOf(bundle),
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    TMPDIR: tmp,
    XDG_RUNTIME_DIR: tmp,
    CLAUDE_CODE_TMPDIR: tmp,
    ...account[options.account ?? "key"],
    SOUFFLEUR_AGENT_COMMAND: claude,
    SOUFFLEUR_NOTIFY: `command:${path.join(home, "pager")}`,
    // The path of an export becomes a pattern in a permission rule.
    SOUFFLEUR_STATE_DIR: path.join(home, "state [a] (b) {c} #d"),
    ...options.settings
  }
  const here = { cwd: project, env: environment, extendEnv: false, stdin: "ignore" } as const
  const souffleur = ["env", ...marks, process.execPath, bundle] as const
  /** What a person types. */
  const said = (...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make(process.execPath, [bundle, ...args], here))

  const comms = path.join(project, "comms.db")
  yield* said("init")
  const sql = yield* Effect.flatMap(Sqlite, (sqlite) => sqlite.openForeign(comms))
  /** Another writer is waited for, as every client of SQLite does by itself, and longer than ours. */
  const patiently = <A>(statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.retry(statement, {
      while: ({ reason }) => reason._tag === "LockTimeoutError",
      schedule: Schedule.spaced("20 millis")
    }).pipe(Effect.orDie)
  const commsDb: CommsDb = {
    beat: Effect.asVoid(
      patiently(sql`UPDATE orchestration_tasks SET last_heartbeat = datetime('now') WHERE task_id = 'task-00'`)
    ),
    complete: Effect.asVoid(
      patiently(sql`UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'`)
    ),
    handoff: (payload) =>
      Effect.andThen(
        patiently(
          sql`INSERT INTO orchestration_messages (task_id, from_session, message, message_type) VALUES ('souffleur', 'task-00', ${payload}, 'handoff')`
        ),
        Effect.asVoid(
          patiently(
            sql`UPDATE orchestration_tasks SET state = 'context_recovery', last_heartbeat = datetime('now') WHERE task_id = 'task-00'`
          )
        )
      )
  }
  if (options.solo === true) yield* fs.remove(comms)
  const model = yield* modelEndpoint((asked) => part(asked, commsDb))
  return {
    claude,
    project,
    home,
    comms,
    commsDb,
    options: { ...here, env: { ...environment, ANTHROPIC_BASE_URL: model.url } },
    souffleur,
    asked: model.asked,
    /** Which sessions of the agent there were, and how many at once at most. */
    agents,
    /** The state of a task in comms. */
    stateOf: (task: string) =>
      Effect.map(
        patiently(sql<{ state: string }>`SELECT state FROM orchestration_tasks WHERE task_id = ${task}`),
        ([row]) => row?.state
      ),
    /** Returns the answer of another souffleur, such as to an operator's word. */
    said,
    /** `souffleur log` */
    log: Effect.flatMap(said("log", "--json"), (text) =>
      Effect.forEach(text.trim().split("\n"), (line) => decodeLogged(line))
    ),
    /** The notices to the user, in their order. */
    notices: fs.readFileString(path.join(home, "notices")).pipe(
      Effect.orElseSucceed(() => ""),
      Effect.flatMap((text) => decodeNotices(`[${text.trim().split("\n").join(",")}]`))
    ),
    write: (file: string, text: string) =>
      Effect.andThen(
        fs.makeDirectory(path.dirname(path.resolve(project, file)), { recursive: true }),
        fs.writeFileString(path.resolve(project, file), text)
      ),
    read: (file: string) => fs.readFileString(path.resolve(project, file)),
    exists: (file: string) => fs.exists(path.resolve(project, file)),
    sessionFile: (id: string) =>
      path.join(home, ".claude", "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`)
  }
})
export type Lab = Effect.Success<ReturnType<typeof makeLab>>
