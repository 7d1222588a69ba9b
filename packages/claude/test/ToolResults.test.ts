import type { TrustedFiles } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { makeToolResults } from "../src/session/ToolResults.ts"

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
  const file = `${yield* fs.makeTempDirectoryScoped()}/s1.jsonl`
  const write = (text: string, flag: "a" | "w" = "a") => fs.writeFileString(file, text, { flag })
  return { file, write, ...makeToolResults() }
})
const live = (what: string, test: Effect.Effect<void, unknown, FileSystem.FileSystem | TrustedFiles>) =>
  it.live(what, () => Effect.provide(test, HostServices.layer))

describe("behaviour#retries", () => {
  live(
    "results of tools count, but failures and results of reading tools do not",
    Effect.scoped(
      Effect.gen(function* () {
        const { count, file, write } = yield* counting
        yield* write(line(use("1", "Write")) + line(result("1")) + line(use("2", "Read")) + line(result("2")))
        yield* write(
          line(use("3", "Bash")) + line(result("3", { is_error: true })) + line(use("4", "Bash")) + line(result("4"))
        )
        yield* write('{"type":"user","message":{"content":"a \\"tool_result\\" in words"}}\nno json "tool_result"\n')
        yield* write(
          line({ type: "api-request-blob", message: { content: [{ type: "tool_result", tool_use_id: "9" }] } })
        )
        assert.strictEqual(yield* count([file, file]), 2)
        assert.strictEqual(yield* count([`${file}.not-there`]), 0)
      })
    )
  )

  live(
    "souffleur's own tools do not count",
    Effect.scoped(
      Effect.gen(function* () {
        const { count, file, write } = yield* counting
        yield* write(
          line(use("1", "mcp__souffleur__heartbeat")) +
            line(result("1")) +
            line(use("2", "mcp__other__build")) +
            line(result("2"))
        )
        assert.strictEqual(yield* count([file]), 1)
      })
    )
  )
  live(
    "new results count once, also of calls that were seen before",
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { count, file, write } = yield* counting
        const [whole, torn] = [line(use("1", "Read")) + line(result("0")), line(result("1")) + line(result("2"))]
        yield* write(whole + torn.slice(0, 20))
        assert.strictEqual(yield* count([file]), 1)
        yield* write(torn.slice(20, -1))
        // Of the look that was asked for before, nothing; of the torn line, nothing yet.
        assert.strictEqual(yield* count([file]), 1)
        yield* write("\n")
        assert.deepStrictEqual(yield* Effect.all([count([file]), count([file])], { concurrency: 2 }), [2, 2])
        yield* fs.chmod(file, 0o000)
        yield* fs.rename(file, `${file}.away`)
        assert.strictEqual(yield* count([file]), 2)
        // Another file under that name is counted from its beginning.
        yield* write(line(result("7")), "w")
        assert.strictEqual(yield* count([file]), 1)
      })
    )
  )
})

describe("behaviour#verdicts-of-agents", () => {
  live(
    "an agent without any tool result differs from an agent that only read",
    Effect.scoped(
      Effect.gen(function* () {
        const { any, file, write } = yield* counting
        assert.isFalse(yield* any(file))
        yield* write('{"type":"assistant","message":{"content":"a \\"tool_result\\" in words"}}\n')
        yield* write(line(use("1", "Read")))
        assert.isFalse(yield* any(file))
        yield* write(line(result("1")))
        assert.isTrue(yield* any(file))
      })
    )
  )
  live(
    "an answer by a schema is no look at anything, and no progress",
    Effect.scoped(
      Effect.gen(function* () {
        const { any, count, file, write } = yield* counting
        yield* write(line(use("1", "StructuredOutput")) + line(result("1")))
        assert.isFalse(yield* any(file))
        assert.strictEqual(yield* count([file]), 0)
        yield* write(
          line(use("2", "Bash")) + line(use("3", "StructuredOutput")) + line(result("2")) + line(result("3"))
        )
        assert.deepStrictEqual([yield* any(file), yield* count([file])], [true, 1])
      })
    )
  )
})
