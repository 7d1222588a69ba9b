/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, answers, bundle, prints, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

/** Longer than any test takes: who waits for this when a signal comes waits too long. */
const forEver = "1 hour"

/** A program that never ends by itself, and has this patience in milliseconds. */
const stubborn = (how: "loop" | "wait", patience: number) =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const program = the.exactly(
      process.execPath,
      [join(import.meta.dirname, "Stubborn.ts"), how, String(patience)],
      the.environment
    )
    const prints = (word: string) =>
      until(
        Effect.sync(() => program.lines),
        (lines) => lines.includes(word)
      )
    yield* prints("ready")
    return { ...program, prints }
  })

/** Returns whether it listens to SIGTERM itself, which is the 15th bit. */
const listens = (pid: number) => {
  const [, caught = "0"] = /^SigCgt:\s*(\S+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return (BigInt(`0x${caught}`) & (1n << 14n)) !== 0n
}
const hasOpen = (pid: number, path: string) =>
  fs.readdirSync(`/proc/${pid}/fd`).some((name) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/fd/${name}`) === path
    } catch {
      return false
    }
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

describe("behaviour#signals-of-souffleur", () => {
  describe.concurrent("a signal is answered at once", () => {
    live("a signal during the grace of a stop is answered with the goodbye, and no Conductor is brought back", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_STOP_GRACE: forEver })
        const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_IGNORE_TERM: "true" })
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        the.commsDb((db) =>
          db.exec("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'")
        )
        yield* prints(watch, "StepStarted", ({ step }) => step === "1 stop")
        const left = yield* answers(watch)
        assert.isTrue(alive(conductor.pid))
        if (left) assert.strictEqual(events(the.state).at(-1), "OwnerLeft")
      })
    )

    live("a signal is answered while a validation waits for corrected arguments, and during a watch", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_VALIDATION_RETRY_INTERVAL: forEver })
        const waiting = the.start(["watch", "--json", "--pid", "4190000", "--session-id", the.session])
        yield* prints(waiting, "ValidationFailed")
        yield* answers(waiting, "SIGINT")
        yield* the.ask(["release"])
        const conductor = yield* the.conductor()
        const watching = the.watch(conductor, "--observe")
        yield* prints(watching, "WatchSettled")
        if (!(yield* answers(watching))) return
        assert.match(
          watching.errors(),
          /souffleur leaves, and what it watches runs on: "souffleur resume \S+" goes on/u
        )
        assert.strictEqual(events(the.state).at(-1), "OwnerLeft")
      })
    )

    live("a watch that only observes goes on after a signal where no agent can be launched", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const words = ["watch", "--json", "--observe", "--pid", String(conductor.pid), "--session-id", the.session]
        for (const tag of ["WatchSettled", "OwnerTook"]) {
          const watch = the.start(words, { SOUFFLEUR_AGENT_COMMAND: '["/nowhere/agent"]' })
          yield* prints(watch, tag)
          yield* answers(watch)
        }
      })
    )

    live("a signal is answered while another program holds souffleur's own log for ever", () =>
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

    live("a signal is answered while a notify command neither ends nor reacts to signals", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const [program, mark] = [join(the.home, "notify"), join(the.home, "told")]
        fs.writeFileSync(program, `#!/bin/sh\ntrap '' TERM\n: > ${mark}\nwhile :; do sleep 1; done\n`, { mode: 0o700 })
        const conductor = yield* the.conductor()
        const watch = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], {
          SOUFFLEUR_NOTIFY: `command:${program}`,
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

    for (const how of ["loop", "wait"] as const)
      live(`where it would never end by itself: the deadline is of a thread of its own (${how})`, () =>
        Effect.gen(function* () {
          const program = yield* stubborn(how, 100)
          program.kill("SIGTERM")
          assert.deepStrictEqual(yield* program.ended, { code: null, signal: "SIGTERM" }, program.errors())
          assert.deepStrictEqual(program.lines, ["ready", "heard"])
        })
      )

    live("a second signal ends souffleur, whatever the first has begun", () =>
      Effect.gen(function* () {
        const program = yield* stubborn("loop", 2 ** 31 - 1)
        program.kill("SIGTERM")
        yield* program.prints("heard")
        program.kill("SIGINT")
        assert.deepStrictEqual(yield* program.ended, { code: null, signal: "SIGINT" }, program.errors())
      })
    )

    live("a signal is answered while an endless export is estimated", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const file = join(the.home, "endless.md")
        fs.writeFileSync(file, "")
        fs.truncateSync(file, 2 ** 43)
        const estimating = the.start(["estimate", file])
        yield* until(
          Effect.sync(() => hasOpen(estimating.pid, file)),
          (yes) => yes
        )
        yield* answers(estimating)
      })
    )

    live("a signal is answered during a check of the log by doctor that does not end", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const waiting = the.start(["watch", "--json", "--pid", "4190000", "--session-id", the.session])
        yield* prints(waiting, "ValidationFailed")
        yield* answers(waiting)
        const file = join(the.state, "souffleur.db")
        const log = new DatabaseSync(file)
        // Compares ten million bytes ten million times. The file is larger than what is checked at every start.
        log.exec(`PRAGMA ignore_check_constraints = ON;
        CREATE TABLE slow (n CHECK (instr(zeroblob(20000000), CAST(zeroblob(10000000) || x'01' AS BLOB)) = 0));
        INSERT INTO slow VALUES (zeroblob(5000000));
        PRAGMA wal_checkpoint(TRUNCATE)`)
        log.close()
        const doctor = the.start(["doctor"])
        yield* until(
          Effect.sync(() => hasOpen(doctor.pid, file) && !listens(doctor.pid)),
          (yes) => yes
        )
        doctor.kill("SIGTERM")
        assert.deepStrictEqual(yield* doctor.ended, { code: null, signal: "SIGTERM" }, doctor.errors())
      })
    )
  })
})

