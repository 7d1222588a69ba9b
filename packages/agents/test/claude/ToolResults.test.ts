import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, type Scope } from "effect"
import { portOf } from "./support/ClaudePort.ts"

const use = (id: string, name: string) => ({
  type: "assistant",
  message: { content: [{ type: "tool_use", id, name, input: {} }] }
})
const result = (id: string, more: object = {}) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, content: "said", ...more }] }
})
const line = (record: object) => `${JSON.stringify(record)}\n`

const counting = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { agent, file } = yield* portOf("")
  const write = (text: string, flag: "a" | "w" = "a") => fs.writeFileString(file, text, { flag })
  return { file, write, count: agent.toolResults(["s", "s"]), any: agent.usedTools("s") }
})
const live = (what: string, test: Effect.Effect<void, unknown, HostServices.HostServices | Scope.Scope>) =>
  it.live(what, () => Effect.provide(Effect.scoped(test), HostServices.layer))

describe("behaviour#retries", () => {
  live(
    "results of tools count, but failures and results of reading tools do not",
    Effect.scoped(
      Effect.gen(function* () {
        const { count, write } = yield* counting
        yield* write(line(use("1", "Write")) + line(result("1")) + line(use("2", "Read")) + line(result("2")))
        yield* write(
          line(use("3", "Bash")) + line(result("3", { is_error: true })) + line(use("4", "Bash")) + line(result("4"))
        )
        yield* write('{"type":"user","message":{"content":"a \\"tool_result\\" in words"}}\nno json "tool_result"\n')
        yield* write(
          line({ type: "api-request-blob", message: { content: [{ type: "tool_result", tool_use_id: "9" }] } })
        )
        assert.strictEqual(yield* count, 2)
      })
    )
  )

  live(
    "souffleur's own tools do not count",
    Effect.scoped(
      Effect.gen(function* () {
        const { count, write } = yield* counting
        yield* write(
          line(use("1", "mcp__souffleur__heartbeat")) +
            line(result("1")) +
            line(use("2", "mcp__other__build")) +
            line(result("2"))
        )
        assert.strictEqual(yield* count, 1)
      })
    )
  )
})

describe("behaviour#verdicts-of-agents", () => {
  live(
    "an agent without any tool result differs from an agent that only read",
    Effect.scoped(
      Effect.gen(function* () {
        const { any, write } = yield* counting
        assert.isFalse(yield* any)
        yield* write('{"type":"assistant","message":{"content":"a \\"tool_result\\" in words"}}\n')
        yield* write(line(use("1", "Read")))
        assert.isFalse(yield* any)
        yield* write(line(result("1")))
        assert.isTrue(yield* any)
      })
    )
  )
  live(
    "an answer by a schema is no look at anything, and no progress",
    Effect.scoped(
      Effect.gen(function* () {
        const { any, count, write } = yield* counting
        yield* write(line(use("1", "StructuredOutput")) + line(result("1")))
        assert.isFalse(yield* any)
        assert.strictEqual(yield* count, 0)
        yield* write(
          line(use("2", "Bash")) + line(use("3", "StructuredOutput")) + line(result("2")) + line(result("3"))
        )
        assert.deepStrictEqual([yield* any, yield* count], [true, 1])
      })
    )
  )
})
