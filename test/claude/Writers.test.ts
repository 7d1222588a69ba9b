import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { alive } from "./AgentProcesses.ts"
import { until } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, first, only, rehearsal, services, staged, told } from "./Watched.ts"

const claude = inject("claude")
const byHand = "I do it by hand."

describe("claude-code#sessions", () => {
  it.live.skipIf(claude === null)(
    "a session that was resumed by hand is kept: nothing is launched beside it, and it may be adopted",
    () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const over = yield* Deferred.make<void>()
        const { conductor, lab, souffleur } = yield* staged(
          claude!,
          headless,
          ({ said }) =>
            said.includes(byHand)
              ? Effect.as(Deferred.await(over), { text: "Done by hand." })
              : Effect.succeed(bash(rehearsal)),
          "",
          { solo: true }
        )
        const line = ["-p", "--resume", first, "--permission-mode", "acceptEdits", "--", byHand]
        const other = yield* spawner.spawn(ChildProcess.make(claude!, line, lab.options))
        yield* until(
          "another process in the session",
          Effect.map(lab.asked, (asked) => asked.some(({ said }) => said.includes(byHand)))
        )
        process.kill(conductor, "SIGKILL")
        yield* told(souffleur, "RecoveryFailedClosed")
        const closed = only(yield* lab.log, "RecoveryFailedClosed")
        assert.include(String(closed["message"]), `process ${other.pid} holds the session`)
        assert.include(yield* lab.said("why"), `process ${other.pid} holds the session`)
        assert.isTrue(yield* alive(Number(other.pid)))
        assert.isUndefined((yield* lab.log).find(({ _tag }) => _tag === "LaunchPrepared"))

        yield* lab.said("adopt", "--pid", String(other.pid), "--session-id", first)
        yield* told(souffleur, "ConductorAdopted")
        yield* Deferred.succeed(over, undefined)
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorRelaunched"))
        assert.deepStrictEqual(
          (yield* lab.notices).map(({ kind }) => kind),
          ["died", "failed_closed", "cleared", "unconfirmed"]
        )
        assert.strictEqual((yield* lab.agents).all.size, 2)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
