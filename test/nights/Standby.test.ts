import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { answers, bundle, prints, type Running, said, stage, task, until } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)
const well = { code: 0, signal: null }
const endsWell = Effect.fnUntraced(function* (watch: Running) {
  assert.deepStrictEqual(yield* watch.ended, well, `${watch.errors()}\n${watch.lines.join("\n")}`)
})
const seen = (watch: Running, tag: string) => watch.lines.map(said).filter(({ _tag }) => _tag === tag)

/** A watch that has failed closed: no export fits, and no compaction works while a file says so. */
const standingBy = Effect.gen(function* () {
  const the = yield* stage([task(1, 50), task(2, 50)])
  const [failing, agent, configs] = [
    join(the.home, "compact-fails"),
    join(the.home, "agent"),
    join(the.project, ".orchestra_configs")
  ]
  fs.mkdirSync(configs)
  fs.writeFileSync(join(configs, "souffleur"), "FORCE_COMPACT=5\n")
  fs.writeFileSync(failing, "")
  fs.writeFileSync(
    agent,
    `#!/bin/sh\n[ -e '${failing}' ] && export SOUFFLEUR_STANDIN_COMPACT_FAILS=true\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`,
    { mode: 0o755 }
  )
  const conductor = yield* the.conductor(2)
  const variables = { SOUFFLEUR_AGENT_COMMAND: agent, SOUFFLEUR_COMPACT_POLL_INTERVAL: "20 millis" }
  const at = ["--pid", String(conductor.pid), "--session-id", the.session]
  const watch = the.start(["watch", "--json", ...at], variables)
  yield* prints(watch, "WatchSettled")
  conductor.kill("SIGKILL")
  const closed = yield* prints(watch, "RecoveryFailedClosed")
  return { ...the, closed, conductor, failing, variables, watch }
})

