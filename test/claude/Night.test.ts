import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { tables } from "../../packages/comms/src/CommsTables.ts"
import { display, hasDisplay } from "../../packages/node/test/fixtures/Display.ts"
import { alive, argumentsOf, childOf, treeOf } from "./AgentProcesses.ts"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import { type Lab, type Logged, makeLab, type Part, until } from "./Lab.ts"
import type { Answer } from "./ModelEndpoint.ts"
import { bash, begin, first, only, permissionsOf, services, waiting } from "./Watched.ts"

const claude = inject("claude")
const [musician, play] = [globalThis.crypto.randomUUID(), "Play the part of task-01."]
const bootstrap = "/conductor --recovery-bootstrap"
const payload = `CONTEXT_RECOVERY_PAYLOAD_V1
permission_mode: acceptEdits
resume_prompt: ${bootstrap}

The overture is played; the first act is with task-01.`

/** What the Conductor writes in comms, by a client of its own (spec: behaviour#tables-of-comms). */
const theirs = (lab: Lab) => {
  const run = (statement: string, ...values: ReadonlyArray<string>) => {
    const db = new DatabaseSync(lab.comms, { timeout: 20_000 })
    try {
      return db.prepare(statement).all(...values)
    } finally {
      db.close()
    }
  }
  return {
    /** Drops and makes the tables at the start of an orchestration, with a third one that is not ours. */
    begins: () => {
      for (const table of Object.keys(tables)) run(`DROP TABLE IF EXISTS ${table}`)
      for (const table of Object.values(tables)) run(table)
      run("CREATE TABLE repetiteur_conversation (id INTEGER PRIMARY KEY, message TEXT)")
      run("CREATE INDEX idx_messages_task ON orchestration_messages (task_id)")
      run("CREATE INDEX idx_messages_type ON orchestration_messages (message_type)")
      run("CREATE INDEX idx_tasks_state ON orchestration_tasks (state)")
      for (const task of ["souffleur", "task-00"])
        run(
          "INSERT INTO orchestration_tasks (task_id, state, last_heartbeat) VALUES (?, 'watching', datetime('now'))",
          task
        )
    },
    /** Launched, a Conductor writes its session first. Then it does a part of the work. */
    works: (session: string) => {
      run(
        "UPDATE orchestration_tasks SET session_id = ?, state = 'working', last_heartbeat = datetime('now') WHERE task_id = 'task-00'",
        session
      )
      run("INSERT OR IGNORE INTO orchestration_tasks (task_id, state) VALUES (?, 'complete')", `fallback-${session}`)
    },
    beats: () => run("UPDATE orchestration_tasks SET last_heartbeat = datetime('now') WHERE task_id LIKE 'task-%'"),
    adds: (task: string, session: string) =>
      run(
        "INSERT INTO orchestration_tasks (task_id, state, session_id, last_heartbeat) VALUES (?, 'working', ?, datetime('now'))",
        task,
        session
      ),
    handsOff: () => {
      run(
        "INSERT INTO orchestration_messages (task_id, from_session, message, message_type) VALUES ('souffleur', 'task-00', ?, 'instruction')",
        payload
      )
      run("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'")
    },
    told: () =>
      run("SELECT message FROM orchestration_messages WHERE from_session = 'souffleur'")
        .map(({ message }) => String(message))
        .join("\n")
  }
}

/** Each Conductor but the last works until it is ended. The first one starts a Musician in a window of its own. */
const part =
  (musicianIn: (lab: Lab) => string, the: () => { readonly lab: Lab; readonly last: boolean }): Part =>
  ({ known, sessionId, toolResult }, commsDb) => {
    if (sessionId === musician) return Effect.succeed(toolResult === undefined ? bash(waiting) : { text: "Played." })
    if (sessionId === first)
      return Effect.succeed(
        toolResult === undefined ? bash(musicianIn(the().lab)) : bash("bash -c 'echo $$ > S1; sleep 300; true'")
      )
    if (!/recovery-bootstrap|previous Conductor/u.test(known)) return Effect.succeed({ text: "So it is." })
    return Effect.suspend((): Effect.Effect<Answer> => {
      if (toolResult === undefined) theirs(the().lab).works(sessionId)
      return the().last
        ? Effect.as(commsDb.complete, { text: "All is complete." })
        : Effect.succeed(bash("bash -c 'echo $$ > working; sleep 300; true'"))
    })
  }

