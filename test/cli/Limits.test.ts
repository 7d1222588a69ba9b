import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, prints, said, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const agent = [process.execPath, bundle, "__stand-in", "-p", "work"] as const

/** No look of the watcher comes within the test. */
const slow = { SOUFFLEUR_WATCHER_INITIAL_WAIT: "20 minutes" }

describe.concurrent("behaviour#limits-of-a-job", () => {
  live("at the end of its time a command ends with all that it started, and its watch, told as that", () =>
    Effect.gen(function* () {
      const the = yield* stage([], slow)
      const note = join(the.home, "pids")
      const script = `setsid sleep 600 & echo $$ $! > ${note}.draft; mv ${note}.draft ${note}; wait`
      const run = the.start(["run", "--json", "--max-time", "6s", "--", "sh", "-c", script])
      const { limits, watch } = yield* prints(run, "WatchOpened")
      assert.deepStrictEqual(limits, { time: 6000, tokens: null, dollars: null, then: "stop" })
      yield* until(
        Effect.sync(() => fs.existsSync(note)),
        (yes) => yes
      )
      assert.deepStrictEqual(yield* run.ended, { code: 1, signal: null }, run.errors())
      const pids = fs.readFileSync(note, "utf8").trim().split(" ").map(Number)
      assert.deepStrictEqual(pids.filter(alive), [])
      const events = run.lines.map(said)
      assert.deepInclude(events.at(-1), { _tag: "WatchStopped", limit: "time" })
      assert.lengthOf(
        events.filter(({ _tag }) => _tag === "CeilingReached"),
        1
      )
      assert.include(run.errors(), "it may use 6 s: then it is ended, and its watch too")
      const status = yield* the.ask(["status", "--all"])
      assert.match(status.lines.join("\n"), / ended .* its limit is reached$/mu)
      const report = yield* the.ask(["report"])
      assert.include(report.lines.join("\n"), `## ${String(watch)}: ended, its limit is reached`)
      const why = yield* the.ask(["why", String(watch)])
      assert.match(why.lines.join("\n"), /A limit of a job ends its agent with all that it started, and its watch/u)
    })
  )
  live("an agent ends at its tokens within seconds, whatever it does then", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)], { ...slow, SOUFFLEUR_STANDIN_HANG_AT: "1" })
      fs.rmSync(the.comms)
      const run = the.start(["run", "--json", "--max-tokens", "1", "--max-time", "8h", "--", ...agent])
      const { conductor } = yield* prints(run, "ConductorConfirmed")
      assert.deepStrictEqual(yield* run.ended, { code: 1, signal: null }, run.errors())
      assert.isFalse(alive((conductor as { readonly pid: number }).pid))
      const events = run.lines.map(said)
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "CeilingReached"),
        { ceiling: "tokens", limit: 1, then: "stop" }
      )
      assert.deepInclude(events.at(-1), { _tag: "WatchStopped", limit: "tokens" })
      assert.lengthOf(the.launched(), 1)
    })
  )
  live("a preview shows them, and what is none, or would never be reached, is bad usage", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const limits = ["--max-time", "8h", "--max-tokens", "2000000"]
      const foreseen = yield* the.ask(["run", "--dry-run", ...limits, "--", ...agent])
      assert.match(foreseen.lines.join("\n"), /limits +8 h 0 m, 2,000,000 tokens: then it is ended, and its watch too/u)
      for (const [words, why] of [
        [["--max-time", "soon", "--", ...agent], '--max-time must be a time such as 8h, 30m or "90 seconds"'],
        [["--max-time", "0s", "--", ...agent], "a limit of time must be more than none, and finite"],
        [["--max-dollars", "5.555", "--", ...agent], "--max-dollars must be dollars such as 25 or 2.50"],
        [["--max-tokens", "2M", "--", ...agent], "--max-tokens must be a positive integer"],
        [["--max-tokens", "2", "--", "/bin/true"], "a plain command tells of no tokens and no dollars"],
        [["--max-time", "1h"], "--max-time is said where an agent begins"]
      ] as const) {
        const refused = yield* the.ask(["run", ...words])
        assert.deepStrictEqual([refused.code, refused.lines], [2, []])
        assert.include(refused.errors, why)
      }
    })
  )
})
