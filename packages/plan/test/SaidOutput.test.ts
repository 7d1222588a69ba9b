import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { saidIn, unknownFlagIn } from "../src/agent/SaidOutput.ts"
import { readVerdict } from "../src/agent/Verdict.ts"

const text = (line: string) => (line.startsWith("{") ? Option.some(JSON.parse(line).text as string) : Option.none())
const record = (said: string) => JSON.stringify({ text: said })
const approved = "APPROVED mine\nsummary: good"

describe("behaviour#verdicts-of-agents", () => {
  it("an agent that prints records is heard by them alone: its program's own lines are no words of it", () => {
    const printed = `half of a record"}\n${record(approved)}\n${record("")}\n2026 ERROR it could not save\n`
    assert.deepInclude(readVerdict("reviewer", saidIn(printed, text)), { _tag: "Success" })
    assert.deepInclude(readVerdict("reviewer", printed), { _tag: "Failure" })
  })

  it("an agent that prints text is heard by all of it", () => {
    const printed = `${approved}\nand more\n`
    assert.strictEqual(
      saidIn(printed, () => Option.none()),
      printed
    )
  })
  it("two answers are two stretches: an earlier verdict does not contradict the last", () => {
    const printed = [record("REJECTED mine\nsummary: no"), record(approved)].join("\n")
    assert.deepInclude(readVerdict("reviewer", saidIn(printed, text)), { _tag: "Success" })
  })
})

describe("behaviour#verdict-by-schema", () => {
  it("a program that is older than a flag of its launch says so, in the words of its parser", () => {
    const said = (line: string) => unknownFlagIn(`a warning\n${line}\n\nUsage: agent [OPTIONS]\n`)
    assert.strictEqual(said("error: unknown option '--json-schema'"), "--json-schema")
    assert.strictEqual(said("error: unexpected argument '--output-schema' found"), "--output-schema")
    for (const other of ["error: unknown option 'x\u001B[2J'", "no error: unknown option '--a'", "it failed"])
      assert.isUndefined(said(other))
  })
})
