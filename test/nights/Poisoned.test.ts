import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { RunLog } from "@souffleur/plan"
import { Event, EventLog, type WatchEvent } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { examples as runExamples } from "../../packages/plan/test/fixtures/events/RunExamples.ts"
import { logAt } from "../eventlog/OwnLog.ts"
import { alive, answers, prints, stage, task } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)

const at = Date.UTC(2026, 0, 5)
const conductor = { pid: 4711, startTime: 1, bootId: "boot" }
const baseline = { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 }
const history = (project: string): ReadonlyArray<WatchEvent> => [
  Event.WatchOpened.make({ at, project, comms: null, pid: 4711, sessionId: "s1", observe: false, process: conductor }),
  Event.ConductorConfirmed.make({ at, conductor, sessionId: "s1", print: false, ...baseline }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at }),
  Event.KillDeferred.make({ at, watcher: 1, message: "a tool", until: at }),
  Event.WaitStarted.make({ at, watcher: 1, kind: "usage-limit", until: at, resetsAt: at, trigger: "limit" }),
  Event.WatcherStarted.make({ at, watcher: 2, awaiting: false, mode: "normal" })
]
const poison = (state: string, statement: string) => {
  const store = new DatabaseSync(join(state, "souffleur.db"), { timeout: 5000 })
  store.exec(statement)
  store.close()
}

/** Makes watches of three folders: a sound one, one with senseless numbers, one with an unknown event. */
const poisoned = Effect.gen(function* () {
  const the = yield* stage([task(1)])
  fs.mkdirSync(the.state, { recursive: true, mode: 0o700 })
  const names = ["good-0001", "odd-0001", "torn-0001"]
  yield* Effect.gen(function* () {
    const log = yield* EventLog
    for (const name of names)
      yield* log.append(name, 0, history(name === "odd-0001" ? the.project : `/nowhere/${name}`))
  }).pipe(Effect.provide(logAt(join(the.state, "souffleur.db"))), Effect.scoped, Effect.orDie)
  poison(
    the.state,
    `UPDATE events SET data = replace(data, '"until":${at}', '"until":1e300') WHERE stream = 'odd-0001' AND tag = 'KillDeferred';
     UPDATE events SET data = replace(replace(data, '"until":${at}', '"until":9000000000000000'), '"resetsAt":${at}', '"resetsAt":-1.5') WHERE stream = 'odd-0001' AND tag = 'WaitStarted';
     UPDATE events SET at = 9223372036854775807 WHERE stream = 'odd-0001' AND revision = 8;
     UPDATE events SET tag = 'WatchDreamt' WHERE stream = 'torn-0001' AND revision = 5`
  )
  return the
})

