import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Project } from "../src/commands/ProjectCommand.ts"
import { topWords, type TopWord } from "../src/top/TopWord.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

describe("command-line#top", () => {
  it.layer(services)((it) => {
    it.effect("a word of a key is its command, with that command's answer and its refusal", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        const say = (word: TopWord, id: string, variables: Readonly<Record<string, string>> = {}) =>
          topWords[word].say(id).pipe(Effect.provideService(Project, project), as("", variables))
        assert.deepStrictEqual(yield* say("hold", "w"), {
          text: 'w is held: it is watched on, and nothing is stopped or launched until "souffleur go"',
          tone: "green"
        })
        const retried = yield* say("retry", "w")
        assert.deepStrictEqual([retried.tone, retried.text.includes('until they say "go"')], ["red", true])
        assert.deepStrictEqual(yield* say("go", "w"), { text: "w goes on: watching", tone: "green" })
        assert.deepStrictEqual(
          (yield* events("w")).slice(-2).map(({ _tag }) => _tag),
          ["HoldStarted", "HoldEnded"]
        )
        const unknown = yield* say("stop", "x")
        assert.deepStrictEqual(unknown, {
          text: 'no watch is called "x", and none had such a session: "souffleur status --all" lists the watches, and "souffleur conduct status --all" the runs',
          tone: "red"
        })
        const byAgent = yield* say("release", "w", { CLAUDECODE: "1" })
        assert.deepStrictEqual([byAgent.tone, byAgent.text.includes("only a person")], ["red", true])
        assert.deepStrictEqual(yield* say("done", "w"), { text: "w is complete.", tone: "green" })
        assert.strictEqual((yield* events("w")).at(-1)?._tag, "ConductorCompleted")
      })
    )
  })
})
