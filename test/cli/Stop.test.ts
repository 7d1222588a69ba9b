import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, prints, stage, until } from "./CliStage.ts"
import { live } from "./Live.ts"

/** A command under watch, which writes its pid and that of a child which it leaves behind. */
const working = Effect.fnUntraced(function* () {
  const the = yield* stage([], { SOUFFLEUR_STOP_GRACE: "5 seconds" })
  const note = join(the.home, "pids")
  const script = `setsid sleep 600 & echo $$ $! > ${note}.draft; mv ${note}.draft ${note}; wait`
  const run = the.start(["run", "--json", "--", "sh", "-c", script])
  const { watch: id } = yield* prints(run, "WatchSettled")
  yield* until(
    Effect.sync(() => fs.existsSync(note)),
    (yes) => yes
  )
  const pids = fs.readFileSync(note, "utf8").trim().split(" ").map(Number)
  return { ...the, id: String(id), pids, run, word: the.run }
})

describe.concurrent("behaviour#stop-by-a-person", () => {
  live("stop ends the command with all that it started, and the watch; nothing is started again", () =>
    Effect.gen(function* () {
      const the = yield* working()
      const stop = yield* the.word(["stop", "--reason", "the plan was wrong"])
      assert.strictEqual(stop.code, 0, stop.errors)
      assert.deepStrictEqual(the.pids.filter(alive), [])
      assert.include(stop.lines.join("\n"), `${the.id} is stopped: the command, pid ${the.pids[0]}, has ended`)
      assert.strictEqual((yield* the.run.ended).code, 1)
      const log = yield* the.ask(["log", the.id, "--json"])
      assert.include(log.lines.join("\n"), "the plan was wrong")
    })
  )
  live("where no souffleur keeps the watch, the command itself stops the agent", () =>
    Effect.gen(function* () {
      const the = yield* working()
      the.run.kill("SIGKILL")
      yield* the.run.ended
      const stop = yield* the.word(["stop", the.id, "--json"])
      assert.strictEqual(stop.code, 0, stop.errors)
      assert.deepInclude(JSON.parse(stop.lines.at(-1)!), { watch: the.id, stopped: true })
      assert.deepStrictEqual(the.pids.filter(alive), [])
    })
  )
})