describe.concurrent("a log with odd values", () => {
  describe("behaviour#damaged-log", () => {
    live(
      "a log without some events is reported by log --all and status, with and without --json, and hides no other watch",
      () =>
        Effect.gen(function* () {
          const the = yield* poisoned
          poison(
            the.state,
            "DELETE FROM events WHERE stream = 'torn-0001'; DELETE FROM events WHERE stream = 'odd-0001' AND revision = 4"
          )
          for (const more of [[], ["--json"]]) {
            const all = yield* the.run(["log", "--all", ...more])
            assert.strictEqual(all.code, 4)
            assert.match(all.errors, /event 4 of odd-0001: it is missing, and later events are there/u)
            const events = all.lines.filter((line) => !/^\d{4}-\d\d-\d\d$/u.test(line))
            assert.lengthOf(events, 15, "the others are told")
            const status = yield* the.run(["status", ...more])
            assert.match(
              status.lines.join("\n"),
              more.length === 0 ? /cannot be read from event 4 on/u : /"unreadable":\s*\{\s*"revision":\s*4/u
            )
            assert.match(status.lines.join("\n"), /good-0001/u)
          }
        })
    )
    live("a damaged watch hides no other: status lists all, doctor names it, and its own commands end with 4", () =>
      Effect.gen(function* () {
        const the = yield* poisoned
        const { code, lines } = yield* the.run(["status"])
        assert.strictEqual(code, 0)
        const text = lines.join("\n")
        assert.match(text, /good-0001 +needs you .*no souffleur looks after it/u)
        assert.match(
          text,
          /torn-0001 +needs you .*its log cannot be read from event 5 on: this souffleur does not know this event/u
        )
        const all: ReadonlyArray<{ watch: string; unreadable: unknown }> = JSON.parse(
          (yield* the.run(["status", "--json"])).lines.join("")
        )
        assert.deepStrictEqual(all.map(({ unreadable, watch }) => [watch, unreadable !== null]).toSorted(), [
          ["good-0001", false],
          ["odd-0001", false],
          ["torn-0001", true]
        ])
        const doctor = yield* the.run(["doctor"])
        assert.strictEqual(doctor.code, 1)
        assert.match(doctor.lines.join("\n"), /wrong +event log +.*event 5 of torn-0001/u)
        assert.match(doctor.lines.join("\n"), /watch good-0001/u)
        for (const words of [
          ["log", "torn-0001"],
          ["why", "torn-0001"],
          ["release", "torn-0001"]
        ]) {
          const refused = yield* the.run(words)
          assert.strictEqual(refused.code, 4, words.join(" "))
          assert.match(refused.errors, /event 5 of torn-0001/u)
        }
      })
    )
  })

  describe("behaviour#numbers-of-others", () => {
    live("a log with odd values is printed by every command, with and without --json, and no time in it ends one", () =>
      Effect.gen(function* () {
        const the = yield* poisoned
        for (const words of [["status"], ["log"], ["log", "--all", "--json"], ["why"], ["state"], ["log", "odd-0001"]])
          for (const more of words.includes("--json") ? [[]] : [[], ["--json"]]) {
            const { code, errors, lines } = yield* the.run([...words, ...more])
            // The events of all watches include the unknown one.
            assert.strictEqual(code, words.includes("--all") ? 4 : 0, `${words.join(" ")}: ${errors}`)
            assert.notMatch([errors, ...lines].join("\n"), /RangeError|^ +at /mu)
          }
        const [state] = [yield* the.run(["state", "--json"])].map(({ lines }) => JSON.parse(lines.join("")))
        assert.strictEqual(state.wait.until, at + 8 * 86_400_000)
      })
    )
  })
})

describe("behaviour#damaged-log", () => {
  describe.concurrent("a run that cannot be read", () => {
    live("a damaged run hides no other: status --all and doctor list all, and its own commands end with 4", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        fs.mkdirSync(the.state, { recursive: true, mode: 0o700 })
        yield* Effect.gen(function* () {
          const log = yield* RunLog
          const { RunOpened, RunTaken, TaskStarted } = runExamples
          for (const [id, project] of [
            ["torn-0001", the.project],
            ["good-0001", "/nowhere/good"],
            ["lost-0001", "/nowhere/lost"]
          ] as const)
            yield* log.append(`run/${id}`, 0, [{ ...RunOpened, project }, RunTaken, TaskStarted])
        }).pipe(
          Effect.provide(RunLog.layerSql),
          Effect.provide(SqliteClient.layerOwn({ ...Store, path: join(the.state, "souffleur.db") })),
          Effect.provide(NodeServices.layer),
          Effect.scoped,
          Effect.orDie
        )
        poison(
          the.state,
          `UPDATE events SET tag = 'RunDreamt' WHERE stream = 'run/torn-0001' AND revision = 3;
         UPDATE events SET data = '{' WHERE stream = 'run/lost-0001' AND revision = 1`
        )
        const all = yield* the.run(["conduct", "status", "--all"])
        assert.strictEqual(all.code, 0, all.errors)
        assert.match(
          all.lines.join("\n"),
          /^torn-0001 .*cannot be read from event 3 on: this souffleur does not know this event/mu
        )
        assert.match(all.lines.join("\n"), /^lost-0001 .*cannot be read from event 1 on/mu)
        assert.match(all.lines.join("\n"), /^good-0001 /mu)
        const told: ReadonlyArray<{ run: string; unreadable: { revision: number } | null }> = JSON.parse(
          (yield* the.run(["conduct", "status", "--all", "--json"])).lines.join("")
        )
        assert.deepStrictEqual(
          told.map(({ run, unreadable }) => [run, unreadable?.revision ?? null]),
          [
            ["torn-0001", 3],
            ["good-0001", null],
            ["lost-0001", 1]
          ]
        )
        const doctor = (yield* the.run(["doctor"])).lines.join("\n")
        assert.match(doctor, /wrong +run torn-0001 +.*event 3 of run\/torn-0001/u)
        assert.match(doctor, /run good-0001 /u)
        assert.strictEqual((yield* the.run(["conduct", "log", "--run", "good-0001"])).code, 0)
        for (const words of [
          ["conduct", "log", "--run", "torn-0001"],
          ["conduct", "why"],
          ["conduct", "status"],
          ["conduct", "answer", "task-001", "--skip"],
          ["config", "--trust"]
        ]) {
          const refused = yield* the.run(words)
          assert.match(refused.errors, /event 3 of run\/torn-0001/u, words.join(" "))
          assert.strictEqual(refused.code, 4, words.join(" "))
        }
      })
    )
  })
})

