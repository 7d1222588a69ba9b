import { assert, describe, it } from "@effect/vitest"
import { wordSet } from "../../src/kit/command/WordSet.ts"
import { saidCall, saidResult } from "../../src/kit/said/SaidTools.ts"

const tools = { spawning: wordSet("shell"), editing: wordSet("write edit"), path: "file" }
const called = (name: string, said: unknown) => saidCall(tools, { id: "1", name, said })

describe("behaviour#verdicts", () => {
  it("a call says whether its tool starts a process, and which file it changes", () => {
    assert.deepInclude(called("shell", { file: "a.ts" }), { input: { file: "a.ts" }, spawns: true, edits: [] })
    assert.deepInclude(called("edit", { file: "a.ts" }), { spawns: false, edits: ["a.ts"] })
    assert.deepInclude(called("write", { file: 1 }), { edits: [] })
    assert.deepInclude(called("write", ["a.ts"]), { input: {}, edits: [] })
  })
})

describe("behaviour#retries", () => {
  it("a tool that did something is progress, unless it failed", () => {
    const tagsOf = (failed: boolean, did: boolean) =>
      saidResult({ id: "1", text: "", failed }, did).map(({ _tag }) => _tag)
    assert.deepStrictEqual(tagsOf(false, true), ["Result", "Progress"])
    assert.deepStrictEqual(tagsOf(true, true), ["Result"])
    assert.deepStrictEqual(tagsOf(false, false), ["Result"])
  })
})
