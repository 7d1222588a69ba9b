import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless } from "./ClaudeStage.ts"
import { approved, assignmentOf, complete, eventsIn, repository, write } from "./Conducted.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const plan = `workflow_id: opera
agents:
  implementer: { agent: claude, model: [test-first, test-next], effort: high }
  reviewer: { model: test-judge, effort: low }
  finisher: { model: test-last }
finish: { prompt: Take the bow. }
tasks:
  - { id: overture, title: The overture, acceptance_criteria: it is written }
`

describe("behaviour#agents-of-a-plan", () => {
  it.live.skipIf(claude === null)(
    "conduct: each role asks its own model, a session that goes on keeps its own, and the second rejection brings the next",
    () =>
      Effect.gen(function* () {
        let reviews = 0
        const { lab } = yield* repository(claude!, { "plan.yaml": plan }, ({ known, toolResult }) =>
          Effect.sync(() => {
            const { role, task, word } = assignmentOf(known)
            if (role === "") return { text: "It bows." }
            if (toolResult === undefined) return bash(role === "Implementation" ? write(task) : "git log --oneline")
            if (role === "Implementation") return { text: complete(word) }
            reviews += 1
            return { text: reviews < 3 ? `REJECTED ${word}\nsummary: too short\nissues:\n- more` : approved(word) }
          })
        )
        const run = yield* (yield* headless(lab)).souffleur(["conduct", "plan.yaml"])
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        const said = yield* run.said
        assert.include(said, " (test-first, then test-next; effort high), reviewer by ")
        assert.include(said, "by claude with test-next, effort high, the next model after test-first")
        const asked = (yield* lab.asked).filter(({ toolResult, turn }) => turn && toolResult === undefined)
        const judge = ["test-judge", "low"]
        assert.deepStrictEqual(
          asked.map(({ effort, model }) => (model === "test-last" ? [model] : [model, effort])),
          [["test-first", "high"], judge, ["test-first", "high"], judge, ["test-next", "high"], judge, ["test-last"]]
        )
        const log = eventsIn(yield* lab.said("conduct", "log", "--json"))
        assert.deepStrictEqual(
          log
            .filter(({ _tag, role }) => _tag === "AgentAsked" && role === "implementer")
            .map((event) => [event["resumed"], event["choice"], event["insteadOf"]]),
          [
            [false, { model: "test-first", effort: "high" }, undefined],
            [true, { model: "test-first", effort: "high" }, undefined],
            [false, { model: "test-next", effort: "high" }, "test-first"]
          ]
        )
        const status = yield* lab.said("conduct", "status")
        assert.include(status, "  implementer: claude (test-first, then test-next; effort high)\n")
        assert.include(status, "  reviewer: the configured agent (test-judge; effort low)\n")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
