import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

const help = (...args: ReadonlyArray<string>) => printed("/tmp", { HOME: "/tmp", PATH: "/usr/bin" }, ...args)
const groups = ["Begin:", "Look:", "Say a word:", "Set up:"]
const named = (lines: ReadonlyArray<string>, name: string) => lines.some((line) => line.startsWith(`  ${name} `))

describe("command-line#conventions", () => {
  it.layer(services)((it) => {
    it.effect("the help fits a screen, with the usual commands in groups, and says how to see all", () =>
      Effect.gen(function* () {
        const lines = yield* help("--help")
        assert.isAtMost(lines.length, 42)
        assert.deepStrictEqual(
          lines.filter((line) => groups.includes(line)),
          groups
        )
        for (const name of ["run", "status", "go", "setup"]) assert.isTrue(named(lines, name), name)
        for (const name of ["estimate", "hub"]) assert.isFalse(named(lines, name), name)
        assert.notInclude(lines, "GLOBAL FLAGS")
        assert.include(lines.at(-1), "souffleur --help --all")
        assert.deepStrictEqual(yield* help("help"), lines)
      })
    )

    it.effect("with --all it has each command and each flag, and the help of a command its global flags", () =>
      Effect.gen(function* () {
        const lines = yield* help("--help", "--all")
        for (const name of ["run", "estimate", "hub", "help"]) assert.isTrue(named(lines, name), name)
        assert.include(lines, "GLOBAL FLAGS")
        assert.deepStrictEqual(yield* help("help", "--all"), lines)
        const short = yield* help("why", "--help")
        assert.include(short, "FLAGS")
        assert.notInclude(short, "GLOBAL FLAGS")
        assert.include(yield* help("why", "--help", "--all"), "GLOBAL FLAGS")
      })
    )
  })
})
