import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeStreamJsonReader } from "../../src/kit/agent/StreamJson.ts"
import { services } from "./support/ClaudeFolder.ts"
import { portOf } from "./support/ClaudePort.ts"

const session_id = "5570b290-0000-4000-8000-000000000000"
const record = (fields: object) => JSON.stringify({ session_id, ...fields })
const assistant = (content: ReadonlyArray<object>, more: object = {}) =>
  record({ type: "assistant", message: { role: "assistant", model: "claude-opus-5-5", content }, ...more })
const text = (said: string) => ({ type: "text", text: said })
const tool = (name: string, input: object) => ({ type: "tool_use", id: "t", name, input })
const result = (said: string, is_error = false) =>
  record({ type: "result", subtype: "success", is_error, result: said })

describe("behaviour#last-words", () => {
  describe("an output in the format of stream-json", () => {
    const read = (lines: ReadonlyArray<string>) => lines.map(makeStreamJsonReader())

    it("shows the text of the assistant and a line for each tool, and nothing twice", () => {
      const shown = read([
        record({ type: "system", subtype: "init", tools: ["Bash"] }),
        assistant([
          { type: "thinking", thinking: "secret" },
          text("I look."),
          tool("Bash", { timeout: 1, command: "npm test" })
        ]),
        record({ type: "user", message: { role: "user", content: [{ type: "tool_result", content: "ok" }] } }),
        assistant([text("All done.")]),
        result("All done.")
      ])
      assert.deepStrictEqual(shown, ["", "I look.\n· Bash: npm test", "", "All done.", ""].map(Option.some))
    })

    it("a tool is one short line, whatever its input", () => {
      const [shown] = read([
        assistant([
          tool("Bash", { command: `a\nb\u001B[2J${"x".repeat(200)}` }),
          tool("Edit", { new_string: "much", file_path: "/a.ts" }),
          tool("Other", { count: 1 }),
          tool("Mine", { word: "said" }),
          { ...tool("", {}), name: { toString: 1 } }
        ])
      ])
      const lines = Option.getOrThrow(shown!).split("\n")
      assert.strictEqual(lines[0], `· Bash: a\\u000ab\\u001b[2J${"x".repeat(93)}…`)
      assert.deepStrictEqual(lines.slice(1), ["· Edit: /a.ts", "· Other", "· Mine: said", "· "])
    })

    it("a subagent's words are not shown, and an error of the service is", () => {
      const shown = read([
        assistant([text("from below")], { parent_tool_use_id: "toolu_1" }),
        assistant([text("hello")]),
        result("the limit is reached", true)
      ])
      assert.deepStrictEqual(shown, ["", "hello", "the limit is reached"].map(Option.some))
    })

    it("an answer by a schema is shown as it is", () => {
      const shown = read([
        assistant([tool("StructuredOutput", { verdict: "APPROVED" })]),
        record({ type: "result", result: "{}", structured_output: { verdict: "APPROVED" } })
      ])
      assert.deepStrictEqual(shown, ["· StructuredOutput: APPROVED", '{"verdict":"APPROVED"}'].map(Option.some))
    })

    it("a result without an answer before it is shown, as the format json has it", () => {
      assert.deepStrictEqual(read([result("All done.")]), [Option.some("All done.")])
    })

    it("a line that is no such record is text", () => {
      const other = [
        '{"type":"assistant"}',
        '{"type":"other","session_id":"s"}',
        '{"type":{"toString":1},"session_id":"s"}'
      ]
      for (const line of ["Hello", "", "{", "[1]", ...other]) assert.deepStrictEqual(read([line]), [Option.none()])
    })
  })

  it.layer(services)((it) => {
    const answerIn = Effect.fnUntraced(function* (lines: ReadonlyArray<object>) {
      const all = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
      return yield* (yield* portOf(`${all}{"torn`)).agent.lastAnswer("s")
    })
    const said = (content: ReadonlyArray<object>, more: object = {}) => ({
      type: "assistant",
      message: { role: "assistant", model: "claude-opus-5-5", content },
      ...more
    })

    it.effect("the last answer is the newest text of the model in the main conversation", () =>
      Effect.gen(function* () {
        const answer = yield* answerIn([
          said([text("first")]),
          said([text("second"), text("part")]),
          said([tool("Bash", { command: "ls" })]),
          said([text("a subagent's")], { isSidechain: true }),
          said([text("API Error")], { isApiErrorMessage: true }),
          { type: "user", message: { role: "user", content: "Go on." } }
        ])
        assert.strictEqual(answer, "second\npart")
        assert.strictEqual(yield* answerIn([]), "")
      })
    )
  })
})
