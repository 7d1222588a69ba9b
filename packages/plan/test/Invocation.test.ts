import { assert, describe, it } from "@effect/vitest"
import { invocation } from "../src/index.ts"

describe("command-line#doctor", () => {
  it("the command that goes on with a run can be typed as it is, in its folder and in any other", () => {
    const run = { project: "/home/me/opera", plan: "/home/me/opera/plan.yaml" }
    assert.strictEqual(invocation(run, "/home/me/opera"), "souffleur conduct /home/me/opera/plan.yaml")
    assert.strictEqual(invocation(run), "souffleur conduct /home/me/opera/plan.yaml --project-dir /home/me/opera")
    const odd = { project: "/it's $(me)", plan: "/it's $(me)/my plan.yaml" }
    assert.strictEqual(
      invocation(odd, "/"),
      "souffleur conduct '/it'\\''s $(me)/my plan.yaml' --project-dir '/it'\\''s $(me)'"
    )
  })
})
