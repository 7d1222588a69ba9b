import { assert, describe } from "@effect/vitest"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ownersOf, rowsOf } from "../torture/LogFromOutside.ts"
import { alive, answers, prints, type Said, stage, task, until, type Variables } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

/** Half a minute of silence, in place of six. A busy machine is silent for seconds. */
const impatient: Variables = { SOUFFLEUR_MONITOR_STALE_AFTER: "30 seconds", SOUFFLEUR_MONITOR_INTERVAL: "1 second" }

/** The guardian that beats, once it is none of these. */
const guardianOf = (state: string, id: string, ...not: ReadonlyArray<number>) =>
  until(
    Effect.sync(() => {
      const store = new DatabaseSync(join(state, "souffleur.db"), { readOnly: true, timeout: 5000 })
      const row = store.prepare("SELECT role FROM beats WHERE watch = ?").get(`${id}/guardian`)
      store.close()
      return Number(String(row?.["role"] ?? "").split("/")[1] ?? 0)
    }),
    (pid) => pid > 0 && !not.includes(pid)
  )

/** A watch with its guardian, both there. */
const guardedWatch = Effect.fnUntraced(function* (tasks = [task(1)], hangAt = 1) {
  const the = yield* stage(tasks, impatient)
  const conductor = yield* the.conductor(hangAt)
  const watch = the.watch(conductor, "--guardian")
  const { watch: id } = yield* prints(watch, "WatchSettled")
  /** Every process of souffleur in this home, by its errand: `__guardian`, or `watch`. */
  const ours = Effect.gen(function* () {
    const processes = yield* ProcessesPort
    const found: Array<{ readonly pid: number; readonly errand: string }> = []
    for (const { condition, identity } of yield* processes.tagged({ environment: { HOME: the.home } })) {
      const words = yield* processes.commandLine(identity.pid)
      const errand = words.find((word) => word === "__guardian" || word === "watch")
      if (errand !== undefined && condition !== "zombie") found.push({ pid: identity.pid, errand })
    }
    return found
  }).pipe(Effect.provide(Processes.layer), Effect.orDie)
  const guardian = (...not: ReadonlyArray<number>) => guardianOf(the.state, String(id), ...not)
  const events = the.events
  const owner = Effect.map(the.ask(["status", "--json"]), ({ lines }) => JSON.parse(lines.join(""))[0].owner)
  const nobody = until(ours, (all) => all.length === 0)
  return { ...the, conductor, events, guardian, id, nobody, ours, owner, watch, first: yield* guardian() }
})

const restorations = (events: ReadonlyArray<Said>) =>
  events.filter(({ _tag }) => _tag === "SouffleurRestored").map(({ reason, restorations }) => [reason, restorations])

