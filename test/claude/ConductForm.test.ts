import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless } from "./ClaudeStage.ts"
import { askedIn, assignmentOf, eventsIn, repository, write } from "./Conducted.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const plan = `workflow_id: opera
finish: none
tasks:
  - { id: overture, title: The overture, acceptance_criteria: it is written }
`
const answer = (input: object) => ({ tool: { name: "StructuredOutput", input: { ...input } } })
const review = { summary: "it is written", blocking: [], minor: [], suggestions: [] }

describe("behaviour#verdict-by-schema", () => {
  it.live.skipIf(claude === null)(
    "conduct: each verdict comes by the schema, also of a session that goes on; it is no look at the work",
    () =>
      Effect.gen(function* () {
        let reviews = 0
        const { lab } = yield* repository(claude!, { "plan.yaml": plan }, ({ known, toolResult }) =>
          Effect.sync(() => {
            const { role, task, word } = assignmentOf(known)
            if (role === "Implementation")
              return toolResult === undefined
                ? bash(write(task))
                : answer({
                    verdict: "IMPLEMENTATION_COMPLETE",
                    word,
                    commits: ["HEAD"],
                    files_changed: [],
                    test_file: "",
                    reason: ""
                  })
            // The second reviewer approves without a look.
            if (toolResult === undefined && (reviews += 1) !== 2) return bash("git log --oneline")
            return reviews === 1
              ? answer({ verdict: "REJECTED", word, ...review, summary: "too short", blocking: ["add a line"] })
              : answer({ verdict: "APPROVED", word, ...review, minor: ["a long name"] })
          })
        )
        const run = yield* (yield* headless(lab)).souffleur(["conduct", "plan.yaml", "--json"])
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        const events = eventsIn(yield* run.said)
        assert.deepStrictEqual(askedIn(events), [
          "overture implementer",
          "overture reviewer",
          "overture implementer again",
          "overture reviewer",
          "overture reviewer"
        ])
        const rejected = events.find(({ _tag }) => _tag === "ReviewRejected")
        assert.deepInclude(rejected?.["feedback"], { summary: "too short", issues: ["add a line"] })
        const failed = events.find(({ _tag }) => _tag === "ReviewFailed")
        assert.match(String(failed?.["message"]), /looked at nothing/u)
        const approved = events.find(({ _tag }) => _tag === "ReviewApproved")
        assert.deepInclude(approved, { summary: "it is written", minor: ["a long name"] })
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
