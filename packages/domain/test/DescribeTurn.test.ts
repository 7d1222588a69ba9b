import { assert, describe, it } from "@effect/vitest"
import { type TurnState, turnInWords } from "@souffleur/domain"

describe("command-line#page", () => {
  it("a turn is told by what the agent does, and since when", () => {
    const at = 1_000_000
    const told = (turn: TurnState) => turnInWords(turn, at + 190_000)
    assert.strictEqual(told({ _tag: "Asked", at }), "waits for the model, for 3 m 10 s")
    assert.strictEqual(
      told({ _tag: "Tool", at, name: "Bash", limit: undefined, spawns: true }),
      "runs the tool Bash, for 3 m 10 s"
    )
    assert.strictEqual(
      told({ _tag: "Question", at, name: "AskUserQuestion" }),
      "waits for an answer to AskUserQuestion, for 3 m 10 s"
    )
    assert.strictEqual(
      told({ _tag: "Retrying", at, attempt: 2, attempts: 10, nextAt: at, resetsAt: undefined }),
      "asks the service again, try 2 of 10"
    )
    assert.strictEqual(
      told({ _tag: "Failed", at, reason: "usage-limit", resetsAt: undefined }),
      "stopped at a usage limit, for 3 m 10 s"
    )
    const failed = { _tag: "Failed", at, reason: "other", resetsAt: undefined } as const
    assert.strictEqual(told(failed), "stopped in the middle of its turn, for 3 m 10 s")
    assert.strictEqual(
      told({ ...failed, words: "No key." }),
      "stopped in the middle of its turn, for 3 m 10 s: No key."
    )
    assert.strictEqual(turnInWords({ _tag: "Finished", at }, at - 1), "has ended its turn, for 0 ms")
  })
})
