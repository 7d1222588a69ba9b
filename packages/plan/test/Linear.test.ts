/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readState, readVerdict } from "../src/index.ts"
import { readPlan } from "../src/formats/ReadPlan.ts"

const readMarkdown = (text: string) =>
  readPlan("markdown", text, { file: "plan.md", folder: "plans", beside: new Map(), each: false })

/**
 * Texts that agents and people write, and that a pattern may look for again and again. Two of them take turns with line
 * ends.
 */
const repeated = [
  "*",
  "_",
  "`",
  "-",
  ".",
  ":",
  " ",
  "\t",
  "#",
  ">",
  "[",
  "]",
  '"',
  "1",
  "a",
  "\n",
  "\r",
  "é",
  "😀",
  "\0",
  "x\n",
  "- \n"
]
const megabyte = (text: string) => text.repeat(1_000_000 / text.length)
const named = (text: string) => JSON.stringify(text)

// A parser that takes quadratic time does not end here.
describe("a megabyte of one character is read in the time of a megabyte", () => {
  for (const text of repeated) {
    describe("behaviour#verdicts-of-agents", () => {
      it(`a verdict: ${named(text)}`, () => {
        const much = megabyte(text)
        for (const around of [
          `APPROVED\n${much}`,
          `APPROVED\nsummary: ${much}`,
          `APPROVED\nsummary: ${much}!`,
          `APPROVED\nsummary: good\n${much}!`,
          `REJECTED\nsummary: no\nissues:\n- ${much}!`,
          `${much}APPROVED`,
          `${much}!\n\nAPPROVED\nsummary: good`
        ])
          assert.isDefined(readVerdict("reviewer", around))
        const testFile = `IMPLEMENTATION_COMPLETE\ncommits: x\nfiles_changed: y\ntest_file: ${much}!`
        assert.isDefined(readVerdict("implementer", testFile))
      })
    })

    describe("security#a-plan-and-its-agents", () => {
      it(`a plan's text: ${named(text)}`, () => {
        const much = megabyte(text)
        for (const around of [much, `## ${much}!`, `## task-001${much}!`, `## a\n${much}\n## b\n${much}`])
          assert.isDefined(readMarkdown(around))
      })
    })
    it(`a state file: ${named(text)}`, () => {
      assert.isTrue(Result.isFailure(readState(megabyte(text))))
      assert.isTrue(Result.isFailure(readState(JSON.stringify({ workflow_id: megabyte(text) }))))
    })
  }
  it("a plan of nothing but headings", () => {
    for (const level of ["#", "######"]) assert.isDefined(readMarkdown(megabyte(`${level} a\nt\n`)))
  })
})
