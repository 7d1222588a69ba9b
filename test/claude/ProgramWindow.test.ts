import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { alive } from "./AgentProcesses.ts"
import { headless, tmuxMissing } from "./ClaudeStage.ts"
import { bash, checks, first, only, permissionsOf, rehearsal, services, staged } from "./Watched.ts"

const claude = inject("claude")
const words = "/conductor --recovery-bootstrap"

/**
 * Opens a window of a tmux of its own and names no process. The agent in it carries no launch: as in a terminal that ran
 * before, only its own files tell it.
 */
const program = [
  process.execPath,
  "-e",
  `const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
   const agent = [process.argv[1], "--resume", asked.session_id, "--permission-mode", asked.permission.effective, "--", asked.prompt]
   require("node:child_process").execFileSync("tmux", ["-S", asked.project + "/tmux", "-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "50",
     "-c", asked.project, "env", "-u", "SOUFFLEUR_LAUNCH_ID", ...agent], { stdio: "ignore" })
   console.log(JSON.stringify({ status: "success", relaunch_started: true, resumed_session_id: asked.session_id }))`,
  claude
]

describe("behaviour#recovery_command", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "a real agent that a program resumed in a window of its own is found by its own files, and takes the hand-off",
    () =>
      Effect.gen(function* () {
        const { conductor, lab, souffleur } = yield* staged(
          claude!,
          headless,
          (asked, commsDb) => {
            if (!asked.known.includes("Hand-off ")) return Effect.succeed(bash(rehearsal))
            const answer = checks(asked)
            return "tool" in answer ? Effect.succeed(answer) : Effect.as(commsDb.complete, answer)
          },
          "",
          { settings: { SOUFFLEUR_RECOVERY_COMMAND: JSON.stringify(program) } }
        )
        yield* lab.commsDb.handoff(`CONTEXT_RECOVERY_PAYLOAD_V1\nresume_prompt: ${words}`)
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        const relaunched = only(log, "ConductorRelaunched")
        assert.deepInclude(relaunched, {
          provider: "recovery_command",
          sessionId: first,
          awaiting: false,
          print: false
        })
        only(log, "HandoffTaken")
        assert.isFalse(yield* alive(conductor))
        const { all, most } = yield* lab.agents
        assert.strictEqual(most, 1)
        const { pid } = relaunched["conductor"] as { readonly pid: number }
        const seen = all.get(pid)
        assert.deepStrictEqual(permissionsOf(seen?.argv ?? []), ["acceptEdits"])
        assert.isFalse(seen?.environment.some((variable) => variable.startsWith("SOUFFLEUR_LAUNCH_ID=")))
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
