import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless } from "./ClaudeStage.ts"
import { makeLab, type Part } from "./Lab.ts"
import { bash, begin, only, services } from "./Watched.ts"

const claude = inject("claude")

describe("behaviour#limits-of-a-job", () => {
  it.live.skipIf(claude === null)("an agent that works without end is ended at its tokens, with its watch", () =>
    Effect.gen(function* () {
      const part: Part = () => Effect.succeed(bash("date >> work; sleep 1"))
      const settings = { SOUFFLEUR_WATCHER_INITIAL_WAIT: "20 minutes" }
      const lab = yield* makeLab(claude!, "opera", part, { solo: true, settings })
      const stage = yield* headless(lab)
      const command = [claude!, "-p", "--allowedTools=Bash", "--", begin]
      const souffleur = yield* stage.souffleur(["run", "--json", "--max-tokens", "3000", "--", ...command])
      assert.strictEqual(yield* souffleur.exitCode, 1, yield* souffleur.said)
      const log = yield* lab.log
      assert.deepInclude(only(log, "CeilingReached"), { ceiling: "tokens", limit: 3000, then: "stop" })
      assert.deepInclude(only(log, "WatchStopped"), { limit: "tokens" })
      only(log, "LaunchPrepared")
      const { all } = yield* lab.agents
      for (const pid of all.keys()) assert.throws(() => process.kill(pid, 0))
      assert.deepStrictEqual(
        (yield* lab.notices).map(({ kind }) => kind),
        ["limit_reached"]
      )
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
