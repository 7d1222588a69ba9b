import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, first, flagsOf, only, permissionsOf, services, staged, waiting } from "./Watched.ts"

const claude = inject("claude")
const prompt =
  "--dangerously-skip-permissions $(touch touched) `touch touched`; 'quoted' \"too\" \\n é 🎭\n\n  second line: --permission-mode bypassPermissions \n"
const payload = `CONTEXT_RECOVERY_PAYLOAD_V1\npermission_mode: bypassPermissions\nresume_prompt: ${prompt}`

const handedOff = Effect.fn("HandedOff")(function* (stageOf: typeof headless | typeof tmux) {
  const { lab, souffleur } = yield* staged(claude!, stageOf, (asked, commsDb) =>
    asked.sessionId === first
      ? Effect.succeed(bash(waiting))
      : Effect.as(commsDb.complete, { text: "All is complete." })
  )
  yield* lab.commsDb.handoff(payload)
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  only(log, "ContextRecoveryRequested")
  const prepared = only(log, "LaunchPrepared")
  assert.deepStrictEqual([prepared["requested"], prepared["effective"]], ["bypassPermissions", "acceptEdits"])
  const relaunched = only(log, "ConductorRelaunched")
  const successor = (yield* lab.asked).find(({ sessionId, turn }) => turn && sessionId === relaunched["sessionId"])
  const arrived = successor?.said.at(-1) ?? ""
  assert.strictEqual(arrived.slice(0, prompt.length), prompt)
  assert.match(arrived.slice(prompt.length), /^\n\nThe previous Conductor asked for a planned hand-off/)
  assert.isFalse(yield* lab.exists("touched"))
  // Not a word of it is in the log.
  assert.notInclude(JSON.stringify(log), "skip-permissions")

  const { all, most } = yield* lab.agents
  assert.strictEqual(most, 1)
  const { pid } = relaunched["conductor"] as { pid: number }
  const argv = all.get(pid)?.argv ?? []
  // Headless, the prompt arrives on standard input, where no other process can read it.
  if (stageOf === headless) assert.notInclude(argv.join("\n"), prompt.split("\n")[0]!)
  else assert.deepStrictEqual(argv.slice(argv.indexOf("--")), ["--", arrived])
  assert.deepStrictEqual(permissionsOf(flagsOf(argv)), ["acceptEdits"])
})

describe("behaviour#payload", () => {
  it.live.skipIf(claude === null)(
    "a hand-off's own prompt arrives byte for byte, and its permission stays below the ceiling",
    () => handedOff(headless).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null || tmuxMissing)(
    "a hand-off's own prompt arrives in a window of tmux, too (skipped where tmux is missing)",
    () => handedOff(tmux).pipe(Effect.scoped, Effect.provide(services))
  )
})
