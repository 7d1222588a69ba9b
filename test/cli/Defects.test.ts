import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { rowsOf } from "../torture/LogFromOutside.ts"
import { alive, bundle, prints, stage, task, until, type Variables } from "./Stage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test, 120_000)

/** A table of souffleur's own that is not there is a defect to whoever needs it: nobody but souffleur touches this file. */
const rename = (state: string, from: string, to: string) => {
  const store = new DatabaseSync(join(state, "souffleur.db"), { timeout: 5000 })
  store.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
  store.close()
}

const tagsIn = (state: string) => rowsOf(state).map(({ tag }) => tag)

/** A watch of this comms has ended: every later one looks how far that was told. */
const ended = Effect.fnUntraced(function* (variables: Variables = {}) {
  const the = yield* stage([task(1)], variables)
  const conductor = yield* the.conductor()
  const first = the.watch(conductor)
  yield* prints(first, "WatchSettled")
  assert.strictEqual((yield* the.run(["release"])).code, 0)
  assert.strictEqual((yield* first.ended).code, 0)
  return { ...the, conductor }
})

describe.concurrent("a defect of souffleur's own", () => {
  live("is exit 70 and one sentence, no goodbye and no stack; what it was is told to who looks for it", () =>
    Effect.gen(function* () {
      const the = yield* ended()
      rename(the.state, "outbox", "lost")
      const watch = the.watch(the.conductor)
      assert.deepStrictEqual(yield* watch.ended, { code: 70, signal: null }, watch.errors())
      const said = watch.errors().trim().split("\n")
      assert.match(said.at(-1)!, /^souffleur: it has a defect of its own and cannot go on \(\w+ at [\w.-]+:\d+:\d+\)\. /u)
      for (const line of [...said, ...watch.lines]) assert.notMatch(line, /^ +at |SqlError: |no such table/u)
      assert.notInclude(tagsIn(the.state), "OwnerLeft")
      const loud = yield* the.run(["watch"], { SOUFFLEUR_DEBUG: "1" })
      assert.strictEqual(loud.code, 70)
      assert.match(loud.errors, /no such table|LogUnusable/u)
      assert.isTrue(alive(the.conductor.pid))
    })
  )

  live("ends what started in it, and its guardian brings it back, which goes on once that is mended", () =>
    Effect.gen(function* () {
      const the = yield* ended({ SOUFFLEUR_MONITOR_STALE_AFTER: "4 seconds", SOUFFLEUR_MONITOR_INTERVAL: "1 second" })
      const watch = the.watch(the.conductor, "--guardian")
      yield* prints(watch, "WatchSettled")
      const beats = Effect.sync(() => {
        const store = new DatabaseSync(join(the.state, "souffleur.db"), { readOnly: true, timeout: 5000 })
        const found = store.prepare("SELECT count(*) AS beats FROM beats WHERE watch GLOB '*/guardian'").get()
        store.close()
        return Number(found?.["beats"])
      })
      yield* until(beats, (many) => many > 0)
      rename(the.state, "outbox", "lost")
      watch.kill("SIGKILL")
      // The one that is brought back takes the watch, and dies of the defect.
      const taken = Effect.sync(() => tagsIn(the.state).filter((tag) => tag === "OwnerTook").length)
      yield* until(taken, (times) => times > 2)
      rename(the.state, "lost", "outbox")
      yield* until(the.run(["status", "--json"]), ({ lines }) => {
        const owner = JSON.parse(lines.join(""))[1]?.owner
        return owner !== null && owner !== undefined && owner.condition === "running" && owner.pid !== watch.pid
      })
      assert.notInclude(tagsIn(the.state), "OwnerLeft")
      assert.isTrue(alive(the.conductor.pid))
      assert.strictEqual((yield* the.run(["release"])).code, 0)
    })
  )
})

live("in a folder that is gone souffleur says so, in a sentence, and ends with 2", () =>
  Effect.gen(function* () {
    const the = yield* stage([task(1)])
    const gone = join(the.home, "gone")
    fs.mkdirSync(gone)
    const line = `cd "$1" && rmdir "$1" && exec "$2" "$3" status`
    const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", line, "sh", gone, process.execPath, bundle], {
      env: the.environment,
      encoding: "utf8"
    })
    assert.deepStrictEqual([status, stdout], [2, ""])
    assert.match(stderr, /^souffleur: the folder that it was started in is gone[^\n]*\n$/u)
  })
)
