import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { services } from "../claude/Watched.ts"
import { conducted, wentOn } from "./AgentRoles.ts"
import { realCodex } from "./RealCodex.ts"
import { realOpenCode } from "./RealOpenCode.ts"

const [codex, opencode] = [inject("codex"), inject("opencode")]

describe("behaviour#agents-of-a-run", () => {
  it.live.skipIf(codex === null || opencode === null)(
    "OpenCode implements, and Codex reviews: it looks at the work, and can change nothing",
    () =>
      Effect.gen(function* () {
        const play = yield* conducted(
          { agent: realOpenCode, program: opencode!, name: "opencode" },
          { agent: realCodex, program: codex!, name: "codex" }
        )
        wentOn(play)
        assert.isFalse(yield* play.exists)
        assert.isTrue(
          play.asked.some(({ toolResult }) => toolResult?.includes("Read-only file system")),
          play.text
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
