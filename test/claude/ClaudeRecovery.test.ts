import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { recovered } from "./Recovered.ts"
import { headless } from "./ClaudeStage.ts"
import { services } from "./Watched.ts"

const claude = inject("claude")

describe("claude-code#signals", () => {
  it.live.skipIf(claude === null)(
    "an agent that is killed in the middle of a tool comes back with its conversation",
    () =>
      Effect.gen(function* () {
        const { argv } = yield* recovered(claude!, { stageOf: headless, harm: "SIGKILL" })
        assert.include(argv, "-p")
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("an agent that hangs is ended, with its tool, before its successor starts", () =>
    recovered(claude!, { stageOf: headless, harm: "SIGSTOP" }).pipe(Effect.scoped, Effect.provide(services))
  )
})
