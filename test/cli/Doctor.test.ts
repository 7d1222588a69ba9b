import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { answers, bundle, prints, stage, task, until, type Variables } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

type Stage = Effect.Success<ReturnType<typeof stage>>

interface Fact {
  readonly check: string
  readonly ok: boolean
  readonly level: "ok" | "note" | "wrong"
  readonly detail: string
  readonly todo: string | null
}

const doctor = Effect.fnUntraced(function* (the: Stage, variables?: Variables) {
  const { code, errors, lines } = yield* the.ask(["doctor", "--json"], variables)
  const facts: ReadonlyArray<Fact> = JSON.parse(lines.join("\n"))
  assert.strictEqual(code, facts.every(({ ok }) => ok) ? 0 : 1, errors)
  for (const { level, ok, todo } of facts) {
    assert.strictEqual(ok, level !== "wrong")
    if (!ok) assert.isNotNull(todo)
  }
  const of = (check: string) => facts.filter((fact) => fact.check === check)
  return { code, of, wrong: facts.filter(({ ok }) => !ok).map(({ check }) => check) }
})
const configure = (the: Stage, text: string) => {
  fs.mkdirSync(join(the.project, ".orchestra_configs"), { recursive: true })
  fs.writeFileSync(join(the.project, ".orchestra_configs", "souffleur"), text)
}

