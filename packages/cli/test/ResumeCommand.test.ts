import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

describe("behaviour#one-owner", () => {
  it.layer(services)((it) => {
    it.effect("resume --moved is a person's word about one watch, which can be taken here after it", () =>
      Effect.gen(function* () {
        const { as, events, project, watch } = yield* place({ comms: false })
        yield* watch("w", watching({ project, comms: null }))
        const lastTag = Effect.map(events("w"), (all) => all.at(-1)?._tag)
        // The souffleur that would go on with it ends at once.
        const say = (session: string, ...args: ReadonlyArray<string>) =>
          Effect.match(cli(["resume", ...args, "--project-dir", project]), {
            onFailure: (ended) => ended.code,
            onSuccess: () => 0
          }).pipe(as(session, {}, ["/bin/true"]))
        assert.strictEqual(yield* say("", "w"), 1)
        assert.include((yield* TestConsole.logLines).join("\n"), '"souffleur resume w --moved" goes on here')
        assert.strictEqual(yield* say("s1", "w", "--moved"), 2)
        assert.strictEqual(yield* say("", "--all", "--moved"), 2)
        assert.strictEqual(yield* lastTag, "WatchSettled")
        assert.strictEqual(yield* say("", "w", "--moved"), 1)
        assert.include((yield* TestConsole.logLines).join("\n"), "ended before it watched")
        assert.strictEqual(yield* lastTag, "WatchMoved")
      })
    )
  })
})
