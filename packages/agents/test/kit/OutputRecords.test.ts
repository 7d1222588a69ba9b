import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { makeRecordReader, toolLine } from "../../src/kit/agent/OutputRecords.ts"

describe("behaviour#last-words", () => {
  it("a line of an output is shown where it is a record of the agent, and is text otherwise", () => {
    const read = makeRecordReader(({ said }) => (typeof said === "string" ? said : undefined))
    assert.deepStrictEqual(['{"said":"hello"}', '{"said":""}', '{"other":1}', "hello", "{torn"].map(read), [
      Option.some("hello"),
      Option.some(""),
      Option.none(),
      Option.none(),
      Option.none()
    ])
  })

  it("the line of a tool has its name and the first argument that is a text, cut for a person", () => {
    assert.strictEqual(toolLine("shell", undefined, "", "ls", "other"), "· shell: ls")
    assert.strictEqual(toolLine("shell", { command: "ls" }), "· shell")
    assert.isBelow(toolLine("n".repeat(99), "a".repeat(999)).length, 150)
  })
})
