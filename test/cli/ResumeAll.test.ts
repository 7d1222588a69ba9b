/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, answers, prints, said, stage, until } from "./CliStage.ts"

describe("command-line#watches", () => {
  it.live("resume --all goes on with each watch whose souffleur has died, once, and --keep brings it back again", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      fs.rmSync(the.comms)
      const projects = ["one", "two"].map((name) => join(the.home, name))
      const line = "until [ -e go ]; do sleep 0.05; done"
      const ids: Array<string> = []
      for (const project of projects) {
        fs.mkdirSync(project)
        const run = the.start(["run", "--json", "--no-guardian", "--", "/bin/sh", "-c", line], {}, project)
        ids.push((yield* prints(run, "WatchSettled")).watch)
        run.kill("SIGKILL")
        yield* run.ended
      }
      const resume = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, errors, lines } = yield* the.run(["resume", "--all", "--json", ...args])
        assert.strictEqual(code, 0, errors)
        return JSON.parse(lines.join("\n")) as ReadonlyArray<{ watch: string; outcome: string; pid: number }>
      })
      const first = yield* resume()
      assert.deepStrictEqual(
        first.map(({ outcome, watch }) => [watch, outcome]),
        ids.map((id) => [id, "goes on"])
      )
      assert.isTrue(first.every(({ pid }) => alive(pid)))
      assert.deepStrictEqual(
        yield* resume(),
        first.map((one) => ({
          ...one,
          outcome: "watched already",
          message: `souffleur pid ${one.pid} watches it already`
        }))
      )

      const keep = the.start(["resume", "--all", "--keep"])
      process.kill(first[0]!.pid, "SIGKILL")
      const said = until(
        Effect.sync(() => keep.lines.flatMap((text) => /it goes on, with souffleur pid (\d+)$/u.exec(text)?.[1] ?? [])),
        ({ length }) => length > 0
      )
      const next = Number((yield* said)[0])
      assert.isTrue(alive(next))
      assert.notStrictEqual(next, first[0]!.pid)

      for (const project of projects) fs.writeFileSync(join(project, "go"), "")
      yield* until(
        Effect.sync(() => [next, first[1]!.pid].some(alive)),
        (lives) => !lives
      )
      yield* answers(keep)
      const none = yield* the.run(["resume", "--all"])
      assert.deepStrictEqual([none.code, none.lines], [0, ["No watch is unfinished."]], none.errors)
      const one = yield* the.run(["resume", ids[0]!])
      assert.deepStrictEqual([one.code, one.lines], [2, []], one.errors)
      const both = yield* the.run(["resume", ids[0]!, "--all"])
      assert.deepStrictEqual([both.code, both.lines], [2, []], both.errors)
    })
  )
})

describe("behaviour#service", () => {
  it.live(
    "resume --all --keep gives a watch up after three restorations without progress, and a person tries again",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        fs.rmSync(the.comms)
        const run = the.start(["run", "--json", "--no-guardian", "--", "/bin/sh", "-c", "exec sleep 600"])
        const { watch } = yield* prints(run, "WatchSettled")
        const keep = the.start(["resume", "--all", "--keep"])
        const says = (what: RegExp, from: number) =>
          until(
            Effect.sync(() => keep.lines.slice(from).flatMap((text) => what.exec(text)?.slice(1) ?? [])),
            ({ length }) => length > 0
          )
        for (let [pid, restorations] = [run.pid, 0]; restorations <= 3; restorations++) {
          const from = keep.lines.length
          process.kill(pid, "SIGKILL")
          const what = restorations < 3 ? /it goes on, with souffleur pid (\d+)$/u : /(died 3 times without progress)/u
          const [found] = yield* says(what, from)
          pid = Number(found)
        }
        const { lines } = yield* the.run(["log", watch, "--json"])
        const restored = lines
          .map(said)
          .flatMap(({ _tag, restorations }) => (_tag === "SouffleurRestored" ? [restorations] : []))
        assert.deepStrictEqual(restored, [1, 2, 3])
        const from = keep.lines.length
        const again = yield* the.run(["resume", watch])
        assert.strictEqual(again.code, 0, again.errors)
        yield* says(/(watches it already)/u, from)
        keep.kill("SIGTERM")
        yield* keep.ended
        yield* the.run(["release", watch])
      })
  )
})
