import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, prints, type Running, stage, task, until } from "./Stage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test, 120_000)
/** Longer than any test takes: who waits for this when a signal comes waits too long. */
const forEver = "1 hour"

const answers = Effect.fnUntraced(function* (process: Running, signal: "SIGINT" | "SIGTERM" = "SIGTERM") {
  process.kill(signal)
  const ended = yield* process.ended
  assert.deepStrictEqual(ended, { code: signal === "SIGTERM" ? 143 : 130, signal: null }, process.errors())
})
const events = (state: string) => {
  const log = new DatabaseSync(join(state, "souffleur.db"), { readOnly: true })
  try {
    return log
      .prepare("SELECT tag FROM events ORDER BY position")
      .all()
      .map(({ tag }) => tag)
  } finally {
    log.close()
  }
}

describe.concurrent("a signal is answered at once", () => {
  live("while a stop gives its grace to a Conductor that does not end: the goodbye is said, and nobody is brought back", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)], { SOUFFLEUR_STOP_GRACE: forEver })
      const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_IGNORE_TERM: "true" })
      const watch = the.watch(conductor)
      yield* prints(watch, "WatchSettled")
      the.board((db) => db.exec("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'"))
      yield* prints(watch, "StepStarted", ({ step }) => step === "1 stop")
      yield* answers(watch)
      assert.isTrue(alive(conductor.pid))
      assert.strictEqual(events(the.state).at(-1), "OwnerLeft")
    })
  )

  live("while a validation waits for corrected arguments, while it watches, and while it stands by", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)], { SOUFFLEUR_VALIDATION_RETRY_INTERVAL: forEver })
      const waiting = the.start(["watch", "--json", "--pid", "4190000", "--session-id", the.session])
      yield* prints(waiting, "ValidationFailed")
      yield* answers(waiting, "SIGINT")
      yield* the.run(["release"])
      const conductor = yield* the.conductor()
      const watching = the.watch(conductor, "--observe")
      yield* prints(watching, "WatchSettled")
      yield* answers(watching)
      assert.strictEqual(events(the.state).at(-1), "OwnerLeft")
    })
  )

  live("while another program holds souffleur's own log for ever", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)])
      const conductor = yield* the.conductor()
      const watch = the.watch(conductor, "--observe")
      yield* prints(watch, "WatchSettled")
      const log = new DatabaseSync(join(the.state, "souffleur.db"), { timeout: 10_000 })
      log.exec("BEGIN IMMEDIATE")
      yield* answers(watch)
      log.close()
    })
  )

  live("while a notify command does not end, nor hears its signals", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)])
      const [program, mark] = [join(the.home, "notify"), join(the.home, "told")]
      fs.writeFileSync(program, `#!/bin/sh\ntrap '' TERM\n: > ${mark}\nwhile :; do sleep 1; done\n`, { mode: 0o700 })
      const conductor = yield* the.conductor()
      const watch = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], {
        SOUFFLEUR_NOTIFY_COMMAND: program,
        SOUFFLEUR_AGENT_COMMAND: '["/bin/false"]'
      })
      yield* prints(watch, "WatchSettled")
      conductor.kill("SIGKILL")
      yield* until(
        Effect.sync(() => fs.existsSync(mark)),
        (yes) => yes
      )
      yield* answers(watch)
    })
  )
})
