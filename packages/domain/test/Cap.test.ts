import { assert, describe, it } from "@effect/vitest"
import { capsIn, usedUp, withRemainder } from "../src/index.ts"

const flags = { "--max-budget-usd": "dollars", "--max-turns": "turns" } as const
const command = (...args: ReadonlyArray<string>) => ({ program: "/bin/agent", args, environment: {} })
const spent = { tokens: 9, dollars: 0.3, turns: 4 }

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
  it("a cap is used up once its whole amount is", () => {
    const caps = capsIn(["--max-budget-usd", "0.3", "--max-turns", "5"], flags)
    assert.strictEqual(usedUp(caps, spent)?.kind, "dollars")
    assert.isUndefined(usedUp(caps, { ...spent, dollars: 0.29 }))
  })
})
