import type { Agent } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Option } from "effect"
import { makeCopilotReader } from "../../src/copilot/CopilotOutput.ts"
import { carrying, recorded as recordedBy, sessionOf } from "../Subjects.ts"

const id = "fin-1"
const recorded = (name: string) => recordedBy("copilot", name)

const copilotOf = (text: string, lives = false) => sessionOf(carrying.copilot, text, lives)
const turnOf = (agent: Agent["Service"]) =>
  Effect.map(agent.signs(id), (signs) => Option.getOrUndefined(signs)?.turn?._tag)
it.layer(HostServices.layer)((it) => {
  describe("copilot#records", () => {
    it.effect("a tool that was refused is told until a later tool or prompt, and a tool that failed is not", () =>
      Effect.gen(function* () {
        const refusedIn = (text: string) =>
          copilotOf(text).pipe(
            Effect.flatMap((agent) => agent.signs(id)),
            Effect.map((signs) => Option.getOrUndefined(signs)?.refused === true)
          )
        const refused = recorded("refused")
        const [, prompt = "", , , , , , result = ""] = refused.split("\n")
        const failed = result.replace('"code":"denied"', '"code":"failure"')
        // Without the context in use, the reading goes on behind the newest tool.
        const unmeasured = (text: string) =>
          text
            .split("\n")
            .filter((line) => !line.includes('"type":"session.usage_record"'))
            .join("\n")
        assert.deepStrictEqual(
          yield* Effect.forEach(
            [
              refused,
              refused.replace(result, failed),
              refused.replace(result, `${result}\n${failed}`),
              refused.replace(result, `${failed}\n${result}`),
              refused.replace(result, `${result}\n${prompt}`),
              unmeasured(refused),
              unmeasured(refused.replace(result, `${result}\n${failed}`))
            ],
            refusedIn
          ),
          [true, false, false, true, false, true, false]
        )
      })
    )
    it.effect("a subagent's words are not of the conversation", () =>
      Effect.gen(function* () {
        const own = recorded("finished")
        const theirs = own.replaceAll('"data":{', '"data":{"parentToolCallId":"t1",')
        assert.isUndefined(yield* turnOf(yield* copilotOf(theirs)))
        assert.strictEqual(yield* turnOf(yield* copilotOf(own)), "Finished")
        // They are work of the session all the same.
        const { spent, toolResults } = yield* copilotOf(theirs)
        const of = yield* copilotOf(own)
        assert.strictEqual(yield* toolResults([id]), yield* of.toolResults([id]))
        assert.strictEqual((yield* spent([id], 0)).tokens, (yield* of.spent([id], 0)).tokens)
      })
    )
  })
})

describe("behaviour#last-words", () => {
  it("the output of --output-format json shows each answer and a line for each tool, and other words stay", () => {
    const read = makeCopilotReader()
    const shown = (type: string, data: object) => read(JSON.stringify({ type, data }))
    assert.deepStrictEqual(shown("assistant.message", { content: "Done." }), Option.some("Done."))
    assert.deepStrictEqual(shown("session.error", { message: "429 limit" }), Option.some("429 limit"))
    assert.deepStrictEqual(
      shown("tool.execution_start", { toolName: "bash", arguments: { command: "ls\u001b[2J" } }),
      Option.some("· bash: ls\\u001b[2J")
    )
    assert.deepStrictEqual(shown("assistant.turn_end", {}), Option.some(""))
    assert.deepStrictEqual(read("All is complete."), Option.none())
    assert.deepStrictEqual(shown("other", {}), Option.none())
  })
})
