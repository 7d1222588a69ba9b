/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, bundle, prints, type Running, said, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

/** Real processes, side by side: most of the time each of them waits. */
const withTmux = spawnSync("tmux", ["-V"]).status === 0

const proof = "I have read the export: the stage word is gossamer"
const seen = (watch: Running, tag: string) => watch.lines.map(said).filter(({ _tag }) => _tag === tag)
const stopOf = (watch: Running) => seen(watch, "StepSucceeded").find(({ step }) => step === "1 stop")?.["outcome"]
const well = { code: 0, signal: null }
/** A heartbeat is stale soon, but not before a busy machine has started the watch of it. */
const impatient = { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "5 seconds", SOUFFLEUR_WATCHER_INTERVAL: "1 second" }
describe.concurrent("a recovery of real processes", () => {
  describe("behaviour#claude_export", () => {
    live("a successor of a killed Conductor knows what that one knew, and completes the plan", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50), task(2)])
        const conductor = yield* the.conductor(2)
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        const { conductor: successor, sessionId } = yield* prints(watch, "ConductorRelaunched")
        assert.deepStrictEqual(yield* watch.ended, well)
        // A machine that is busy may keep comms from an answer for two seconds.
        assert.notMatch(watch.errors().replaceAll(/^warning: comms is out.*$/gmu, ""), /warning|error|at .*:\d+:\d+/i)
        assert.include(the.conversation(String(sessionId)), proof)
        assert.isTrue(fs.existsSync(join(the.project, "scene-2.txt")))
        assert.deepStrictEqual(the.launched(), [(successor as { readonly pid: number }).pid])
        assert.strictEqual(the.row("souffleur")["state"], "complete")
        assert.strictEqual(the.row("task-00")["session_id"], sessionId)
        assert.lengthOf(the.messages(), 3)
        assert.strictEqual(the.messages().at(-1)?.["message_type"], "completion")
        // The log keeps the events that were printed.
        assert.deepStrictEqual(watch.lines.map(said), yield* the.events)
      })
    )

    live("a recovery exports by the user's program, leaves the program's file as it was, and tells a person once", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const [exporter, notify, told, theirs] = ["exporter", "notify", "told", "theirs.md"].map((name) =>
          join(the.home, name)
        )
        fs.writeFileSync(theirs!, "# Their export\nThe stage word is gossamer.\n")
        fs.writeFileSync(exporter!, `#!/bin/sh\necho "$1" > '${the.home}/asked'\necho '${theirs}'\n`, { mode: 0o755 })
        fs.writeFileSync(notify!, `#!/bin/sh\ncat >> '${told}'\n`, { mode: 0o755 })
        const conductor = yield* the.conductor()
        const with_ = { SOUFFLEUR_EXPORT_COMMAND: exporter!, SOUFFLEUR_NOTIFY: `command:${notify}` }
        const watch = the.start(["watch", "--json", `PID:${conductor.pid}`, `SESSION_ID:${the.session}`], with_)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        const { exportPath, sessionId } = yield* prints(watch, "ConductorRelaunched")
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.strictEqual(fs.readFileSync(join(the.home, "asked"), "utf8"), `${the.session}\n`)
        assert.notStrictEqual(exportPath, theirs)
        assert.include(fs.readFileSync(String(exportPath), "utf8"), "# Their export")
        assert.include(the.conversation(String(sessionId)), proof)
        assert.isTrue(fs.existsSync(theirs!))
        const notices = fs
          .readFileSync(told!, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          notices.map(({ kind, watch }) => [kind, watch]),
          ["died", "recovered", "completed"].map((kind) => [kind, said(watch.lines[0]!).watch])
        )
      })
    )
  })

  describe("behaviour#heartbeat-age", () => {
    live("a stopped Conductor has no heartbeat, so it is ended by SIGKILL and replaced", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], impatient)
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGSTOP")
        const { reason } = yield* prints(watch, "ConductorDied")
        assert.strictEqual(reason, "heartbeat")
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.deepStrictEqual(stopOf(watch), { ended: "SIGKILL", others: 0 })
        assert.strictEqual((yield* conductor.ended).signal, "SIGKILL")
        assert.lengthOf(the.launched(), 1)
      })
    )
  })

  describe("behaviour#stop", () => {
    live("a Conductor that hangs and ignores SIGTERM is ended by SIGKILL after the grace", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], impatient)
        const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_IGNORE_TERM: "true" })
        const watch = the.watch(conductor)
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.deepStrictEqual(stopOf(watch), { ended: "SIGKILL", others: 0 })
        assert.strictEqual((yield* conductor.ended).signal, "SIGKILL")
        assert.lengthOf(the.launched(), 1)
      })
    )

    live(
      "a Conductor's tools end with it, re-parented ones too; a second agent and a tmux server that it started live on",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const [there, second] = [join(the.home, "there"), crypto.randomUUID()]
          fs.mkdirSync(there)
          const pidOf = (name: string) => Number(fs.readFileSync(join(there, name), "utf8"))
          const script = `
        export CLAUDE_PID=$$ CLAUDE_CODE_SESSION_ID=$2
        sleep 1001 & echo $! > child
        (setsid sh -c 'echo $$ > orphan; exec sleep 1002' </dev/null >/dev/null 2>&1 &)
        ${withTmux ? `tmux -L beside -f /dev/null new-session -d 'echo $$ > pane; exec sleep 1003'` : "sleep 1003 & echo $! > pane"}
        setsid "$1" "$3" __stand-in --session-id "$4" -- hello </dev/null >/dev/null 2>&1 & echo $! > second
        cd "$5"; shift 5
        exec "$@"`
          const words = [
            process.execPath,
            the.session,
            bundle,
            second,
            the.project,
            process.execPath,
            bundle,
            "__stand-in",
            ...the.order
          ]
          const conductor = yield* the.acting(
            the.spawned("/bin/sh", ["-c", `cd '${there}'\n${script}`, "sh", ...words], {
              SOUFFLEUR_STANDIN_HANG_AT: "1"
            })
          )
          yield* until(
            Effect.sync(() =>
              ["child", "orphan", "pane", "second"].every((name) => fs.existsSync(join(there, name)) && pidOf(name) > 0)
            ),
            (yes) => yes
          )
          yield* until(
            Effect.sync(() => fs.existsSync(join(the.home, "claude", "sessions", `${pidOf("second")}.json`))),
            (yes) => yes
          )
          const watch = the.watch(conductor)
          yield* prints(watch, "WatchSettled")
          assert.deepStrictEqual(
            ["child", "orphan", "pane", "second"].map((name) => alive(pidOf(name))),
            [true, true, true, true]
          )
          conductor.kill("SIGKILL")
          assert.deepStrictEqual(yield* watch.ended, well)
          assert.deepStrictEqual(
            ["child", "orphan"].map((name) => alive(pidOf(name))),
            [false, false]
          )
          assert.isTrue(alive(pidOf("second")), "the second agent lives")
          if (withTmux) assert.isTrue(alive(pidOf("pane")), "what runs in the terminal server lives")
          assert.deepStrictEqual(the.launched().length, 1)
        })
    )
  })

  describe("behaviour#payload", () => {
    live(
      "a Conductor that asks for a recovery of its context is stopped and replaced, without counting as a death",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1), task(2)], { SOUFFLEUR_STOP_GRACE: "20 seconds" })
          const conductor = yield* the.conductor(2)
          const watch = the.watch(conductor)
          yield* prints(watch, "WatchSettled")
          the.commsDb((db) =>
            db.exec("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'")
          )
          const { sessionId } = yield* prints(watch, "ConductorRelaunched")
          assert.deepStrictEqual(yield* watch.ended, well)
          assert.lengthOf(seen(watch, "ConductorDied"), 0)
          assert.lengthOf(seen(watch, "ContextRecoveryRequested"), 1)
          assert.deepStrictEqual(stopOf(watch), { ended: "SIGTERM", others: 0 })
          assert.include(the.conversation(String(sessionId)), proof)
        })
    )
  })

  describe("behaviour#retries", () => {
    live("a Conductor that dies again and again without progress is launched twice, then saved for a person", () =>
      Effect.gen(function* () {
        const dying = ["env", "SOUFFLEUR_STANDIN_DIE_AT=1", process.execPath, bundle, "__stand-in"]
        const the = yield* stage([task(1)], { SOUFFLEUR_AGENT_COMMAND: JSON.stringify(dying) })
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        assert.deepStrictEqual(yield* watch.ended, { code: 1, signal: null })
        assert.deepStrictEqual(
          seen(watch, "ConductorDied").map(({ retries }) => retries),
          [1, 2, 3]
        )
        assert.lengthOf(the.launched(), 2)
        const [exhausted] = seen(watch, "RetriesExhausted")
        const saved = String(exhausted?.["exportPath"])
        assert.include(watch.errors(), saved)
        assert.isTrue(fs.existsSync(saved))
        assert.strictEqual(fs.statSync(saved).mode & 0o777, 0o600)
        assert.strictEqual(the.row("souffleur")["state"], "error")
        assert.include(String(the.messages().at(-1)?.["message"]), saved)
      })
    )
  })

  describe("behaviour#exits", () => {
    live("a Conductor that is killed and not reaped is a zombie, and counts as dead", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const script = '"$@" & echo $! > "$PIDFILE"; exec sleep 1000'
        const pidFile = join(the.home, "pid")
        const words = ["sh", process.execPath, bundle, "__stand-in", ...the.order]
        the.spawned("/bin/sh", ["-c", script, ...words], { SOUFFLEUR_STANDIN_HANG_AT: "1", PIDFILE: pidFile })
        yield* until(
          Effect.sync(() => fs.existsSync(pidFile) && the.sessions().length > 0),
          (yes) => yes
        )
        const pid = Number(fs.readFileSync(pidFile, "utf8"))
        const watch = the.start(["watch", "--json", `PID:${pid}`, `SESSION_ID:${the.session}`])
        yield* prints(watch, "WatchSettled")
        process.kill(pid, "SIGKILL")
        const { evidence } = yield* prints(watch, "ConductorDied")
        assert.strictEqual((evidence as { readonly process: string }).process, "zombie")
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.lengthOf(the.launched(), 1)
      })
    )
  })

  describe("behaviour#cycle", () => {
    live("a souffleur that only observes stops and launches nothing, and says so", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], impatient)
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor, "--observe")
        yield* prints(watch, "RecoveryWithheld")
        yield* prints(watch, "WatcherStarted", ({ watcher }) => watcher === 2)
        assert.isTrue(alive(conductor.pid))
        assert.strictEqual((yield* the.ask(["release"])).code, 0)
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.isTrue(alive(conductor.pid))
        assert.deepStrictEqual(the.launched(), [])
        assert.lengthOf(seen(watch, "StepStarted"), 0)
      })
    )
  })

  describe("behaviour#outbox", () => {
    live("a comms database that is locked during a whole recovery is told of it later", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        const held = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(the.comms, { timeout: 5000 })),
          (db) => Effect.sync(() => db.isOpen && db.close())
        )
        held.exec("BEGIN EXCLUSIVE")
        conductor.kill("SIGKILL")
        yield* prints(watch, "ConductorRelaunched")
        held.exec("ROLLBACK")
        held.close()
        assert.deepStrictEqual(yield* watch.ended, well)
        assert.strictEqual(the.row("souffleur")["state"], "complete")
        assert.deepStrictEqual(
          the.messages().map(({ message_type }) => message_type),
          ["system", "system", "completion"]
        )
        assert.deepStrictEqual(watch.lines.map(said), yield* the.events)
      })
    )
  })
})