describe.concurrent("doctor", () => {
  describe("settings#gate", () => {
    live(
      "doctor before the first watch is all well and makes nothing, and tells the gate with and without a window",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const { code, of } = yield* doctor(the, { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "60 seconds" })
          assert.strictEqual(code, 0)
          assert.deepInclude(of("gate")[0], { level: "ok" })
          assert.match(
            of("gate")[0]!.detail,
            /^where the model's window is known, .* it cannot close, .* above 266666$/u
          )
          assert.strictEqual(of("stale limit")[0]!.level, "note")
          assert.strictEqual(of("comms")[0]!.level, "ok")
          assert.isFalse(fs.existsSync(the.state))
          configure(the, "FORCE_COMPACT=266665\nHEARTBEAT_STALE_AFTER=400 seconds\n")
          const { of: then } = yield* doctor(the, { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "" })
          assert.match(then("gate")[0]!.detail, /the gate closes above 266665 tokens \(by FORCE_COMPACT\)$/u)
          assert.strictEqual(then("stale limit")[0]!.level, "ok")
        })
    )
  })

  describe("command-line#doctor", () => {
    liveCase("doctor prints a line for each check with the remedy below, and no colour without a terminal", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { lines } = yield* the.run(["doctor"])
        assert.match(lines.join("\n"), /^ok {2,5}permission {2,}no launch is above acceptEdits$/mu)
        for (const line of lines) assert.match(line, /^(?:ok|note|wrong) {2,5}|^ +-> /u)
        assert.notInclude(lines.join(""), "\u001B")
      })
    )

    live("doctor reports problems of agent, config, permission and launcher", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        configure(the, "FORCE_COMPACT=none\nMAX_EXTERNAL_PERMISSION=bypassPermissions\n")
        const { of, wrong } = yield* doctor(the, {
          SOUFFLEUR_AGENT_COMMAND: '["sh","--dangerously-skip-permissions"]',
          SOUFFLEUR_LAUNCHER: "kitty"
        })
        assert.match(of("agent")[0]!.detail, /permission flag/)
        assert.match(of("config")[0]!.detail, /line 1: FORCE_COMPACT must be a positive integer/)
        assert.match(of("launcher")[0]!.detail, /kitty needs KITTY_LISTEN_ON/)
        assert.strictEqual(of("config")[0]!.level, "note")
        assert.sameMembers(wrong, ["agent", "launcher", "trust"])
        const gone = yield* doctor(the, { SOUFFLEUR_AGENT_COMMAND: "no-such-agent" })
        assert.match(gone.of("agent")[0]!.detail, /no-such-agent/)
      })
    )

    liveCase("doctor reports problems of comms: rows, heartbeats, schema, another kind of file", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        the.commsDb((db) => {
          db.exec("DELETE FROM orchestration_tasks WHERE task_id = 'souffleur'")
          db.exec("UPDATE orchestration_tasks SET last_heartbeat = 'yesterday' WHERE task_id = 'task-00'")
        })
        const first = yield* doctor(the)
        assert.sameMembers(first.wrong, ["comms rows", "heartbeat"])
        assert.match(first.of("comms rows")[0]!.detail, /^no row souffleur$/)
        the.commsDb((db) => db.exec("UPDATE orchestration_tasks SET last_heartbeat = '2999-01-01 00:00:00'"))
        assert.match((yield* doctor(the)).of("heartbeat")[0]!.detail, /in the future/)
        the.commsDb((db) => db.exec("DROP TABLE orchestration_messages"))
        assert.deepStrictEqual((yield* doctor(the)).wrong, ["comms"])
        fs.rmSync(the.comms)
        assert.strictEqual((yield* doctor(the)).of("comms")[0]!.level, "note")
        fs.writeFileSync(the.comms, "not a database, and long enough to be read as the header of one\n".repeat(4))
        assert.deepStrictEqual((yield* doctor(the)).wrong, ["comms"])
      })
    )

    liveCase(
      "doctor finds an owned watch well, says how to resume an unowned one, and finds open folders, leftovers and damage",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const conductor = yield* the.conductor()
          let watch = the.watch(conductor)
          const { watch: id } = yield* prints(watch, "WatchSettled")
          yield* until(
            Effect.sync(() => the.row("souffleur")["state"]),
            (state) => state === "confirmed"
          )
          const well = yield* doctor(the)
          assert.deepStrictEqual(well.wrong, [])
          assert.match(well.of(`watch ${id}`)[0]!.detail, /^watching, Conductor \(S1\)$/)
          assert.match(well.of("event log")[0]!.detail, /events of 1 watches, each decodes/)
          assert.strictEqual(well.of("comms state")[0]!.detail, "row souffleur is confirmed")

          const asked = yield* the.ask(["doctor", String(conductor.pid)])
          assert.strictEqual(asked.code, 0, `${asked.errors}${asked.lines.join("\n")}`)
          assert.include(
            asked.lines.join("\n"),
            `it holds session ${the.session}: souffleur watch --pid ${conductor.pid} --session-id ${the.session}`
          )
          assert.include(asked.lines.join("\n"), `it is the Conductor of watch ${id}`)

          if (yield* answers(watch)) {
            const left = yield* doctor(the)
            assert.deepStrictEqual([left.code, left.of(`watch ${id}`)[0]!.level], [0, "note"])
            assert.match(left.of(`watch ${id}`)[0]!.detail, /no souffleur looks after it: its souffleur left/)
            assert.include(left.of(`watch ${id}`)[0]!.todo, "souffleur resume ")
          }

          watch = the.start(["watch", "--json"])
          yield* prints(watch, "OwnerTook")
          watch.kill("SIGKILL")
          yield* watch.ended
          const dead = yield* doctor(the)
          assert.deepStrictEqual(dead.wrong, [`watch ${id}`])
          assert.match(
            dead.of(`watch ${id}`)[0]!.detail,
            new RegExp(`no souffleur looks after it: its souffleur, pid ${watch.pid}, is dead`)
          )
          assert.include(dead.of(`watch ${id}`)[0]!.todo, "souffleur resume ")

          fs.mkdirSync(join(the.state, "launches", ".new-left"), { recursive: true })
          fs.utimesSync(join(the.state, "launches", ".new-left"), 0, 0)
          fs.chmodSync(join(the.state, "souffleur.db"), 0o644)
          const open = yield* doctor(the)
          assert.match(open.of("state folder")[0]!.todo!, /^chmod 0600 /)
          assert.match(open.of("leftovers")[0]!.detail, /\.new-left/)

          const change = (statement: string) => {
            const db = new DatabaseSync(join(the.state, "souffleur.db"))
            db.exec(statement)
            db.close()
          }
          change("UPDATE events SET data = '{' WHERE revision = 2")
          assert.match((yield* doctor(the)).of("event log")[0]!.detail, /event 2 of opera-/)
          change("DELETE FROM events WHERE revision = 2")
          assert.match(
            (yield* doctor(the)).of("event log")[0]!.detail,
            /events are missing: opera-.* goes from revision 1 to 3/
          )
          fs.truncateSync(join(the.state, "souffleur.db"), 5000)
          assert.include((yield* doctor(the)).wrong, "event log")
        })
    )

    liveCase("doctor compares a watch that has ended with its row", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        assert.strictEqual((yield* watch.ended).code, 0)
        const ended = yield* doctor(the)
        assert.deepStrictEqual(ended.wrong, [])
        assert.strictEqual(ended.of("comms state")[0]!.detail, "row souffleur is complete")
        the.commsDb((db) => db.exec("UPDATE orchestration_tasks SET state = 'confirmed' WHERE task_id = 'souffleur'"))
        const [state] = (yield* doctor(the)).of("comms state")
        assert.deepStrictEqual(
          [state!.level, state!.detail],
          ["note", "row souffleur is confirmed, and the newest watch ended: completed"]
        )
      })
    )

    liveCase("doctor says why a watch is in standby, and what a person can do", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_COMPACT_POLL_INTERVAL: "20 millis" })
        configure(the, "FORCE_COMPACT=5\n")
        const agent = join(the.home, "agent")
        const command = `SOUFFLEUR_STANDIN_COMPACT_FAILS=true exec '${process.execPath}' '${bundle}' __stand-in "$@"`
        fs.writeFileSync(agent, `#!/bin/sh\n${command}\n`, { mode: 0o755 })
        const conductor = yield* the.conductor()
        const at = ["--pid", String(conductor.pid), "--session-id", the.session]
        const watch = the.start(["watch", "--json", ...at], { SOUFFLEUR_AGENT_COMMAND: agent })
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        const { watch: id } = yield* prints(watch, "RecoveryFailedClosed")
        const [found] = (yield* doctor(the)).of(`watch ${id}`)
        assert.strictEqual(found!.level, "wrong")
        assert.match(
          found!.detail,
          /stands by since recovery 1 failed closed at compact: the compact session ended without a boundary/
        )
        assert.include(found!.todo, `souffleur retry ${id}`)
      })
    )
  })
})
