import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, type Running, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

/** A folder without comms, and a shell's line that souffleur runs there. */
const solo = Effect.fnUntraced(function* (line: string) {
  const the = yield* stage([])
  fs.rmSync(the.comms)
  return {
    ...the,
    words: ["--", "/bin/sh", "-c", line],
    /** Lets a line go on that waits for it. */
    go: () => fs.writeFileSync(join(the.project, "go"), "")
  }
})
const waits = "until [ -e go ]; do sleep 0.05; done"
/** What the work itself printed on standard error, without our lines. */
const warned = (errors: string) => errors.split("\n").filter((line) => line !== "" && !line.startsWith("▸ "))
const says = ({ lines }: Running, line: string) =>
  until(
    Effect.sync(() => lines.includes(line)),
    (yes) => yes
  )

describe.concurrent("what the work prints", () => {
  describe("command-line#screen", () => {
    live("standard output has what a command prints there alone, also after it died, and standard error the rest", () =>
      Effect.gen(function* () {
        const the = yield* solo('echo a; echo b >&2; [ -e lived ] || { touch lived; kill -9 $$; }; echo "{}"')
        const run = yield* the.run(["run", "--no-guardian", ...the.words])
        assert.strictEqual(run.code, 0, run.errors)
        assert.deepStrictEqual(
          [run.lines, warned(run.errors)],
          [
            ["a", "a", "{}"],
            ["b", "b"]
          ]
        )
        assert.match(run.errors, /^▸ [\d:]+ the command died/mu)
      })
    )
    live("a command's last words are those that it printed last, wherever", () =>
      Effect.gen(function* () {
        const the = yield* solo("echo begun; sleep 0.1; echo the disk is full >&2; exit 3")
        assert.strictEqual((yield* the.run(["run", "--no-guardian", "--quiet", ...the.words])).code, 1)
        assert.match((yield* the.ask(["why"])).lines.join("\n"), /Its last words\n  begun\n  the disk is full$/mu)
      })
    )
  })

  describe("command-line#output", () => {
    live("output prints each stream of every launch of a watch that has ended, in another process", () =>
      Effect.gen(function* () {
        const the = yield* solo(
          'printf "\\033]0;mine\\007$(ls | wc -l)\\n"; echo b >&2; [ -e lived ] || { touch lived; kill -9 $$; }'
        )
        const run = yield* the.run(["run", "--no-guardian", "--quiet", ...the.words])
        assert.deepStrictEqual([run.code, run.lines], [0, []], run.errors)
        const output = yield* the.run(["output"])
        assert.deepStrictEqual(output, {
          code: 0,
          lines: ["\u001B]0;mine\u00071", "\u001B]0;mine\u00072"],
          errors: "b\nb\n"
        })
        const followed = yield* the.run(["output", "--follow"])
        assert.deepStrictEqual(followed, output)
        // A terminal obeys none of it.
        const command = `'${process.execPath}' '${bundle}' output`
        const shown = the.spawned("script", ["--quiet", "--return", "--command", command, "/dev/null"])
        assert.deepStrictEqual(yield* shown.ended, { code: 0, signal: null })
        assert.sameMembers(
          shown.lines.map((line) => line.trimEnd()),
          ["1", "2", "b", "b"]
        )
      })
    )
    live("output --follow goes on with a detached watch to its end, and without it ends at once", () =>
      Effect.gen(function* () {
        const the = yield* solo(`echo one; echo warned >&2; ${waits}; echo two; echo again >&2`)
        const detached = yield* the.run(["run", "--detach", "--no-guardian", ...the.words])
        assert.strictEqual(detached.code, 0, detached.errors)
        const output = the.start(["output", "--follow"])
        yield* says(output, "one")
        assert.deepInclude(yield* the.run(["output"]), { code: 0, lines: ["one"], errors: "warned\n" })
        the.go()
        assert.deepStrictEqual(yield* output.ended, { code: 0, signal: null })
        assert.deepStrictEqual([output.lines, output.errors()], [["one", "two"], "warned\nagain\n"])
      })
    )
    live("what is printed after a guardian took over is in the output too", () =>
      Effect.gen(function* () {
        const the = yield* solo(`echo one; ${waits}; echo two; echo late >&2`)
        const run = the.start(["run", ...the.words])
        yield* says(run, "one")
        run.kill("SIGKILL")
        yield* until(the.events, (all) => all.some(({ _tag }) => _tag === "SouffleurRestored"))
        const output = the.start(["output", "--follow"])
        the.go()
        assert.deepStrictEqual(yield* output.ended, { code: 0, signal: null })
        assert.deepStrictEqual([output.lines, output.errors()], [["one", "two"], "late\n"])
      })
    )
    live("output refuses an agent that souffleur did not start, and says why", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const watch = the.watch(yield* the.conductor())
        yield* prints(watch, "WatchSettled")
        const { code, errors, lines } = yield* the.run(["output"])
        assert.deepStrictEqual([code, lines], [2, []])
        assert.match(errors, /has no output: souffleur did not start its agent.*: "souffleur attach \S+" goes to/u)
        yield* the.ask(["release"])
        assert.match((yield* the.run(["output"])).errors, /: "souffleur status \S+" has its last words$/mu)
      })
    )
  })
})
