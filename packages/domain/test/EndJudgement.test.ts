import { assert, describe, it } from "@effect/vitest"
import { type EndSeen, judgeEnd } from "../src/index.ts"

const well = { _tag: "Exited", code: 0 } as const
const agent: EndSeen = {
  kind: "agent",
  turnEnded: true,
  end: undefined,
  leftRunning: 0,
  refused: false,
  successor: false,
  progressed: false,
  saidDone: false,
  before: undefined
}
const command: EndSeen = { ...agent, kind: "command", turnEnded: false, end: well }
const term = { _tag: "Killed", signal: "SIGTERM" } as const
const code = (code: number) => ({ _tag: "Exited", code }) as const

describe("behaviour#early-ends", () => {
  describe("given an agent that is gone", () => {
    it("when its turn is finished and it ended by itself, then its work is complete", () => {
      assert.strictEqual(judgeEnd(agent), "complete")
      assert.strictEqual(judgeEnd({ ...agent, end: well }), "complete")
    })
    it("when its turn is not finished, then it is a death, also with exit code 0 after a signal", () => {
      assert.isUndefined(judgeEnd({ ...agent, turnEnded: false }))
      assert.isUndefined(judgeEnd({ ...agent, turnEnded: false, end: well }))
    })
    it("when its turn is finished and a signal or a failure ended it, then its work goes on", () => {
      for (const end of [term, code(143), code(1)]) assert.strictEqual(judgeEnd({ ...agent, end }), "exit")
    })
    it("when its last tool was refused, then its work goes on", () => {
      assert.strictEqual(judgeEnd({ ...agent, end: well, refused: true }), "refused")
    })
    it("when it is a successor that did nothing but answer, then its work goes on", () => {
      const successor = { ...agent, successor: true }
      assert.strictEqual(judgeEnd(successor), "only-answered")
      assert.strictEqual(judgeEnd({ ...successor, progressed: true }), "complete")
    })
    it("when it left processes running, then its work goes on, and is complete the second time", () => {
      const left = { ...agent, leftRunning: 1 }
      assert.strictEqual(judgeEnd(left), "left-running")
      assert.strictEqual(judgeEnd({ ...left, before: "refused" }), "left-running")
      assert.strictEqual(judgeEnd({ ...left, before: "left-running" }), "complete")
    })
  })

  describe("given a command that is gone", () => {
    it("when its exit code is 0, then its work is complete, also after it was run again", () => {
      assert.strictEqual(judgeEnd(command), "complete")
      assert.strictEqual(judgeEnd({ ...command, successor: true }), "complete")
    })
    it("when a signal or another code ended it, or its end is not known, then it is a death", () => {
      for (const end of [term, code(3), undefined]) assert.isUndefined(judgeEnd({ ...command, end }))
    })
    it("when it left processes running, then its work is complete all the same", () => {
      assert.strictEqual(judgeEnd({ ...command, leftRunning: 2 }), "complete")
    })
  })
})

describe("behaviour#said-to-be-done", () => {
  describe("given an agent that is gone", () => {
    it("when it only answers, and the work was said to be done before it, then its work is complete", () => {
      const confirming = { ...agent, successor: true, saidDone: true }
      assert.strictEqual(judgeEnd(confirming), "complete")
      assert.strictEqual(judgeEnd({ ...confirming, end: term }), "exit")
      assert.strictEqual(judgeEnd({ ...confirming, refused: true }), "refused")
      assert.strictEqual(judgeEnd({ ...confirming, leftRunning: 1 }), "left-running")
    })
  })
})
