import { SessionNotFound } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ceilingFlag } from "../../src/kit/command/FlagMeanings.ts"
import { promptWords } from "../../src/kit/command/OnePrompt.ts"
import { commandBefore, hasBegun } from "../../src/kit/command/OwnLaunch.ts"

describe("behaviour#launch", () => {
  it("a prompt is on standard input, in a window the value of a flag, and an argument where it compacts", () => {
    const words = (prompt: string, compacts: boolean, window: boolean) =>
      promptWords({ compacts, prompt, window }, { flag: "--ask", headless: ["--quiet"] })
    assert.deepStrictEqual(words("--yolo", false, false), { args: ["--quiet"], input: "--yolo" })
    assert.deepStrictEqual(words("--yolo", false, true), { args: ["--ask=--yolo"], window: true })
    assert.deepStrictEqual(words("", false, true), { args: [], window: true })
    for (const window of [true, false])
      assert.deepStrictEqual(words("/compact", true, window), { args: ["-p", "/compact"] })
  })
})

describe("behaviour#first-launch", () => {
  it("the agent command of a launch is what comes before our words, where the launch is of that session", () => {
    const read = commandBefore("--mode", "--all")
    const argsOf = (sessionId: string, program: string, ...args: ReadonlyArray<string>) =>
      Option.map(read({ program, args }, sessionId), (command) => command.args)
    assert.deepStrictEqual(argsOf("s1", "agent", "-m", "x", "--all", "--session", "s1"), Option.some(["-m", "x"]))
    assert.isTrue(Option.isNone(argsOf("s2", "agent", "--mode", "--session", "s1")))
    assert.isTrue(Option.isNone(argsOf("s1", "agent", "--session", "s1")))
  })
})

describe("behaviour#permission-ceiling", () => {
  it("a word of the ceiling is a permission, and any other is refused", () => {
    const { read } = ceilingFlag({ acceptEdits: "some", bypassPermissions: "all" }, "must be some or all")
    assert.deepStrictEqual(["some", "all", "none"].map(read), [
      { requested: "acceptEdits" },
      { requested: "bypassPermissions" },
      "must be some or all"
    ])
  })
})

describe("behaviour#begin_again", () => {
  it.effect("a session has begun where its file is there, and a fresh one has not", () =>
    Effect.gen(function* () {
      const file = (sessionId: string) =>
        sessionId === "s1"
          ? Effect.succeed({ sessionId, path: "/s1" })
          : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: "none" }))
      assert.isTrue(yield* hasBegun({ _tag: "Resume", sessionId: "s1" }, file))
      assert.isFalse(yield* hasBegun({ _tag: "Resume", sessionId: "s2" }, file))
      assert.isFalse(yield* hasBegun({ _tag: "Fresh", sessionId: "s1" }, file))
    })
  )
})
