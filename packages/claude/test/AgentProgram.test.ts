import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { parseAgentCommand } from "../src/index.ts"

const why = (text: string) => Result.getOrThrow(Result.flip(parseAgentCommand(text))).why
const withArgs = (...args: ReadonlyArray<string>) => JSON.stringify(["claude", ...args])

it("reads a program, or an array of program and arguments", () => {
  const parsed = (text: string) => Result.getOrThrow(parseAgentCommand(text))
  assert.deepStrictEqual(parsed("claude"), { program: "claude", args: [] })
  assert.deepStrictEqual(parsed(" /opt/my tools/claude \n"), { program: "/opt/my tools/claude", args: [] })
  assert.deepStrictEqual(parsed('["node", "/x/agent.mjs", "--model", "opus", "--verbose", "--add-dir", "/y", "--mcp-config=z"]'), {
    program: "node",
    args: ["/x/agent.mjs", "--model", "opus", "--verbose", "--add-dir", "/y", "--mcp-config=z"]
  })
})

it("refuses what is no command", () => {
  for (const text of ["", "  ", "[]", '[""]', "[1]", "[", '["a", null]', '{"a":1}\n --x', "--model", '["-x"]']) why(text)
  assert.include(why("claude --model opus"), "JSON array")
  why('["claude\\u0000x"]')
})

it("refuses what could lift the permission ceiling, however it is written", () => {
  for (const flag of [
    "--permission-mode",
    "--permission-mode=bypassPermissions",
    "--PERMISSION-MODE",
    "--perm",
    "--dangerously-skip-permissions",
    "--dang",
    "--allow-dangerously-skip-permissions",
    "--allow",
    "--allowedTools",
    "--allowed-tools=Bash",
    "--settings",
    '--settings={"permissions":{"defaultMode":"bypassPermissions"}}',
    "--agents",
    "--plugin-dir",
    "--permission-prompt-tool",
    "exec claude --dangerously-skip-permissions",
    "--",
    "-p",
    "--print",
    "-r",
    "--resume=x",
    "--session-id",
    "-c",
    "--continue",
    "--fork-session",
    "--bg"
  ]) {
    why(withArgs(flag))
    why(withArgs("--model", "opus", flag, "x"))
  }
  why("claude --dangerously-skip-permissions")
  why("claude\t--permission-mode=plan")
})

it("repeats no argument: one may hold a key", () => {
  assert.notInclude(why(withArgs('--settings={"env":{"KEY":"secret"}}')), "secret")
})
