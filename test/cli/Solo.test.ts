import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { alive, prints, said, stage, task } from "./Stage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test, 30_000)

describe.concurrent("done", () => {
  live("from the agent's own session the watch is complete by its word; its process is left as it is", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)])
      const conductor = yield* the.conductor()
      const watch = the.watch(conductor)
      const { watch: id } = yield* prints(watch, "WatchSettled")
      // From another folder, as an agent is wherever it went; and a hook says it twice.
      for (const _ of [1, 2]) {
        const word = yield* the.run(["done", "--json", "--project-dir", the.home], { CLAUDE_CODE_SESSION_ID: the.session })
        assert.deepStrictEqual([word.code, word.lines.map((line) => JSON.parse(line))], [0, [{ watch: id, completed: true, by: "agent" }]])
      }
      assert.strictEqual((yield* watch.ended).code, 0)
      const { _tag, by } = said(watch.lines.at(-1)!)
      assert.deepStrictEqual([_tag, by], ["ConductorCompleted", "agent"])
      assert.isTrue(alive(conductor.pid))
      assert.strictEqual(the.row("souffleur")["state"], "complete")
      assert.match((yield* the.run(["why"])).lines.join("\n"), /the agent said so: "souffleur done"/)
    })
  )

  live("by hand it is the watch of the folder, and cancels a recovery: nothing is launched any more", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)], { SOUFFLEUR_STOP_GRACE: "20 seconds" })
      const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_IGNORE_TERM: "true" })
      const stubborn = the.spawned("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 0.1; done"], {
        CLAUDE_PID: String(conductor.pid),
        CLAUDE_CODE_SESSION_ID: the.session
      })
      const watch = the.watch(conductor)
      yield* prints(watch, "WatchSettled")
      conductor.kill("SIGKILL")
      yield* prints(watch, "StepStarted", ({ step }) => step === "1 stop")
      const word = yield* the.run(["done"])
      assert.strictEqual(word.code, 0, word.errors)
      assert.strictEqual((yield* watch.ended).code, 0)
      assert.deepInclude(said(watch.lines.at(-1)!), { _tag: "ConductorCompleted", by: "operator" })
      assert.deepStrictEqual(the.launched(), [])
      stubborn.kill("SIGKILL")
      const none = yield* the.run(["done", "nobody"])
      assert.deepStrictEqual([none.code, none.lines], [2, []])
    })
  )
})
