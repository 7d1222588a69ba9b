/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, prints, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const page = fs.readFileSync(join(import.meta.dirname, "../../docs/providers.md"), "utf8")
/** The program of docs/providers.md. */
const example = /```js\n([^]*?)```/u.exec(page)![1]!
const well = { code: 0, signal: null }

/** A stage with the example as its program, a kitty that is the agent in it at once, and an agent in `PATH`. */
const staged = Effect.fnUntraced(function* (tasks: ReadonlyArray<ReturnType<typeof task>>) {
  const the = yield* stage(tasks)
  const program = (name: string, text: string) => {
    fs.mkdirSync(join(the.home, "bin"), { recursive: true })
    fs.writeFileSync(join(the.home, "bin", name), text, { mode: 0o755 })
    return join(the.home, "bin", name)
  }
  program("node", `#!/bin/sh\nexec ${process.execPath} "$@"\n`)
  program("claude", `#!/bin/sh\nexec ${process.execPath} ${bundle} __stand-in "$@"\n`)
  program("kitty", '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
  return {
    ...the,
    program,
    variables: { PATH: `${join(the.home, "bin")}:${the.environment["PATH"]}` },
    asksForFreshContext: () =>
      the.commsDb((db) =>
        db.exec("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'")
      )
  }
})

describe.concurrent("behaviour#recovery_command", () => {
  live("the example of docs/providers.md brings an agent back by itself, which goes on to the end of the plan", () =>
    Effect.gen(function* () {
      const the = yield* staged([task(1, 50), task(2)])
      const conductor = yield* the.conductor(2)
      const own = { ...the.variables, SOUFFLEUR_RECOVERY_COMMAND: the.program("lethe", example) }
      const watch = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], own)
      yield* prints(watch, "WatchSettled")
      the.asksForFreshContext()
      const relaunch = yield* prints(watch, "ConductorRelaunched")
      assert.deepInclude(relaunch, { provider: "recovery_command", sessionId: the.session, awaiting: false })
      const { pid } = relaunch["conductor"] as { readonly pid: number }
      assert.isFalse(alive(conductor.pid))
      yield* prints(watch, "HandoffTaken")
      // The agent in a window idles at the end, and says in comms that the plan is complete.
      yield* prints(watch, "ConductorCompleted")
      assert.deepStrictEqual(yield* watch.ended, well)
      assert.isTrue(fs.existsSync(join(the.project, "scene-2.txt")))
      assert.notStrictEqual(pid, conductor.pid)
      // souffleur itself has launched nothing.
      assert.deepStrictEqual(the.launched(), [])
      assert.deepStrictEqual(the.row("souffleur")["state"], "complete")
      assert.include(
        the
          .messages()
          .map(({ message }) => message)
          .join("\n"),
        `The recovery program launched a successor (S2, pid ${pid}, session ${the.session})`
      )
      const why = yield* the.ask(["why", relaunch.watch, String(relaunch.revision)])
      assert.match(
        why.lines.join("\n").replaceAll(/\s+/gu, " "),
        /recovery_command is the first provider that could launch/u
      )
    })
  )

  live("the example leaves a crash to the other providers", () =>
    Effect.gen(function* () {
      const the = yield* staged([task(1)])
      const conductor = yield* the.conductor()
      const own = { ...the.variables, SOUFFLEUR_RECOVERY_COMMAND: the.program("lethe", example) }
      const watch = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], own)
      yield* prints(watch, "WatchSettled")
      conductor.kill("SIGKILL")
      const { message, to } = yield* prints(watch, "RecoveryEscalated")
      assert.deepStrictEqual(
        [message, to],
        ["it does not apply here: only a planned hand-off is for this program", "claude_export"]
      )
      assert.deepStrictEqual(yield* watch.ended, well)
      assert.lengthOf(the.launched(), 1)
    })
  )

  live("a program outlives the souffleur that asked it, and the next souffleur finds the agent that it launched", () =>
    Effect.gen(function* () {
      const the = yield* staged([task(1)])
      const conductor = yield* the.conductor()
      // It waits in the middle of its work, before it launches.
      const [asked, go] = [join(the.home, "asked"), join(the.home, "go")]
      const slow = example.replace(
        'if (trigger === "handoff") {',
        `const fs = await import("node:fs")
fs.appendFileSync("${asked}", "x")
while (!fs.existsSync("${go}")) await new Promise((resolve) => setTimeout(resolve, 20))
if (trigger === "handoff") {`
      )
      const own = { ...the.variables, SOUFFLEUR_RECOVERY_COMMAND: the.program("lethe", slow) }
      const words = ["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session]
      const first = the.start(words, own)
      yield* prints(first, "WatchSettled")
      the.asksForFreshContext()
      yield* until(
        Effect.sync(() => fs.existsSync(asked)),
        (yes) => yes
      )
      first.kill("SIGKILL")
      yield* first.ended
      // A souffleur that is started again needs no word of the program, and asks nobody.
      const second = the.start(["resume"], the.variables)
      const told = (tag: string) => until(the.events, (all) => all.filter(({ _tag }) => _tag === tag).length > 0)
      yield* until(the.events, (all) => all.filter(({ _tag }) => _tag === "OwnerTook").length === 2)
      fs.writeFileSync(go, "")
      const relaunch = (yield* told("ConductorRelaunched")).find(({ _tag }) => _tag === "ConductorRelaunched")
      assert.deepInclude(relaunch, { provider: "recovery_command", sessionId: the.session })
      yield* told("ConductorCompleted")
      // It has gone on apart from the word that resumed it.
      assert.deepStrictEqual(yield* second.ended, well)
      assert.strictEqual(fs.readFileSync(asked, "utf8"), "x")
      assert.deepStrictEqual(the.launched(), [])
    })
  )
})
