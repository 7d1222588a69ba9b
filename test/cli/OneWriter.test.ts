import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, prints, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const command = ["--", "/bin/sh", "-c", "exit 0"]
const names = ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"]

/** Starts a program of that name in a folder of its own, as a shell there does. */
const living = (the: Effect.Success<ReturnType<typeof stage>>, name: string, folder: string) => {
  const program = join(the.home, name)
  fs.writeFileSync(program, `#!${process.execPath}\nsetTimeout(() => {}, 600_000)\n`, { mode: 0o755 })
  return the.spawned(program, [], { PWD: folder }, folder)
}

describe.concurrent("behaviour#one-writer", () => {
  live(
    "a new run is refused where an agent lives that nobody watches, whichever it is, and --force starts beside it",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        for (const name of names) {
          const folder = join(the.home, `of ${name}`)
          fs.mkdirSync(folder)
          const { pid } = living(the, name, folder)
          yield* until(
            Effect.sync(() => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")),
            (words) => words.includes(`/${name}\0`)
          )
          const dry = yield* the.ask(["run", "--dry-run", ...command], {}, folder)
          assert.strictEqual(dry.code, 2, name)
          for (const way of [`process ${pid} `, `souffleur watch --pid ${pid}`, `kill ${pid}`, "--force"])
            assert.include(dry.errors, way)
        }
        const folder = join(the.home, "of codex")
        const refused = yield* the.run(["run", ...command], {}, folder)
        assert.strictEqual(refused.code, 2, refused.errors)
        assert.strictEqual((yield* the.ask(["status", "--all", "--json"], {}, folder)).lines.join(""), "[]")
        assert.strictEqual((yield* the.run(["run", "--force", ...command], {}, folder)).code, 0)
        // Its neighbour's folder is another one, and so is a name among the words of another program.
        the.spawned("/bin/sh", ["-c", "sleep 600", "sh", "/x/codex"], { PWD: the.project })
        assert.strictEqual((yield* the.run(["run", ...command])).code, 0)
      })
  )

  live("an agent that was released lives on as nobody's; a stopped one is gone, and its folder takes a new run", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1, 600_000)])
      const words = ["--json", "--", process.execPath, bundle, "__stand-in", "-p", "Work. The stage word is gossamer."]
      const first = the.start(["run", ...words])
      const { watch } = yield* prints(first, "WatchSettled")
      const [pid] = the.launched()
      assert.strictEqual((yield* the.run(["release", String(watch)])).code, 0)
      yield* first.ended
      assert.isTrue(alive(pid!))
      const again = yield* the.run(["run", ...words])
      assert.deepStrictEqual([again.code, the.launched()], [2, [pid]], again.errors)
      assert.include(again.errors, `souffleur watch --pid ${pid} --session-id `)
      process.kill(pid!, "SIGKILL")
      yield* until(
        Effect.sync(() => alive(pid!)),
        (lives) => !lives
      )
      const second = the.start(["run", ...words])
      const next = yield* prints(second, "WatchSettled")
      assert.strictEqual((yield* the.run(["stop", String(next.watch)])).code, 0)
      yield* second.ended
      const third = the.start(["run", ...words])
      yield* prints(third, "WatchSettled")
      assert.lengthOf(the.launched().filter(alive), 1)
    })
  )
})