describe.concurrent("standing by", () => {
  describe("command-line#looking", () => {
    live(
      "why names the estimate, the threshold and the failures; retry with a compaction that works goes on in the same session",
      () =>
        Effect.gen(function* () {
          const the = yield* standingBy
          const { code, lines } = yield* the.run(["why"])
          assert.strictEqual(code, 0)
          const why = lines.join("\n")
          const estimate = seen(the.watch, "StepSucceeded").find(({ step }) => step === "4 estimate")!
          const { estimated_tokens: tokens } = estimate["outcome"] as { readonly estimated_tokens: number }
          assert.isAbove(tokens, 5)
          assert.include(why, `estimated at ${tokens} tokens`)
          assert.include(why, "the threshold is 5")
          for (const attempt of ["compact#1", "compact#2"])
            assert.include(lines, `  step "${attempt}" failed: the compact session ended without a boundary`)
          assert.include(why, "it launches nothing in this cycle")
          for (const line of lines) assert.isAtMost(line.length, 120, line)
          assert.lengthOf(the.launched(), 2, "both of them to compact")
          const status = JSON.parse((yield* the.run(["status", "--json"])).lines.join("\n"))
          assert.strictEqual(status[0].standing, "standing by (compact)")
          assert.strictEqual(status[0].standby.stage, "compact")
          assert.deepStrictEqual([status[0].wait, status[0].deferred, status[0].ceiling], [null, null, null])

          fs.rmSync(the.failing)
          const retried = yield* the.run(["retry"])
          assert.deepStrictEqual([retried.code, retried.lines], [0, [`${the.closed.watch}: recovery 2 begins`]])
          const next = yield* prints(the.watch, "ConductorRelaunched")
          assert.deepStrictEqual(
            [next["provider"], next["sessionId"], next["generation"]],
            ["standard_compact", the.session, 2]
          )
          yield* endsWell(the.watch)
          assert.include(the.conversation(the.session), '"compact_boundary"')
          assert.include(the.conversation(the.session), "I go on. The stage word is gossamer.")
          assert.strictEqual(the.row("souffleur")["state"], "complete")
          assert.strictEqual((yield* the.run(["retry"])).code, 2, "there is nothing to try again")
        })
    )
  })

  describe("behaviour#cycle", () => {
    live("retry after a raise of the threshold begins a cycle with the new config", () =>
      Effect.gen(function* () {
        const the = yield* standingBy
        fs.writeFileSync(join(the.project, ".orchestra_configs", "souffleur"), "FORCE_COMPACT=100000\nTRIM_CHARS=0\n")
        yield* the.run(["retry"])
        const next = yield* prints(the.watch, "ConductorRelaunched")
        assert.strictEqual(next["provider"], "claude_export")
        yield* endsWell(the.watch)
        assert.match(
          the.watch.errors(),
          /^warning: .*line 2: TRIM_CHARS must be a positive integer, its default is used$/m
        )
      })
    )

    live("retry after a raise of the threshold makes a restarted souffleur launch from the export", () =>
      Effect.gen(function* () {
        const the = yield* standingBy
        const saidGoodbye = yield* answers(the.watch)
        fs.writeFileSync(join(the.project, ".orchestra_configs", "souffleur"), "FORCE_COMPACT=100000\n")
        const { lines } = yield* the.run(["retry"])
        const begins = `${the.closed.watch}: recovery 2 begins`
        // Without a goodbye the log still names an owner.
        assert.deepStrictEqual(lines, [saidGoodbye ? `${begins} when souffleur runs again: "souffleur watch"` : begins])
        const watch = the.start(["watch", "--json"], the.variables)
        const next = yield* prints(watch, "ConductorRelaunched")
        assert.strictEqual(next["provider"], "claude_export")
        yield* endsWell(watch)
        assert.include(
          the.conversation(String(next["sessionId"])),
          "I have read the export: the stage word is gossamer"
        )
      })
    )
  })

  describe("behaviour#adopt", () => {
    live("adopt makes a process that was started by hand the Conductor", () =>
      Effect.gen(function* () {
        const the = yield* standingBy
        const state = Effect.sync(() => the.row("souffleur")["state"])
        yield* until(state, (now) => now === "error")
        const session = crypto.randomUUID()
        const order = ["--session-id", session, "-p", "--", "Go on with the plan."]
        const byHand = yield* the.acting(the.start(["__stand-in", ...order], { SOUFFLEUR_STANDIN_HANG_AT: "2" }))
        // Another process is named in its place. Only a person may insist on that.
        const innocent = yield* Effect.acquireRelease(
          Effect.sync(() => spawn("sleep", ["300"])),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        const wrong = yield* the.run(["adopt", "--pid", String(innocent.pid), "--session-id", session])
        assert.strictEqual(wrong.code, 2)
        assert.include(
          wrong.errors,
          `process ${byHand.pid} holds session ${session}, not process ${innocent.pid}: adopt that one, or use force`
        )
        const adopted = yield* the.run(["adopt", "--pid", String(byHand.pid), "--session-id", session])
        assert.deepStrictEqual(
          [adopted.code, adopted.lines],
          [0, [`${the.closed.watch} follows pid ${byHand.pid} from now on, as Conductor (S2)`]],
          adopted.errors
        )
        const event = yield* prints(the.watch, "ConductorAdopted")
        assert.deepInclude(event, { by: "operator", generation: 2, sessionId: session })
        yield* until(state, (now) => now === "confirmed")
        const why = (yield* the.run(["why"])).lines.join("\n")
        assert.include(why, "An operator's word outranks recovery.")
        // A second adoption of its own Conductor is no error.
        const again = yield* the.run(["adopt", "--pid", String(byHand.pid), "--session-id", session])
        assert.deepStrictEqual([again.code, again.errors], [0, ""])
        // It is watched: its death is one.
        fs.rmSync(the.failing)
        byHand.kill("SIGKILL")
        yield* prints(the.watch, "ConductorDied", ({ revision }) => revision > event.revision)
        const next = yield* prints(the.watch, "ConductorRelaunched")
        assert.strictEqual(next["generation"], 4)
        yield* endsWell(the.watch)
        assert.strictEqual(the.row("souffleur")["state"], "complete")
      })
    )
  })
})

describe("behaviour#ends", () => {
  live(
    "the same command resumes a watch after a hand-off from any folder; a live process of another session is another Conductor",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50), task(2, 50)])
        const agent = join(the.home, "agent")
        fs.writeFileSync(
          agent,
          `#!/bin/sh\nexport SOUFFLEUR_STANDIN_HANG_AT=2\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`,
          {
            mode: 0o755
          }
        )
        const hanging = { SOUFFLEUR_AGENT_COMMAND: agent }
        const conductor = yield* the.conductor(2)
        const same = ["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session]
        const first = the.start(same, hanging)
        yield* prints(first, "WatchSettled")
        conductor.kill("SIGKILL")
        const next = yield* prints(first, "ConductorRelaunched")
        const successor = (next["conductor"] as { readonly pid: number }).pid
        assert.notStrictEqual(next["sessionId"], the.session)
        const held = yield* the.run(same, hanging)
        assert.deepStrictEqual([held.code, held.lines], [3, []], held.errors)
        first.kill("SIGKILL")
        yield* first.ended

        const other = the.start(["__stand-in", "--", "hello"], {}, the.home)
        yield* the.acting(other)
        const refused = yield* the.run(["watch", "--pid", String(other.pid), "--session-id", the.session], hanging)
        assert.deepStrictEqual([refused.code, refused.lines], [2, []], refused.errors)
        assert.match(refused.errors, new RegExp(`process ${other.pid} holds session .*, and watch ${next.watch} `, "u"))

        const again = the.start(same, hanging, the.home)
        const took = yield* prints(again, "OwnerTook")
        assert.deepStrictEqual([took.watch, took["fence"]], [next.watch, 2])
        assert.include(again.errors(), `watch ${next.watch} follows pid ${successor}, Conductor (S2), by now`)
        the.commsDb((db) => db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'"))
        assert.deepStrictEqual(yield* again.ended, well)
        assert.lengthOf(the.launched(), 1, "nobody was launched beside the successor")
      })
  )
})
