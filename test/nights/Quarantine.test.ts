import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, prints, stage, task } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)

/** A watch whose souffleur was killed: its newest events are in the `-wal` alone. */
const abandoned = Effect.fnUntraced(function* () {
  const the = yield* stage([task(1)])
  const conductor = yield* the.conductor()
  const watch = the.watch(conductor)
  const { watch: id } = yield* prints(watch, "WatchSettled")
  const file = join(the.state, "souffleur.db")
  const parts = () =>
    Object.fromEntries(
      ["", "-wal", "-shm"].map((part) => [part, fs.existsSync(file + part) ? fs.readFileSync(file + part) : null])
    )
  const quarantine = Effect.fnUntraced(function* () {
    const { code, errors, lines } = yield* the.run(["doctor", "--quarantine", "--json"])
    const facts: ReadonlyArray<{ check: string; level: string; detail: string; todo: string | null }> =
      lines.length === 0 ? [] : JSON.parse(lines.join("\n"))
    return { code, errors, of: (check: string) => facts.find((fact) => fact.check === check) }
  })
  const kept = () => {
    const folder = join(the.state, "quarantine")
    return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : []
  }
  const kill = Effect.suspend(() => {
    watch.kill("SIGKILL")
    return watch.ended
  })
  /**
   * Returns the file after a checkpoint, so that a damage hits its content. Also returns the page of a table that only
   * a launch reads.
   */
  const inFile = () => {
    const db = new DatabaseSync(file)
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'turns'").get()?.["rootpage"])
    db.close()
    return { page, whole: fs.readFileSync(file) }
  }
  return { ...the, conductor, file, id, inFile, kept, kill, parts, quarantine, killed: watch }
})

const damages: ReadonlyArray<readonly [how: string, damaged: (whole: Buffer) => Buffer]> = [
  ["cut off", (whole) => whole.subarray(0, whole.length - 4096)],
  ["written over", (whole) => Buffer.from(whole).fill(0xa5, 4096, 4096 + 2048)],
  ["nothing but zeros", (whole) => Buffer.alloc(whole.length)]
]

describe("behaviour#damaged-log", () => {
  describe.concurrent("doctor --quarantine", () => {
    live(
      "a log that is cut off, written over or all zeros is moved aside; its readable part says how to watch the Conductor again",
      () =>
        Effect.gen(function* () {
          const the = yield* abandoned()
          yield* the.kill
          const { whole } = the.inFile()
          const conductor = `--project-dir '${the.project}' --pid ${the.conductor.pid} --session-id ${the.session}`
          for (const [how, damaged] of damages) {
            fs.writeFileSync(the.file, damaged(whole))
            const { code, errors, of } = yield* the.quarantine()
            assert.strictEqual(code, 0, errors)
            const folder = the.kept().at(-1)!
            assert.include(of("event log")!.detail, `souffleur.db moved to ${folder}: `)
            assert.deepStrictEqual(fs.readdirSync(folder), ["souffleur.db"])
            assert.isTrue(fs.readFileSync(join(folder, "souffleur.db")).equals(damaged(whole)), "byte for byte")
            for (const mine of [folder, join(folder, "..")]) assert.strictEqual(fs.statSync(mine).mode & 0o777, 0o700)
            // Where no event is left, the agent's own files say who lives.
            const told = of(`watch ${the.id}`) ?? of("live session")
            assert.strictEqual(told!.todo, `souffleur watch ${conductor}`, how)
            assert.deepStrictEqual(Object.values(the.parts()), [null, null, null])
            assert.isFalse(
              fs.readdirSync(the.state).some((name) => name.startsWith(".new-")),
              "nothing is left beside it"
            )
          }
          assert.lengthOf(new Set(the.kept()), damages.length)
          // Twice is once.
          const { code, of } = yield* the.quarantine()
          assert.deepStrictEqual([code, of("event log")!.level], [0, "ok"])
          assert.lengthOf(the.kept(), damages.length)
          const anew = the.watch(the.conductor)
          yield* prints(anew, "WatchSettled")
          assert.isTrue(alive(the.conductor.pid))
          assert.deepStrictEqual(the.launched(), [])
        })
    )

    live(
      "a damaged log with its newest events in a -wal stays unchanged, and the newest events describe the watch",
      () =>
        Effect.gen(function* () {
          const the = yield* abandoned()
          yield* the.kill
          const { page, whole } = the.inFile()
          const next = the.start(["watch", "--json"])
          const { revision } = yield* prints(next, "OwnerTook")
          next.kill("SIGKILL")
          yield* next.ended
          fs.writeFileSync(the.file, whole.fill(0xa5, (page - 1) * 4096, (page - 1) * 4096 + 2048))
          const before = the.parts()
          assert.isAbove(before["-wal"]!.length, 0)
          const refused = yield* the.run(["status"])
          assert.deepStrictEqual([refused.code, refused.lines], [4, []])
          assert.match(refused.errors, /"souffleur doctor --quarantine" moves it aside and says how to go on/)
          for (const part of ["", "-wal"]) assert.isTrue(the.parts()[part]!.equals(before[part]!), part)
          const now = the.parts()
          // The process that was to start this launch is dead, and the next log knows nothing of it.
          const launches = join(the.state, "launches")
          fs.mkdirSync(launches, { mode: 0o700, recursive: true })
          fs.writeFileSync(join(launches, "opera-0001-c1-6-launch-1.json"), "{}", { mode: 0o600 })
          const { code, errors, of } = yield* the.quarantine()
          assert.strictEqual(code, 0, errors)
          assert.match(
            of(`watch ${the.id}`)!.detail,
            new RegExp(`running, session ${the.session}; .*, ${revision} OwnerTook`, "u")
          )
          assert.match(of("launch")!.detail, /^opera-0001-c1-6-launch-1 was undecided: it is cancelled for good$/u)
          assert.deepStrictEqual(fs.readdirSync(launches), ["opera-0001-c1-6-launch-1.receipt"])
          for (const [part, bytes] of Object.entries(now)) {
            assert.isTrue(fs.readFileSync(join(the.kept()[0]!, `souffleur.db${part}`)).equals(bytes!), part)
          }
        })
    )

    live("an open log stays, and exit 3 names its process; a sound log and a newer souffleur's log stay too", () =>
      Effect.gen(function* () {
        const the = yield* abandoned()
        const busy = yield* the.quarantine()
        assert.strictEqual(busy.code, 3)
        assert.match(busy.errors, new RegExp(`nothing is moved: process ${the.killed.pid} has the event log open`, "u"))
        yield* the.kill
        const sound = yield* the.quarantine()
        assert.strictEqual(sound.code, 0)
        assert.match(sound.of("event log")!.detail, /is sound: nothing to move/)
        const db = new DatabaseSync(the.file)
        db.exec("PRAGMA user_version = 999")
        db.close()
        const newer = yield* the.quarantine()
        assert.strictEqual(newer.code, 4)
        assert.match(newer.errors, /newer souffleur/)
        assert.isEmpty(the.kept())
      })
    )
  })
})
