import { assert, describe, it } from "@effect/vitest"
import { capsIn, capsOf, capsOfVariables, formatCap, nothingSpent, usedUp, withRemainder } from "../src/index.ts"

const flags = {
  "--max-budget-usd": "dollars",
  "--max-turns": "turns",
  "--max-tool-calls": "calls",
  "--max-ai-credits": "credits",
  "--max-wall-time": "time"
} as const
const command = (...args: ReadonlyArray<string>) => ({ program: "/bin/agent", args, environment: {} })
const spent = { ...nothingSpent, dollars: 0.3, turns: 4, calls: 7, credits: 12, time: 90_500 }

describe("behaviour#caps-of-the-user", () => {
  it("the caps are those that the user wrote for the agent, in either form, and no word of a prompt", () => {
    const dollars = { kind: "dollars", flag: "--max-budget-usd", limit: 0.5 } as const
    const turns = { kind: "turns", flag: "--max-turns", limit: 12 } as const
    assert.deepStrictEqual(capsIn(["--max-budget-usd", "0.5", "--max-turns=12"], flags), [dollars, turns])
    // The last of two is the one that the agent takes.
    assert.deepStrictEqual(capsIn(["--max-turns", "3", "--max-turns", "12"], flags), [turns])
    for (const args of [[], ["--max-turns"], ["--max-turns", "many"], ["--max-turns=0"], ["--", "--max-turns", "3"]])
      assert.deepStrictEqual(capsIn(args, flags), [], args.join(" "))
  })
  it("a launch is given what is left, and never nothing", () => {
    const left = (...args: ReadonlyArray<string>) => withRemainder(command(...args), capsIn(args, flags), spent).args
    assert.deepStrictEqual(left("--max-budget-usd", "0.5", "-p"), ["--max-budget-usd", "0.2", "-p"])
    assert.deepStrictEqual(left("--max-turns=12", "--", "--max-turns=9"), ["--max-turns=8", "--", "--max-turns=9"])
    assert.deepStrictEqual(left("--max-turns", "3"), ["--max-turns", "1"])
    assert.deepStrictEqual(left("-p"), ["-p"])
  })
  it("a variable of the agent is a cap where no flag of its kind is, and a launch is given what is left", () => {
    const variables = { CLAUDE_CODE_MAX_TURNS: "turns" } as const
    const caps = capsOfVariables({ CLAUDE_CODE_MAX_TURNS: " 12 " }, variables, [])
    assert.deepStrictEqual(caps, [{ kind: "turns", flag: "CLAUDE_CODE_MAX_TURNS", limit: 12 }])
    const launch = { ...command("-p"), environment: { CLAUDE_CODE_MAX_TURNS: "12", PATH: "/bin" } }
    assert.deepStrictEqual(withRemainder(launch, caps, spent).environment, { CLAUDE_CODE_MAX_TURNS: "8", PATH: "/bin" })
    const byFlag = capsIn(["--max-turns", "3"], flags)
    assert.deepStrictEqual(capsOfVariables({ CLAUDE_CODE_MAX_TURNS: "12" }, variables, byFlag), [])
    for (const text of [undefined, "", "many", "0"])
      assert.deepStrictEqual(capsOfVariables({ CLAUDE_CODE_MAX_TURNS: text }, variables, []), [], text)
  })
  it("caps of the user's own process are given to an agent that takes them, where no flag of its launch has them", () => {
    const found = [
      { kind: "turns", flag: "--max-turns", limit: 12 },
      { kind: "turns", flag: "CLAUDE_CODE_MAX_TURNS", limit: 30 }
    ] as const
    const names = { flags, variables: { CLAUDE_CODE_MAX_TURNS: "turns" } } as const
    const own = [{ kind: "turns", flag: "--max-turns", limit: 20 }] as const
    const caps = capsOf({ caps: found }, { capNames: names, caps: own })
    const left = withRemainder(command("--resume", "s1", "--", "-p"), caps, spent)
    assert.deepStrictEqual(left.args, ["--resume", "s1", "--max-turns=8", "--", "-p"])
    assert.deepStrictEqual(left.environment, { CLAUDE_CODE_MAX_TURNS: "26" })
    // Another agent does not know them.
    assert.deepStrictEqual(capsOf({ caps: found }, { capNames: { flags: {} }, caps: [] }), [])
  })
  it("a time is a number of seconds, or has its unit", () => {
    const limitOf = (text: string) => capsIn(["--max-wall-time", text], flags)[0]?.limit
    for (const [text, limit] of [
      ["90", 90_000],
      ["1.5h", 5_400_000],
      ["30S", 30_000],
      ["5 m", 300_000]
    ] as const)
      assert.strictEqual(limitOf(text), limit, text)
    for (const text of ["soon", "5 d", "-1", ""]) assert.isUndefined(limitOf(text), text)
    const left = ["--max-wall-time=2m", "--max-tool-calls", "9"]
    assert.deepStrictEqual(withRemainder(command(...left), capsIn(left, flags), spent).args, [
      "--max-wall-time=29",
      "--max-tool-calls",
      "2"
    ])
  })
  it("a cap of which less is left than the agent takes is used up", () => {
    const credits = (limit: string) => usedUp(capsIn(["--max-ai-credits", limit], flags), spent)?.kind
    assert.strictEqual(credits("41"), "credits")
    assert.isUndefined(credits("42"))
    assert.strictEqual(usedUp(capsIn(["--max-wall-time", "91"], flags), spent)?.kind, "time")
  })
  it("a person reads a cap with its flag", () => {
    const said = (...args: ReadonlyArray<string>) => capsIn(args, flags).map(formatCap)
    assert.deepStrictEqual(said("--max-budget-usd", "0.5"), ["$0.50 (--max-budget-usd)"])
    assert.deepStrictEqual(said("--max-turns", "1200"), ["1,200 turns (--max-turns)"])
    assert.deepStrictEqual(said("--max-wall-time", "90m"), ["1 h 30 m (--max-wall-time)"])
  })
  it("a cap is used up once its whole amount is", () => {
    const caps = capsIn(["--max-budget-usd", "0.3", "--max-turns", "5"], flags)
    assert.strictEqual(usedUp(caps, spent)?.kind, "dollars")
    assert.isUndefined(usedUp(caps, { ...spent, dollars: 0.29 }))
  })
})
