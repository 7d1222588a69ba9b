import { Agent, Processes } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { FakeAgent, FakeProcesses, identityOf } from "@souffleur/testing"
import { Effect, Layer } from "effect"
import { readAgentProcess } from "../src/AgentBehind.ts"

const launcher = { pid: 70, words: ["node", "/bin/scribe", "--resume", "s1"], processor: () => 5 }
const behind = { pid: 71, parent: 70, words: ["/bin/node", "--gc", "/x/scribe", "--resume", "s1"], processor: () => 30 }
const isScribe = (words: ReadonlyArray<string>) => words.slice(0, 3).some((word) => word.endsWith("scribe"))

const read = Effect.fnUntraced(function* (machine: FakeProcesses) {
  const agent = Agent.of({ ...(yield* new FakeAgent(new FakeProcesses()).service), isAgent: isScribe })
  return yield* readAgentProcess(identityOf(70)).pipe(
    Effect.provide([Layer.succeed(Agent, agent), Layer.succeed(Processes, machine.service)])
  )
}, Effect.provide(HostServices.layer))

describe("behaviour#signs", () => {
  it.effect("a launcher is stopped where the agent behind it is, and has used what that agent used", () =>
    Effect.gen(function* () {
      const machine = new FakeProcesses().run(launcher, behind)
      assert.deepStrictEqual(yield* read(machine), { condition: "running", processorTime: 35, pids: [70, 71] })
      machine.become(71, "stopped")
      assert.deepStrictEqual(yield* read(machine), { condition: "stopped", processorTime: 35, pids: [70, 71] })
      machine.end(70)
      assert.strictEqual((yield* read(machine)).condition, "gone")
    })
  )
  it.effect(
    "an agent with other arguments is in a tool, and so is an agent below a tool or below the agent itself",
    () =>
      Effect.gen(function* () {
        const other = { ...behind, words: ["/bin/node", "/x/scribe", "--resume", "s2"], condition: "stopped" as const }
        const alone = { condition: "running" as const, processorTime: 5, pids: [70] }
        assert.deepStrictEqual(yield* read(new FakeProcesses().run(launcher, other)), alone)
        const shell = { pid: 72, parent: 70, words: ["sh"] }
        const below = { ...behind, parent: 72, condition: "stopped" as const }
        assert.deepStrictEqual(yield* read(new FakeProcesses().run(launcher, shell, below)), alone)
        const itself = { ...launcher, words: ["/bin/scribe", "--resume", "s1"] }
        const same = { ...behind, words: itself.words, condition: "stopped" as const }
        assert.deepStrictEqual(yield* read(new FakeProcesses().run(itself, same)), alone)
      })
  )
})
