import { assert, describe, it } from "@effect/vitest"
import { foldRun } from "@souffleur/plan"
import { FakeWorld, identityOf } from "@souffleur/testing"
import { Effect } from "effect"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { planStatus } from "../src/conducting/PlanStatus.ts"

const { AgentAsked, AgentLaunched, RunOpened, TaskStarted } = examples
const taskId = "task-001"

describe("behaviour#signs", () => {
  it.effect("the status of a run tells what its agent does, also where only the output of its launch tells it", () => {
    const world = new FakeWorld({ conductor: { pid: AgentLaunched.process.pid, sessionId: "s1" } })
    const run = foldRun([
      RunOpened,
      { ...TaskStarted, taskId },
      { ...AgentAsked, taskId },
      { ...AgentLaunched, process: identityOf(AgentLaunched.process.pid) }
    ])
    world.agent.turnIn = `/state/launches/${AgentLaunched.launchId}.out`
    world.agent.signs = (_, now) => ({
      writtenAt: now,
      context: undefined,
      turn: { _tag: "Tool", at: now - 8000, name: "Bash", limit: undefined, spawns: true }
    })
    return Effect.gen(function* () {
      const [agent] = (yield* planStatus({ id: "r", run })).agents
      assert.strictEqual(agent?.doing, "runs the tool Bash, for 8 s")
    }).pipe(Effect.provide(world.layer))
  })
})
