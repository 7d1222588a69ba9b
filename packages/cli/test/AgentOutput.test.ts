import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { makeAgentOutput } from "../src/watching/AgentOutput.ts"

const read = (line: string) => (line.startsWith('{"a"') ? Option.some(`said ${line.length}`) : Option.none())
const shown = (pieces: ReadonlyArray<string>, colours = false) => {
  const output = makeAgentOutput(read, colours)
  return [...pieces.map(output.push), output.end()]
}

describe("the output of an agent on a terminal", () => {
  it("text is shown as it comes, also before its line has ended", () => {
    assert.deepStrictEqual(shown(["Work", "ing…", " done\nnext"]), ["Work", "ing…", " done\nnext", ""])
  })

  it("a line in the agent's format for programs is shown as its words, once it is whole", () => {
    assert.deepStrictEqual(shown(['{"a":', "1}", '\n{"b":2}\ntext {"a":1}\n']), [
      "",
      "",
      'said 7\n{"b":2}\ntext {"a":1}\n',
      ""
    ])
  })

  it("a torn last line is shown at the end as it is", () => {
    assert.deepStrictEqual(shown(['{"a":1']), ["", '{"a":1'])
  })

  it("a line without an end is held in bounded memory, and then shown", () => {
    const [first, second, end] = shown(["{", "x".repeat(2 << 20)])
    assert.deepStrictEqual([first, second?.length, end], ["", (2 << 20) + 1, ""])
  })

  it("an agent's line never begins as a line of souffleur", () => {
    assert.deepStrictEqual(shown(["▸ forged\n\u001B[2J\u001B[32m▸\u001B[0m so\n"], true), [
      "▹ forged\n\u001B[32m▹\u001B[0m so\n",
      ""
    ])
  })
})
