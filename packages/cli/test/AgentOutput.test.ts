import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { byteString, makePipeOutput } from "@souffleur/process"
import { makeTerminalOutput } from "../src/watching/AgentOutput.ts"

const read = (line: string) => (line.startsWith('{"a"') ? Option.some(`said ${line.length}`) : Option.none())
const shown = (pieces: ReadonlyArray<string>, colours = false) => {
  const output = makeTerminalOutput(read, colours)
  return [...pieces.map(output.push), output.end()]
}

describe("command-line#screen", () => {
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

  describe("the output of an agent into a pipe", () => {
    const piped = (pieces: ReadonlyArray<Uint8Array>) => {
      const said = makePipeOutput((line) => (line === '{"say":"é"}' ? Option.some("é\u001B[31m") : Option.none()))
      const all = [...pieces.map((piece) => said.push(byteString.of(piece))), said.end()].join("")
      return Buffer.from(byteString.bytes(all))
    }

    it("each byte is as it was, also where it is no text, and a record that is read is its words", () => {
      const before = Buffer.from([0x80, 0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0d, 0x0a, 0x00, 0x7b, 0x0a])
      const record = Buffer.from('{"say":"é"}\n')
      const after = Buffer.from([0x7b, 0xe2, 0x96])
      const pieces = [before, record.subarray(0, 9), record.subarray(9), after]
      assert.deepStrictEqual(piped(pieces), Buffer.concat([before, Buffer.from("é\u001B[31m\n"), after]))
    })
  })
})
