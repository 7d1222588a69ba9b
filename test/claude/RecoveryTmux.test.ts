import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { alive } from "./AgentProcesses.ts"
import { recovered } from "./Recovered.ts"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import { services } from "./Watched.ts"

const claude = inject("claude")

describe("behaviour#launch", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "an interactive agent comes back in a window of tmux (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const { argv, pid } = yield* recovered(claude!, { stageOf: tmux, harm: "SIGKILL" })
        assert.notInclude(argv, "-p")
        // It idles, for a person.
        assert.isTrue(yield* alive(pid))
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
