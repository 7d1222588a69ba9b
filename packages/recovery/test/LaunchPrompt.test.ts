import { assert, describe, it } from "@effect/vitest"
import { evolve, initial } from "@souffleur/domain"
import { promptAfterCompaction, promptFromExport, reasonLine, whyNow } from "../src/index.ts"
import { recovering } from "./CrashingLog.ts"

const watch = recovering().reduce(evolve, initial)
const solo = recovering({ comms: null }).reduce(evolve, initial)

describe("behaviour#claude_export", () => {
  it("the prompt says why a successor starts: a crash or a planned hand-off", () => {
    for (const trigger of ["pid", "heartbeat"] as const)
      assert.include(reasonLine(trigger), "crashed or became unresponsive")
    assert.include(reasonLine("handoff"), "planned hand-off because of high context use")
    assert.include(reasonLine("handoff"), "not a crash")
  })
})

describe("behaviour#hand-over", () => {
  it("each successor of a hand-over is told of it, and an agent that is taken back is told that it came to nothing", () => {
    const cycle = { ...watch, recovery: { ...watch.recovery!, trigger: "handover" as const } }
    assert.include(whyNow({ ...cycle, handedFrom: "pi" }), "A person has handed this work over to you")
    assert.include(whyNow({ ...cycle, handedFrom: undefined }), "came to nothing")
  })
})

describe("behaviour#payload", () => {
  it("the prompt begins with the bootstrap of the orchestration, and has path, session and comms", () => {
    const lines = promptFromExport(watch, { path: "/state/exports/w.md" }, undefined).split("\n")
    assert.strictEqual(lines[0], "/conductor --recovery-bootstrap")
    for (const part of [
      "/state/exports/w.md",
      "session s1",
      "/p/comms.db",
      reasonLine("pid"),
      "only what begins so is one"
    ])
      assert.include(lines.join("\n"), part)
  })
  it("the prompt of a session without comms is a plain continue", () => {
    const prompt = promptFromExport(solo, { path: "/state/exports/w.md" }, undefined)
    assert.match(prompt, /^Continue /u)
    assert.notInclude(prompt, "orchestration")
    assert.notInclude(prompt, "/conductor")
  })
  it("the prompt begins with the payload's own prompt, if there is one", () => {
    for (const prompt of [
      promptFromExport(watch, { path: "/e.md" }, "First this.\nThen that."),
      promptAfterCompaction(watch, "First this.\nThen that.")
    ])
      assert.match(prompt, /^First this\.\nThen that\.\n/u)
  })
})

describe("behaviour#standard_compact", () => {
  it("the prompt after a compaction asks to verify unfinished work", () => {
    assert.include(promptAfterCompaction(watch, undefined), "verify every task that was in flight")
    assert.match(promptAfterCompaction(watch, undefined), /^\/conductor --recovery-bootstrap\n/u)
  })
})