describe.concurrent("a running souffleur", () => {
  describe("behaviour#damaged-log", () => {
    live(
      "a souffleur whose log was cut says so and ends with 4 without a launch; the next one goes on from the rest",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const agent = yield* the.conductor()
          const watch = the.watch(agent)
          yield* prints(watch, "WatchSettled")
          poison(the.state, "DELETE FROM events WHERE tag = 'WatchSettled'")
          assert.deepStrictEqual(yield* watch.ended, { code: 4, signal: null })
          assert.match(watch.errors(), /the event log cannot be used: event \d+ of \S+ is no longer there/u)
          assert.isTrue(alive(agent.pid))
          const next = the.start(["watch", "--json"])
          yield* prints(next, "WatchSettled")
          assert.deepStrictEqual(the.launched(), [])
          yield* answers(next)
        })
    )
  })

  describe("behaviour#numbers-of-others", () => {
    live(
      "a souffleur whose Conductor's session file holds odd numbers watches on, and brings the Conductor back when it dies",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1, 50), task(2, 100)])
          const agent = yield* the.conductor(2)
          const watch = the.watch(agent)
          yield* prints(watch, "WatchSettled")
          const file = join(the.environment["SOUFFLEUR_CLAUDE_DIR"]!, "projects", the.sessions()[0]!)
          const odd = { input_tokens: 1.5, cache_read_input_tokens: 1e300, output_tokens: -1 }
          const call = { type: "tool_use", id: "t", name: "Bash", input: { timeout: 1e300 } }
          fs.appendFileSync(
            file,
            `${JSON.stringify({ type: "assistant", timestamp: "+275760-09-13T00:00:00Z", message: { id: "m", model: "constructor", content: [call], usage: odd } })}\n`
          )
          // Polled with it at least once.
          const evidence = yield* Effect.andThen(
            Effect.sync(() => agent.kill("SIGKILL")),
            prints(watch, "ConductorDied")
          )
          assert.strictEqual((evidence["evidence"] as { readonly contextTokens: number }).contextTokens, 2)
          assert.strictEqual((yield* watch.ended).code, 0, watch.errors())
          assert.lengthOf(the.launched(), 1)
          assert.notInclude(
            (yield* the.events).map(({ _tag }) => _tag),
            "WatcherLost"
          )
        })
    )
  })
})