describe("command-line#exit-codes", () => {
  describe("an output on a full disk", () => {
    const filled = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const the = yield* stage([])
      const full = fs.openSync("/dev/full", "w")
      const child = spawn(process.execPath, [bundle, ...args], {
        cwd: the.project,
        env: the.environment,
        stdio: ["ignore", full, "pipe"]
      })
      fs.closeSync(full)
      let told = ""
      child.stderr!.setEncoding("utf8").on("data", (text: string) => (told += text))
      const code = yield* Effect.promise(() => new Promise<number | null>((end) => void child.on("close", end)))
      return { the, code, told }
    })
    live("a command that only prints says so, with the exit code of a full disk", () =>
      Effect.gen(function* () {
        const { code, told } = yield* filled("metrics")
        const full = "souffleur: standard output cannot be written: its disk is full: make room on it\n"
        assert.deepStrictEqual([code, told], [4, full])
      })
    )
    live("a run goes on to its end, although its output has no room", () =>
      Effect.gen(function* () {
        const { code, the } = yield* filled("run", "--no-guardian", "--", "printf", "%s\\n", "a", "b")
        assert.strictEqual(code, 0)
        assert.include(events(the.state), "ConductorCompleted")
      })
    )
  })

  describe("an output without a reader", () => {
    /** Starts the command without a reader of its output; `errors`: nor of its errors. */
    const unread = Effect.fnUntraced(function* (args: ReadonlyArray<string>, errors: "read" | "unread") {
      const the = yield* stage([])
      const child = spawn(process.execPath, [bundle, ...args], {
        cwd: the.project,
        env: the.environment,
        stdio: ["ignore", "pipe", "pipe"]
      })
      child.stdout.destroy()
      let told = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text))
      if (errors === "unread") child.stderr.destroy()
      const code = yield* Effect.promise(() => new Promise<number | null>((end) => void child.on("exit", end)))
      return { the, code, told }
    })
    live("a command that only prints ends quietly, with the code of SIGPIPE", () =>
      Effect.gen(function* () {
        const { code, told } = yield* unread(["status"], "read")
        assert.deepStrictEqual([code, told], [141, ""])
      })
    )
    live("a run goes on to its end without a reader", () =>
      Effect.gen(function* () {
        const { code, the } = yield* unread(["run", "--no-guardian", "--", "printf", "%s\\n", "a", "b", "c"], "unread")
        assert.strictEqual(code, 0)
        assert.include(events(the.state), "ConductorCompleted")
      })
    )
  })
})
