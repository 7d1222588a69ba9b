import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Agent } from "@souffleur/domain"
import { Effect, FileSystem, Layer, Option } from "effect"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"
import { claudeFolder, running } from "./support/ClaudeFolder.ts"
import { portOf } from "./support/ClaudePort.ts"

const since = Date.parse("2026-03-01T12:00:00Z")
const answer = (id: string, output: number, change: Readonly<Record<string, unknown>> = {}) =>
  `${JSON.stringify({
    type: "assistant",
    timestamp: "2026-03-01T12:00:01Z",
    message: {
      id,
      model: "claude",
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 90_000,
        output_tokens: output
      }
    },
    ...change
  })}\n`
it.layer(HostServices.layer)((it) => {
  describe("behaviour#ceilings-of-use", () => {
    it.effect("each answer counts once, in whole lines; another file is read from its beginning", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent, file } = yield* portOf("")
        const append = (text: string) => fs.writeFileString(file, text, { flag: "a" })
        // Two blocks of one answer: the last count is its own.
        yield* append(answer("a", 1) + answer("a", 20) + "no record\n" + answer("b", 5).slice(0, 40))
        assert.strictEqual((yield* agent.spent(["s"], since)).tokens, 35)
        assert.strictEqual((yield* agent.spent(["s"], since)).tokens, 35)
        yield* append(`${answer("b", 5).slice(40)}${answer("b", 7)}`)
        assert.strictEqual((yield* agent.spent(["s"], since)).tokens, 35 + 22)
        yield* append(
          answer("old", 900, { timestamp: "2026-03-01T11:00:00Z" }) + answer("error", 900, { isApiErrorMessage: true })
        )
        assert.strictEqual((yield* agent.spent(["s"], since)).tokens, 57)
        assert.strictEqual((yield* agent.spent(["s"], since + 60_000)).tokens, 0)
        yield* fs.remove(file)
        yield* append(answer("c", 1))
        assert.strictEqual((yield* agent.spent(["s"], since)).tokens, 16)
      })
    )
  })

  describe("claude-code#cost", () => {
    it.effect("the agent's own count of dollars is followed from a moment on, also where it begins again", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent, file } = yield* portOf("")
        const append = (text: string) => fs.writeFileString(file, text, { flag: "a" })
        const cost = (totalCostUSD: unknown) => `${JSON.stringify({ type: "cost-state", totalCostUSD })}\n`
        const dollars = Effect.map(agent.spent(["s"], since), (spent) => spent.dollars)
        yield* append(answer("old", 1, { timestamp: "2026-03-01T11:00:00Z" }) + cost(40))
        assert.strictEqual(yield* dollars, 0)
        yield* append(answer("a", 1) + cost(40.5))
        assert.strictEqual(yield* dollars, 0.5)
        yield* append(cost(40.75) + cost("90") + cost(-1) + cost(1e300))
        assert.strictEqual(yield* dollars, 0.75)
        yield* append(answer("b", 1) + cost(0.25))
        assert.strictEqual(yield* dollars, 1)
        assert.strictEqual((yield* agent.spent(["s"], since + 60_000)).dollars, 0)
      })
    )
    it.effect("a recorded session has cost what its agent said last", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const recorded = yield* fs.readFileString(new URL("./fixtures/session.jsonl", import.meta.url).pathname)
        assert.closeTo((yield* (yield* portOf(recorded)).agent.spent(["s"], 0)).dollars, 0.148448, 1e-9)
      })
    )
  })
})

it.layer(HostServices.layer)((it) => {
  describe("behaviour#subagents", () => {
    it.effect("what subagents did and used counts for their session, at any depth, and their turns for no cap", () =>
      Effect.gen(function* () {
        const result = JSON.stringify({
          type: "user",
          isSidechain: true,
          message: { content: [{ type: "tool_result", tool_use_id: "1", content: "written" }] }
        })
        const sidechain = { isSidechain: true }
        const agentDir = yield* claudeFolder({
          "projects/-p/s1.jsonl": answer("a", 5),
          "projects/-p/s1/subagents/agent-a1.jsonl": `${answer("b", 5, sidechain)}${result}\n`,
          "projects/-p/s1/subagents/agent-a1.meta.json": "{}",
          "projects/-p/s1/subagents/workflows/w1/agent-a2.jsonl": `${answer("c", 5, sidechain)}${result}\n`,
          "projects/-p/s2/subagents/agent-a3.jsonl": `${answer("d", 5, sidechain)}${result}\n`
        })
        const below = `${agentDir}/projects/-p/s1/subagents/workflows/w1/agent-a2.jsonl`
        yield* (yield* FileSystem.FileSystem).utimes(below, 3e9, 3e9)
        const agentCommand = { program: "claude", args: [] }
        const claude = claudeCode.layer({ agentDir, agentCommand, environment: {} })
        yield* Effect.gen(function* () {
          const agent = yield* Agent
          assert.strictEqual(yield* agent.toolResults(["s1"]), 2)
          assert.deepInclude(yield* agent.spent(["s1"], since), { tokens: 60, dollars: 0, turns: 1 })
          assert.strictEqual(Option.getOrThrow(yield* agent.signs("s1")).writtenAt, 3e12)
        }).pipe(Effect.provide(Layer.provide(claude, running())))
      })
    )
  })
})
