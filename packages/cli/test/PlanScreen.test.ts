import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Souffleur } from "@souffleur/embed"
import { utc } from "@souffleur/domain"
import { evolveRun, initialRun, type RunEvent } from "@souffleur/plan"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { makePlanScreen } from "../src/conducting/PlanScreen.ts"
import { screenStage } from "./ScreenStage.ts"

const { AgentAsked, AgentLaunched, RunOpened, TaskStarted } = examples
const history: ReadonlyArray<RunEvent> = [
  RunOpened,
  { ...TaskStarted, taskId: "task-001" },
  { ...AgentAsked, taskId: "task-001", role: "implementer" },
  AgentLaunched
]
const run = history.reduce(evolveRun, initialRun)
const erased = "\r\u001B[2K"

describe("command-line#plans", () => {
  it.effect("on a terminal one line says who is at work, makes way for what happens, and is gone at the end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(RunOpened.at)
      const { layer, said } = yield* screenStage({ terminal: true, columns: 60 })
      const [assignment] = run.assignments
      const agent = { assignment, age: 42_000, doing: "runs the tool Bash, for 8 s\n" }
      let agents = [agent]
      const souffleur = Layer.mock(Souffleur, {
        planStatus: (named) => Effect.sync(() => ({ ...named, agents }) as never)
      })
      yield* Effect.gen(function* () {
        const { tell } = yield* makePlanScreen({ id: "r", state: Effect.succeed(run) }, utc)
        yield* TestClock.adjust("500 millis")
        const line = `2> ${erased}1/1 task-001: implementer, 42 s: it runs the tool Bash, for…`
        assert.strictEqual(said(), line)
        yield* tell({ event: { ...TaskStarted, taskId: "task-001" }, position: 1, revision: 1, stream: "r" }, run)
        const told = said().slice(line.length)
        assert.strictEqual(told.replace(/\d\d:\d\d:\d\d /u, ""), `2> ${erased}1/1 task-001: Create the model\n`)
        yield* TestClock.adjust("600 millis")
        assert.isTrue(said().endsWith(line))
        agents = [agent, { ...agent, age: 1000 }]
        yield* TestClock.adjust("1 second")
        const both =
          "1/1 task-001: implementer, 42 s: it runs the tool Bash, for…\n1/1 task-001: implementer, 1 s: it runs the tool Bash, for …"
        assert.isTrue(said().endsWith(`2> ${erased}${both}`))
      }).pipe(Effect.scoped, Effect.provide(Layer.merge(layer, souffleur)))
      assert.isTrue(said().endsWith(`2> ${erased}\u001B[1A\u001B[2K`))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
