import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { makeLab, type Part } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, begin, only, services, told, watched } from "./Watched.ts"

const claude = inject("claude")

/** Uses the processor until the test writes the file `go`. */
const building =
  "bash -c 'echo $$ > tool.pid; while [ ! -e go ]; do for i in {1..2000}; do :; done; sleep 0.2; done'; echo built"
const hour = 3_600_000

/**
 * The heartbeat of an agent is too old while its tool builds. Returns for how long souffleur says that it leaves the
 * agent alone, ms. `env`: variables of the user's own settings file.
 */
const leftAlone = Effect.fn("LongTool.leftAlone")(function* (env: Readonly<Record<string, string>>) {
  let beat: Effect.Effect<unknown> = Effect.void
  const part: Part = ({ toolResult }, commsDb) =>
    toolResult === undefined
      ? Effect.as((beat = commsDb.beat), bash(building))
      : Effect.as(commsDb.complete, { text: "All is complete." })
  const settings = { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "15 seconds" }
  const lab = yield* makeLab(claude!, "opera", part, { settings })
  yield* lab.write(`${lab.home}/.claude/settings.json`, JSON.stringify({ env }))
  const { souffleur } = yield* watched(lab, yield* headless(lab), begin)
  yield* told(souffleur, "KillDeferred")
  // Between the end of the tool and the agent's next word nothing excuses the agent.
  yield* beat
  yield* lab.write("go", "")
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  only(log, "ConductorCompleted")
  assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
  assert.lengthOf([...(yield* lab.agents).all], 1)
  const { at, until: end } = only(log, "KillDeferred")
  return Number(end) - Date.parse(String(at))
})

describe("behaviour#verdicts", () => {
  it.live.skipIf(claude === null)(
    "a build that uses the processor has two hours, whatever the agent allows a tool",
    () =>
      Effect.gen(function* () {
        assert.approximately(yield* leftAlone({}), 2 * hour, hour / 60)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("claude-code#limits-of-tools", () => {
  it.live.skipIf(claude === null)("a build has as long as the user's own settings allow", () =>
    Effect.gen(function* () {
      assert.approximately(yield* leftAlone({ BASH_DEFAULT_TIMEOUT_MS: String(4 * hour) }), 4 * hour, hour / 60)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
