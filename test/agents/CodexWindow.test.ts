import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { alive, argumentsOf, treeOf } from "../claude/AgentProcesses.ts"
import { tmux, tmuxMissing } from "../claude/ClaudeStage.ts"
import { until } from "../claude/Lab.ts"
import { only, services } from "../claude/Watched.ts"
import { bundle } from "../cli/Built.ts"
import { agentLab, sessionIn, word } from "./AgentLab.ts"
import { isBack, rehearses } from "./ModelParts.ts"
import { realCodex } from "./RealCodex.ts"

const program = inject("codex")
const begin = `--yolo is a word here. The stage word is ${word}. Rehearse.`

describe("codex#in-a-terminal", () => {
  for (const signal of ["SIGKILL", "SIGSTOP"] as const)
    it.live.skipIf(program === null || tmuxMissing)(
      `an interactive Codex that gets ${signal} in a tool goes on in a window, in its own session, and waits after its turn`,
      () =>
        Effect.gen(function* () {
          const lab = yield* agentLab(realCodex, program!, rehearses)
          const stage = yield* tmux({ ...lab, claude: program!, souffleur: [process.execPath, bundle] } as never)
          yield* stage.souffleur(["run", "--", "codex", "-m", "test-model", "--", begin])
          yield* lab.tool
          const seen = (tag: string) =>
            until(
              tag,
              Effect.map(lab.log, (log) => log.some(({ _tag }) => _tag === tag))
            )
          yield* seen("WatchSettled")
          const confirmed = only(yield* lab.log, "ConductorConfirmed")
          const { pid } = confirmed["conductor"] as { readonly pid: number }
          assert.include(argumentsOf(pid), "--no-daemon")
          const sessionId = sessionIn(yield* lab.log, confirmed)
          const before = yield* treeOf(pid)
          assert.isAbove(before.length, 1)

          process.kill(pid, signal)
          yield* seen("HandoffTaken")
          for (const one of before) assert.isFalse(yield* alive(one), argumentsOf(one).join(" "))
          const log = yield* lab.log
          assert.strictEqual(only(log, "ConductorDied")["reason"], signal === "SIGSTOP" ? "hang" : "pid")
          const relaunched = only(log, "ConductorRelaunched")
          assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["resume", sessionId])
          assert.include((yield* lab.asked).find(isBack)?.known, word)

          const back = (relaunched["conductor"] as { readonly pid: number }).pid
          assert.include(argumentsOf(back).join(" "), "-s workspace-write -a never")
          assert.include(argumentsOf(back).join(" "), ` resume ${sessionId} -- `)
          yield* seen("ConductorIdle")
          yield* lab.said("release")
          yield* until(
            "the end of its turn",
            Effect.map(lab.said(), (said) => said.includes(`pid ${back}  idle  `))
          )
          assert.strictEqual(yield* lab.read("proof"), "checked\n")
        }).pipe(Effect.scoped, Effect.provide(services))
    )

  it.live.skipIf(program === null || tmuxMissing)(
    "an interactive Codex whose turn is over before the first look waits, and has completed once a person ends it",
    () =>
      Effect.gen(function* () {
        const lab = yield* agentLab(realCodex, program!, () => Effect.succeed({ text: "All is complete." }))
        const options = { ...lab.options, env: { ...lab.options.env, SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 hour" } }
        const stage = yield* tmux({ ...lab, options, claude: program!, souffleur: [process.execPath, bundle] } as never)
        const souffleur = yield* stage.souffleur(["run", "--", "codex", "-m", "test-model", "--", begin])
        yield* until(
          "the end of its turn",
          Effect.map(lab.said("status", "--json"), (said) => said.includes("has ended its turn"))
        )
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
        process.kill(pid, "SIGTERM")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        assert.strictEqual(only(yield* lab.log, "ConductorCompleted")["by"], "turn")
        assert.lengthOf(
          (yield* lab.asked).filter(({ said }) => said.includes(begin) && !said.includes("task title")),
          1
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
