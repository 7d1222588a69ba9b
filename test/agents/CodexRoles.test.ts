import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { services } from "../claude/Watched.ts"
import { conducted, wentOn } from "./AgentRoles.ts"
import { realCodex } from "./RealCodex.ts"
import { realPi } from "./RealPi.ts"

const [codex, pi] = [inject("codex"), inject("pi")]
/** pi has its model by its settings, since a launch in a role has no flags of it. */
const settledPi = {
  ...realPi,
  files: (url: string) => ({
    ...realPi.files(url),
    ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "test", defaultModel: "test-model" })
  })
}

describe("behaviour#agents-of-a-run", () => {
  it.live.skipIf(codex === null || pi === null)(
    "Codex implements in a session of its own choice, pi rejects the work, and Codex goes on in that session",
    () =>
      Effect.gen(function* () {
        const play = yield* conducted(
          { agent: realCodex, program: codex!, name: "codex" },
          { agent: settledPi, program: pi!, name: "pi" }
        )
        wentOn(play)
        assert.isTrue(
          play.asked.some(({ known }) => known.includes("one line is too few") && known.includes("It is done."))
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#verdict-by-schema", () => {
  it.live.skipIf(codex === null)("Codex implements and reviews by the schema of each role, also where it goes on", () =>
    Effect.gen(function* () {
      const inRole = { agent: realCodex, program: codex!, name: "codex" }
      const play = yield* conducted(inRole, inRole, { inForm: true })
      wentOn(play)
      const done = play.log.find(({ _tag }) => _tag === "ReviewApproved")
      assert.deepInclude(done, { summary: "it is written", minor: ["a long name"] }, play.text)
      assert.notInclude(
        play.log.map(({ _tag }) => _tag),
        "AgentNudged",
        play.text
      )
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#fallback", () => {
  it.live.skipIf(codex === null || pi === null)(
    "given a usage limit of Codex, pi implements in a session of its own, and goes on in that one",
    () =>
      Effect.gen(function* () {
        const play = yield* conducted(
          { agent: realCodex, program: codex!, name: "codex" },
          { agent: realCodex, program: codex!, name: "codex" },
          { fallback: { agent: settledPi, program: pi!, name: "pi" } }
        )
        const { log, status, text, work } = play
        assert.deepStrictEqual(
          log
            .filter(({ _tag }) => _tag === "AgentAsked")
            .map((event) => [event["role"], event["resumed"], event["agent"], event["standIn"]]),
          [
            ["implementer", false, "codex", undefined],
            ["implementer", false, "pi", "pi"],
            ["reviewer", false, "codex", undefined],
            ["implementer", true, undefined, "pi"],
            ["reviewer", false, "codex", undefined]
          ],
          text
        )
        const replaced = log.find(({ _tag }) => _tag === "AgentReplaced")
        assert.deepInclude(replaced, { kind: "usage-limit", agent: "codex", by: "pi" }, text)
        assert.strictEqual(work, "line\nline\n")
        assert.match(status, /overture {2}completed {2}The overture {2}\(unverified, implementer pi, the fallback, /u)
        assert.match(status, /the service refuses codex \(usage-limit\): pi is the implementer until /u)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
