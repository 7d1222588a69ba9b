import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, answers, prints, said, stage, task, until, type Variables } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

const id = "11111111-1111-4111-8111-111111111111"
const nobody = "4190000"
const at = (pid: string, session: string) => ["watch", "--pid", pid, "--session-id", session]
describe.concurrent("the command", () => {
  describe("command-line#conventions", () => {
    live(
      "bad usage ends a process with its exit code and one line on standard error; BadUsage.test.ts has each case",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const own = join(the.state, "souffleur.db")
          assert.deepStrictEqual((yield* the.run(["status", "--json"])).lines, ["[]"])
          assert.strictEqual(fs.statSync(own).mode & 0o777, 0o600)
          assert.strictEqual(fs.statSync(the.state).mode & 0o777, 0o700)
          const text = join(the.home, "text")
          fs.mkdirSync(text, { mode: 0o700 })
          fs.writeFileSync(join(text, "souffleur.db"), "to be\n")
          const state = (folder: string): Variables => ({ SOUFFLEUR_STATE_DIR: folder })
          const cases: ReadonlyArray<
            readonly [args: ReadonlyArray<string>, code: number, says: RegExp, env?: Variables]
          > = [
            [at("letters", id), 2, /is no process id: a whole number/],
            [at(String(process.pid), id), 2, /started this souffleur/],
            [at(nobody, "$(touch x)"), 2, /is no session id/],
            [["nonsense"], 2, /Unknown subcommand/],
            [["status", "--json"], 4, /^souffleur: the event log cannot be used: .*souffleur\.db: /, state(text)],
            [["status"], 2, /\/proc\/souffleur.*cannot be made/, state("/proc/souffleur")],
            [["status"], 2, /\/proc\/souffleur.*cannot be made/, state("/proc/souffleur/below")],
            [["demo"], 1, /no folder for it can be made: set TMPDIR/, { TMPDIR: "/proc/souffleur" }]
          ]
          yield* Effect.forEach(
            cases,
            Effect.fnUntraced(function* ([args, code, says, env]) {
              const found = yield* the.run(args, env)
              assert.deepStrictEqual([found.code, found.lines], [code, []], found.errors)
              assert.match(found.errors, says)
              assert.lengthOf(found.errors.trimEnd().split("\n"), 1)
              assert.notMatch(found.errors, /^\s+at |node:internal/m)
            }),
            { concurrency: 3, discard: true }
          )
          assert.strictEqual(fs.readFileSync(join(text, "souffleur.db"), "utf8"), "to be\n", "it is left as it was")
          assert.isFalse(fs.existsSync(join(the.project, "x")), "no shell reads a session id")
          assert.deepStrictEqual((yield* the.ask(["status", "--json"])).lines, ["[]"], "nothing of it is in the log")
          const failed = yield* the.run(["estimate", "nowhere.md", "--json"])
          assert.deepStrictEqual(
            [failed.code, failed.lines, failed.errors],
            [2, ['{"ok":false,"error":"the export nowhere.md cannot be read: it is not there","warnings":[]}'], ""]
          )
        })
    )
  })

  describe("settings#config-file", () => {
    live("a config file of rubbish leads to warnings and defaults", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        fs.mkdirSync(join(the.project, ".orchestra_configs"))
        fs.writeFileSync(
          join(the.project, ".orchestra_configs", "souffleur"),
          Buffer.concat([Buffer.from("FORCE_COMPACT=many\nrubbish\n"), crypto.getRandomValues(Buffer.alloc(2000))])
        )
        const { code, lines } = yield* the.ask(["config", "--json"])
        const config = JSON.parse(lines.join("\n"))
        assert.strictEqual(code, 0)
        assert.strictEqual(config.force_compact_threshold_tokens, 400_000)
        assert.strictEqual(config.max_external_permission, "acceptEdits")
        assert.isAtLeast(config.warnings.length, 1)
        assert.include(config.source, ".orchestra_configs/souffleur")
      })
    )
  })

  describe("behaviour#claims", () => {
    live(
      "a Conductor has one souffleur in any state folder; its log can be followed and replayed; release leaves the Conductor alive",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const conductor = yield* the.conductor()
          const watch = the.start(["watch", "--json", `PID:${conductor.pid}`, `SESSION_ID:${the.session}`])
          const settled = yield* prints(watch, "WatchSettled")
          const again = at(String(conductor.pid), the.session)
          const byHand = yield* the.acting(
            the.start(["__stand-in", "-p", "--", "Go on."], { SOUFFLEUR_STANDIN_HANG_AT: "1" })
          )
          for (const [args, env] of [
            [again, {}],
            [["watch"], {}],
            [["run", "--", "true"], {}],
            [again, { SOUFFLEUR_STATE_DIR: join(the.home, "other") }],
            // As in cron, su or a container: nothing in the environment is what it was.
            [
              again,
              {
                SOUFFLEUR_STATE_DIR: join(the.home, "other"),
                XDG_RUNTIME_DIR: "",
                HOME: the.project,
                TMPDIR: the.project
              }
            ],
            [at(String(byHand.pid), the.session), { SOUFFLEUR_STATE_DIR: join(the.home, "other") }]
          ] as const) {
            const { code, errors, lines } = yield* the.run(args, env)
            assert.strictEqual(code, 3, errors)
            assert.match(errors, /^souffleur: already watched: .*\n$/)
            assert.deepStrictEqual(lines, [])
          }
          assert.deepStrictEqual(
            (yield* the.ask(["status", "--json"], { SOUFFLEUR_STATE_DIR: join(the.home, "other") })).lines,
            ["[]"]
          )

          const [status] = JSON.parse((yield* the.ask(["status", "--json"])).lines.join("\n"))
          assert.strictEqual(status.watch, settled.watch)
          assert.strictEqual(status.phase, "Watching")
          assert.deepStrictEqual(
            [status.conductor.pid, status.conductor.alive, status.conductor.session_id],
            [conductor.pid, true, the.session]
          )
          const log = yield* the.events
          assert.deepStrictEqual(log, watch.lines.map(said))
          for (const event of log) assert.match(event.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
          assert.deepStrictEqual(
            (yield* the.ask(["log", the.session, "--json", "--from", "3"])).lines.map(said),
            log.slice(2)
          )
          const state = yield* the.ask(["state", settled.watch, "--at", "1", "--json"])
          assert.deepInclude(JSON.parse(state.lines.join("\n")), {
            watch: settled.watch,
            revision: 1,
            phase: "Validating"
          })
          const follower = the.start(["log", "--json", "--follow"])
          yield* prints(follower, "WatchSettled")

          assert.strictEqual((yield* the.run(["release", settled.watch])).code, 0)
          assert.deepStrictEqual(yield* watch.ended, { code: 0, signal: null })
          assert.deepStrictEqual(yield* follower.ended, { code: 0, signal: null })
          assert.strictEqual(said(follower.lines.at(-1)!)._tag, "WatchReleased")
          assert.isTrue(alive(conductor.pid))
          assert.strictEqual(the.row("souffleur")["state"], "exited")
        })
    )
  })

  describe("behaviour#signals-of-souffleur", () => {
    liveCase("a souffleur that is told to end leaves its watch resumable, and its row as it was", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        for (const signal of ["SIGINT", "SIGTERM"] as const) {
          const watch = the.watch(conductor)
          yield* prints(watch, "OwnerTook")
          yield* until(
            Effect.sync(() => the.row("souffleur")["state"]),
            (state) => state === "confirmed"
          )
          const left = yield* answers(watch, signal)
          if (left) assert.strictEqual((yield* the.events).at(-1)?._tag, "OwnerLeft")
          assert.strictEqual(the.row("souffleur")["state"], "confirmed")
          assert.isTrue(alive(conductor.pid))
        }
        const last = the.start(["watch", "--json"])
        yield* prints(last, "OwnerTook", ({ fence }) => fence === 3)
        the.commsDb((db) => db.exec("UPDATE orchestration_tasks SET state = 'complete' WHERE task_id = 'task-00'"))
        assert.deepStrictEqual(yield* last.ended, { code: 0, signal: null })
      })
    )
  })

  describe("behaviour#validation", () => {
    liveCase("three failed validations end a watch with 1, a message and the row, and nothing is launched", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const { code, lines } = yield* the.run([...at(nobody, id), "--json"])
        assert.strictEqual(code, 1)
        assert.strictEqual(said(lines.at(-1)!)._tag, "ValidationExhausted")
        assert.strictEqual(the.row("souffleur")["state"], "exited")
        assert.include(String(the.messages().at(-1)?.["message"]), nobody)
        assert.deepStrictEqual(the.launched(), [])
      })
    )
  })

  describe("command-line#plumbing", () => {
    liveCase(
      "a session with a record of 200 MB is exported in bounded memory, and the export says what was left out",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const folder = join(the.home, "claude", "projects", "x")
          fs.mkdirSync(folder, { recursive: true })
          const record = (content: string) =>
            JSON.stringify({ type: "user", uuid: "u", sessionId: id, message: { role: "user", content } })
          const [before, after] = record("|").split("|")
          const file = fs.openSync(join(folder, `${id}.jsonl`), "w")
          fs.writeSync(file, `${record("the first words")}\n${before}`)
          for (let n = 0; n < 20; n++) fs.writeSync(file, "y".repeat(10_000_000))
          fs.writeSync(file, `${after}\n${record("the last words")}\n`)
          fs.closeSync(file)

          const out = join(the.home, "out.md")
          const exporting = the.start(["export", id, "--out", out])
          let peak = 0
          const look = Effect.sync(() => {
            const status = alive(exporting.pid) ? fs.readFileSync(`/proc/${exporting.pid}/status`, "utf8") : ""
            peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0))
          })
          const { code } = yield* Effect.raceFirst(
            exporting.ended,
            Effect.andThen(
              until(look, () => false),
              Effect.never
            )
          )
          assert.strictEqual(code, 0, exporting.errors())
          assert.isAbove(peak, 0)
          assert.isBelow(peak, 200_000, "kB")
          assert.match(exporting.errors(), /^warning: .*left out: 1\n$/)
          assert.deepStrictEqual(exporting.lines, [out])
          assert.include(fs.readFileSync(out, "utf8"), "the last words")
          assert.strictEqual(fs.statSync(out).mode & 0o777, 0o600)
        })
    )
  })
})
