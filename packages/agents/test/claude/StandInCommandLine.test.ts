import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, argumentsOf } from "../../src/claude/standIn/StandInCommandLine.ts"

const one = "11111111-1111-4111-8111-111111111111"

it("arguments are those of a launch, and no other flag", () => {
  assert.deepStrictEqual(
    parse(["--resume", one, "--permission-mode", "acceptEdits", "-p", "--", "--dangerous is only text"]),
    Result.succeed({
      session: { _tag: "Resume" as const, id: one },
      print: true,
      prompt: "--dangerous is only text"
    })
  )
  assert.deepStrictEqual(
    parse(argumentsOf(one, "work")),
    Result.succeed({ session: { _tag: "Fresh" as const, id: one }, print: true, prompt: "work" })
  )
  assert.deepStrictEqual(parse(["hello"]), Result.succeed({ session: undefined, print: false, prompt: "hello" }))
  assert.deepStrictEqual(parse(["-p"]), Result.succeed({ session: undefined, print: true, prompt: undefined }))
  for (const wrong of [
    [],
    ["a", "b"],
    ["--yolo", "--", "a"],
    ["--permission-mode", "god", "--", "a"],
    ["--resume", "../x", "--", "a"]
  ]) {
    assert.isTrue(Result.isFailure(parse(wrong)), wrong.join(" "))
  }
})