describe("behaviour#naming-a-conductor, behaviour#hand-off, behaviour#no-window", () => {
  it.live.skipIf(claude === null || tmuxMissing || !hasDisplay)(
    "a whole night of a stock Conductor (skipped where tmux, xterm or Xvfb is missing)",
    () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const DISPLAY = yield* display
        const played = { lab: undefined as Lab | undefined, last: false }
        const window = (session: string, prompt: string) =>
          ["xterm", "-e", claude!, "--session-id", session, "--permission-mode", "acceptEdits", "--", prompt] as const
        const musicianIn = () =>
          `${window(musician, play)
            .map((word) => `'${word}'`)
            .join(" ")} </dev/null >/dev/null 2>&1 & echo $! > musician-task-01.pid; echo started`
        const made = yield* makeLab(
          claude!,
          "opera",
          part(musicianIn, () => ({ lab: played.lab!, last: played.last }))
        )
        const lab = { ...made, options: { ...made.options, env: { ...made.options.env, DISPLAY } } }
        played.lab = lab
        const comms = theirs(lab)
        const row = (state: string) =>
          until(
            `the row ${state}`,
            Effect.map(lab.stateOf("souffleur"), (now) => now === state)
          )
        const happened = (tag: string, where: (event: Logged) => boolean = () => true) =>
          Effect.map(
            Effect.repeat(
              Effect.map(lab.log, (log) => log.find((one) => one._tag === tag && where(one))),
              { until: (one) => one !== undefined, schedule: Schedule.spaced("300 millis") }
            ),
            (one) => one!
          )
        const conductorOf = (event: Logged) => (event["conductor"] as { readonly pid: number }).pid
        comms.begins()
        yield* lab.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }))
        yield* lab.said("plugin", "install")
        // Its own watcher keeps its heartbeat, through long turns too.
        yield* Effect.forkScoped(Effect.repeat(Effect.sync(comms.beats), Schedule.spaced("1 second")))

        // A window of a desktop with the Conductor, and a window of tmux with the agent that starts souffleur.
        const [program, ...args] = window(first, begin)
        const desktop = yield* spawner.spawn(ChildProcess.make(program, args, lab.options))
        const stage = yield* tmux(lab)
        yield* until("a Musician", lab.exists("tool.pid"))
        comms.adds("task-01", musician)
        yield* until("the Conductor's own work", lab.exists("S1"))
        yield* stage.agent("--", `/souffleur PID:${desktop.pid} SESSION_ID:${first}`)
        yield* row("confirmed")
        const confirmed = yield* happened("ConductorConfirmed")
        assert.strictEqual(conductorOf(confirmed), yield* childOf(Number(desktop.pid)))

        const seat = Number(yield* lab.read("musician-task-01.pid"))
        const plays = (when: string) => Effect.map(alive(seat), (yes) => assert.isTrue(yes, when))
        yield* plays("at first")

        // It hands off, as it planned.
        comms.handsOff()
        const planned = yield* happened("ConductorRelaunched", ({ generation }) => generation === 2)
        yield* until("the successor's work", lab.exists("working"))
        const argv = argumentsOf(conductorOf(planned))
        assert.isTrue(argv.at(-1)?.startsWith(`${bootstrap}\n`), argv.at(-1))

        yield* plays("after the hand-off")

        // It crashes.
        process.kill(conductorOf(planned), "SIGKILL")
        const crashed = yield* happened("ConductorRelaunched", ({ generation }) => generation === 3)
        assert.isTrue(yield* alive(conductorOf(crashed)))

        yield* plays("after the crash")

        // Its terminal dies, and it with that.
        yield* happened("HandoffTaken", ({ generation }) => generation === 3)
        played.last = true
        yield* stage.end
        yield* row("complete")
        const log = yield* lab.log
        assert.strictEqual(only(log, "WindowRefused")["terminal"], "tmux")
        const ended = only(log, "ConductorRelaunched", ({ generation }) => generation === 4)
        assert.isTrue(ended["print"])
        assert.include(comms.told(), "launched in print mode, where nobody can answer it")
        assert.lengthOf(
          log.filter(({ _tag }) => _tag === "ConductorRelaunched"),
          3
        )
        only(log, "ConductorCompleted")

        // The Musician plays on in its window, whatever became of the Conductor that opened it.
        yield* plays("in the end")
        assert.include(yield* treeOf(seat), Number(yield* lab.read("tool.pid")))
        for (const { argv } of (yield* lab.agents).all.values())
          assert.deepStrictEqual(permissionsOf(argv), ["acceptEdits"])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