describe.concurrent("a guardian", () => {
  describe("behaviour#guardian", () => {
    live("the guardian brings a killed souffleur back, which goes on with a recovery; both end with the watch", () =>
      Effect.gen(function* () {
        const the = yield* guardedWatch([task(1, 50), task(2, 300)], 2)
        the.watch.kill("SIGKILL")
        yield* the.watch.ended
        the.conductor.kill("SIGKILL")
        const row = yield* until(
          Effect.sync(() => the.row("souffleur")),
          ({ state }) => state === "complete"
        )
        assert.strictEqual(row["state"], "complete")
        yield* the.nobody
        const events = yield* the.events
        assert.deepStrictEqual(restorations(events), [["died", 1]])
        assert.strictEqual(events.at(-1)?._tag, "ConductorCompleted")
        assert.lengthOf(the.launched(), 1)
        const output = join(the.state, "guardians", `${the.id}.out`)
        assert.strictEqual(fs.statSync(output).mode & 0o777, 0o600)
        assert.include(fs.readFileSync(output, "utf8"), `watch ${the.id} goes on`)
      })
    )
    liveCase(
      "the guardian kills a hung souffleur and then starts another; the Conductor is not touched, and release ends both",
      () =>
        Effect.gen(function* () {
          const the = yield* guardedWatch()
          the.watch.kill("SIGSTOP")
          assert.strictEqual((yield* the.watch.ended).signal, "SIGKILL")
          const owner = yield* until(
            the.owner,
            (now) => now !== null && now.condition !== "gone" && now.pid !== the.watch.pid
          )
          assert.isTrue(alive(owner.pid))
          assert.deepStrictEqual(restorations(yield* the.events), [["silent", 1]])
          assert.isTrue(alive(the.conductor.pid))
          assert.strictEqual(yield* the.guardian(), the.first, "the guardian stays")
          assert.strictEqual((yield* the.ask(["release"])).code, 0)
          yield* the.nobody
          assert.isTrue(alive(the.conductor.pid))
        })
    )

    liveCase(
      "the guardian itself is brought back after a kill or a hang; SIGTERM ends both, and the watch can be resumed",
      () =>
        Effect.gen(function* () {
          const the = yield* guardedWatch()
          process.kill(the.first, "SIGKILL")
          const second = yield* the.guardian(the.first)
          process.kill(second, "SIGSTOP")
          yield* the.guardian(the.first, second)
          assert.isFalse(alive(second))
          assert.isTrue(alive(the.watch.pid))
          const left = yield* answers(the.watch)
          yield* the.nobody
          const events = yield* the.events
          assert.deepStrictEqual(restorations(events), [])
          // The log has the end of the guardian that hung. The guardian that was gone had no process to end.
          const endings = events.filter(({ _tag }) => _tag === "ProcessEnding")
          assert.deepStrictEqual(
            endings.map(({ process, what }) => [what, (process as { readonly pid: number }).pid]),
            [["guardian", second]]
          )
          if (left) assert.strictEqual(events.at(-1)?._tag, "OwnerLeft")
          assert.isTrue(alive(the.conductor.pid))
        })
    )

    liveCase(
      "the guardian gives up after repeated kills of souffleur without progress, says so, and leaves no process behind",
      () =>
        Effect.gen(function* () {
          const the = yield* guardedWatch()
          const killed: Array<number> = []
          const last = Effect.sync(() => rowsOf(the.state).at(-1)?.tag)
          while (killed.length < 4) {
            const [owner] = yield* until(
              Effect.sync(() => ownersOf(rowsOf(the.state)).slice(-1)),
              ([owner]) => owner !== undefined && !killed.includes(owner.pid)
            )
            process.kill(owner!.pid, "SIGKILL")
            killed.push(owner!.pid)
          }
          yield* until(last, (tag) => tag === "GuardianGaveUp")
          yield* the.nobody
          assert.deepStrictEqual(restorations(yield* the.events), [
            ["died", 1],
            ["died", 2],
            ["died", 3]
          ])
          assert.isTrue(alive(the.conductor.pid))
          assert.match(String(the.messages().at(-1)?.["message"]), /The watch has no souffleur now/)
        })
    )

    liveCase(
      "the guardian replaces a souffleur that hangs during a command; the command is not repeated, and its end is known",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([], impatient)
          fs.rmSync(the.comms)
          const [said, go] = [join(the.project, "said"), join(the.project, "go")]
          const runs = Effect.sync(() =>
            fs.existsSync(said) ? fs.readFileSync(said, "utf8").trim().split("\n").map(Number) : []
          )
          const run = the.start([
            "run",
            "--json",
            "--",
            "/bin/sh",
            "-c",
            "echo $$ >> said; until [ -e go ]; do sleep 0.1; done"
          ])
          const { watch } = yield* prints(run, "WatchSettled")
          yield* guardianOf(the.state, String(watch))
          run.kill("SIGSTOP")
          assert.strictEqual((yield* run.ended).signal, "SIGKILL")
          const owners = yield* until(
            Effect.sync(() => ownersOf(rowsOf(the.state))),
            (all) => all.length === 2
          )
          assert.notStrictEqual(owners[1]!.pid, run.pid)
          const [command, ...more] = yield* runs
          assert.isTrue(alive(command!), "the command itself is left as it was")
          assert.isEmpty(more, "and is not started twice")
          fs.writeFileSync(go, "")
          yield* until(
            Effect.sync(() => rowsOf(the.state).at(-1)?.tag),
            (tag) => tag === "ConductorCompleted"
          )
          assert.lengthOf(yield* runs, 1, "its launch recorded that it succeeded")
          assert.lengthOf(the.launched(), 1)
          const tags = rowsOf(the.state).map(({ tag }) => tag)
          assert.deepStrictEqual(
            ["SouffleurRestored", "ConductorDied", "ConductorRelaunched"].map(
              (tag) => tags.filter((one) => one === tag).length
            ),
            [1, 0, 0]
          )
        })
    )
  })

  describe("behaviour#signals-of-souffleur", () => {
    liveCase(
      "the guardian leaves a souffleur ended that a person ended, even where the log was locked during its goodbye",
      () =>
        Effect.gen(function* () {
          const the = yield* guardedWatch()
          const log = new DatabaseSync(join(the.state, "souffleur.db"), { timeout: 10_000 })
          log.exec("BEGIN IMMEDIATE")
          the.watch.kill("SIGTERM")
          yield* the.watch.ended
          yield* the.nobody
          log.exec("COMMIT")
          log.close()
          const events = yield* the.events
          assert.notInclude(
            events.map(({ _tag }) => _tag),
            "OwnerLeft"
          )
          assert.deepStrictEqual(restorations(events), [])
        })
    )
  })
})
