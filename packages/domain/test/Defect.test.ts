import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { defectOf, isMeant } from "../src/Defect.ts"
import { LogUnusable } from "@souffleur/eventlog"
import { Refused } from "@souffleur/eventlog"

describe("behaviour#defects", () => {
  it("a defect is told by its kind and its place, and never by what it says", () => {
    const secret = new SyntaxError(
      "Unexpected token 'the password is hunter2' is not valid JSON\n    at hunter2.ts:1:1"
    )
    assert.match(defectOf(Cause.die(secret)), /^SyntaxError at Defect\.test\.ts:\d+:\d+$/u)
    assert.strictEqual(defectOf(Cause.die("hunter2")), "string")
    const odd = Object.assign(new Error("x"), { name: "\u001B[2Jhunter2 ".repeat(99), stack: "no stack" })
    assert.match(defectOf(Cause.die(odd)), /^[\w.]{1,60}$/u)
  })

  it("a defect and an unusable log are no intended ends; a result, a signal and a refusal are", () => {
    const unusable = new LogUnusable({ reason: "full", problem: "" })
    const refused = new Refused({ reason: "ended", message: "" })
    const ends = [Exit.void, Exit.interrupt(1), Exit.fail(refused), Exit.die("x"), Exit.fail(unusable)]
    assert.deepStrictEqual(ends.map(isMeant), [true, true, true, false, false])
    assert.isFalse(isMeant(Effect.runSyncExit(Effect.die(new Error("x")).pipe(Effect.ensuring(Effect.interrupt)))))
  })
})
