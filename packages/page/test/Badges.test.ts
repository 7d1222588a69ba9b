import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect } from "effect"
import { examples as watchExamples } from "../../domain/test/fixtures/events/Examples.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { ask, began, enter, layerStage, makeStage, night } from "./PageStage.ts"
import { busyRun } from "./RunStage.ts"

describe("command-line#page", () => {
  it.live(
    "a held watch and a held run are held on every page, and no act of an agent that is gone is told as one",
    () =>
      Effect.gen(function* () {
        const { context, project, serve, tell, tellRun } = yield* makeStage()
        const { self } = yield* Effect.provideContext(Processes, context)
        const at = began + 14_400_000
        const owner = { ...watchExamples.OwnerTook.owner, process: self }
        yield* tell("opera-0001", [
          ...night(project).map((event) => (event._tag === "OwnerTook" ? { ...event, owner } : event)),
          { ...watchExamples.HoldStarted, at, byAgent: false }
        ])
        yield* tellRun("auth-0001", [
          ...busyRun(project),
          { ...examples.RunTaken, owner, at },
          { ...examples.RunHeld, at }
        ])
        const { cookie, list } = yield* enter(yield* serve)
        const parts = {
          "": 2,
          "watches/opera-0001": 1,
          "watches/opera-0001/conversation": 1,
          "watches/opera-0001/changes": 1,
          "watches/opera-0001?at=14": 2,
          "runs/auth-0001": 1,
          "runs/auth-0001/agents/a1": 1,
          "runs/auth-0001/tasks/task-001/changes": 1,
          "report?since=999d": 2
        }
        for (const [path, count] of Object.entries(parts)) {
          const { status, text } = yield* ask(`${list}${path}`, { headers: { cookie } })
          assert.strictEqual(status, 200, path)
          const words = [...text.matchAll(/class="badge" data-state="([^"]+)"/gu)].map(([, word]) => word)
          assert.deepStrictEqual(
            words,
            Array.from({ length: count }, () => "held"),
            path
          )
          assert.notInclude(text, "<dt>Doing</dt>", path)
        }
      }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
