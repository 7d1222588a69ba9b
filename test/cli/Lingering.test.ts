import { assert, describe } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { bundle, prints, said, stage, task } from "./CliStage.ts"
import { live } from "./Live.ts"

/** Without comms, which would say itself that the work is done, and with an agent that does not exit. */
const solo = Effect.gen(function* () {
  const the = yield* stage([task(1)], { SOUFFLEUR_STALL_AFTER: "3 seconds" })
  fs.rmSync(the.comms)
  const agent = join(the.home, "claude-that-lingers")
  const lingers = `#!/bin/sh\nexport SOUFFLEUR_STANDIN_LINGERS=true\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`
  fs.writeFileSync(agent, lingers, { mode: 0o755 })
  return {
    ...the,
    lingering: () => the.start(["run", "--json", "--", agent, "-p", "work"], { SOUFFLEUR_AGENT_COMMAND: agent })
  }
})

describe("behaviour#an-agent-that-does-not-exit", () => {
  live("its process is ended after its turn, and its end judged as if it had come by itself", () =>
    Effect.gen(function* () {
      const the = yield* solo
      const run = the.lingering()
      const { conductor } = yield* prints(run, "ConductorConfirmed")
      assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())
      const events = run.lines.map(said)
      assert.deepStrictEqual(
        events.flatMap(({ _tag }) => (/^(?:Ending|Conductor(?:Died|Relaunched|Completed))/u.test(_tag) ? [_tag] : [])),
        ["EndingStarted", "EndingOver", "ConductorCompleted"]
      )
      assert.throws(() => process.kill((conductor as { readonly pid: number }).pid, 0))
    })
  )

  live("it is not ended while a tool of its own runs in the background, however still that is", () =>
    Effect.gen(function* () {
      const the = yield* solo
      const run = the.lingering()
      const { conductor, sessionId } = yield* prints(run, "ConductorConfirmed")
      const { pid } = conductor as { readonly pid: number }
      const tags = { CLAUDE_PID: String(pid), CLAUDE_CODE_SESSION_ID: String(sessionId) }
      const tool = spawn("sleep", ["6"], { env: { ...process.env, HOME: the.home, ...tags }, stdio: "ignore" })
      const ended = Effect.andThen(
        Effect.promise(() => once(tool, "exit")),
        Clock.currentTimeMillis
      )
      const [end] = yield* Effect.all([ended, run.ended], { concurrency: 2 })
      const { at } = yield* prints(run, "EndingStarted")
      // The poll before its end was the last one that saw it.
      assert.isAtLeast(Date.parse(at) - end, 2000)
    })
  )
})
