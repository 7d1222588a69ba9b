import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Effect, Layer } from "effect"
import { Agent } from "@souffleur/domain"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"
import { running, services } from "./support/ClaudeFolder.ts"

const { parseCommand: parseAgentCommand } = claudeCode

const why = (text: string) => Result.getOrThrow(Result.flip(parseAgentCommand(text))).problem
const withArgs = (...args: ReadonlyArray<string>) => JSON.stringify(["claude", ...args])

describe("settings#agent-command", () => {
  it("an agent command is a program, or an array of program and arguments", () => {
    const parsed = (text: string) => Result.getOrThrow(parseAgentCommand(text))
    assert.deepStrictEqual(parsed("claude"), { program: "claude", args: [] })
    assert.deepStrictEqual(parsed(" /opt/my tools/claude \n"), { program: "/opt/my tools/claude", args: [] })
    assert.deepStrictEqual(
      parsed('["node", "/x/agent.mjs", "--model", "opus", "--verbose", "--add-dir", "/y", "--mcp-config=z"]'),
      {
        program: "node",
        args: ["/x/agent.mjs", "--model", "opus", "--verbose", "--add-dir", "/y", "--mcp-config=z"]
      }
    )
  })

  it.effect("an agent has the name of the program that its command runs, and of no argument", () =>
    Effect.gen(function* () {
      const named = (text: string) =>
        Agent.use(({ name }) => Effect.succeed(name)).pipe(
          Effect.provide(
            claudeCode.layer({
              agentDir: "/nowhere",
              agentCommand: Result.getOrThrow(parseAgentCommand(text)),
              environment: {}
            })
          ),
          Effect.provide(Layer.mergeAll(running(), services))
        )
      assert.strictEqual(yield* named("claude"), "claude")
      assert.strictEqual(yield* named("/opt/my agent"), "my agent")
      assert.strictEqual(
        yield* named(
          '["env", "KEY=secret", "nice", "-n", "5", "node", "--no-warnings", "/x/agent.mjs", "--model", "opus"]'
        ),
        "agent.mjs"
      )
    })
  )

  it("an agent command that is no command is refused", () => {
    for (const text of ["", "  ", "[]", '[""]', "[1]", "[", '["a", null]', '{"a":1}\n --x', "--model", '["-x"]'])
      why(text)
    assert.include(why("claude --model opus"), "JSON array")
    why('["claude\\u0000x"]')
  })

  it("another program may stand for the agent, behind a wrapper or a runtime", () => {
    for (const command of [
      ["node", "cli.js"],
      ["bash", "/opt/agent.sh", "go"],
      ["nice", "/opt/node", "/opt/agent.js", "go"],
      ["my-agent", "--profile", "night"]
    ]) {
      const { args, program } = Result.getOrThrow(parseAgentCommand(JSON.stringify(command)))
      assert.deepStrictEqual([program, ...args], command)
    }
  })

  it("an unknown wrapper is refused, and so is every way to hide a flag in a known one", () => {
    for (const command of [
      ["env", "-S", "claude --settings /tmp/x"],
      ["env", "-S", "claude --allowedTools Bash"],
      ["env", "-Sclaude --settings x"],
      ["/usr/bin/env", "--split-string=claude --settings x"],
      ["env", "-i", "claude"],
      ["env", "CLAUDE_CONFIG_DIR=/tmp/evil", "claude"],
      ["bash", "-lc", "claude --allowedTools 'Bash(*)' \"$@\"", "x"],
      ["sh", "-c", 'exec claude --dangerously-skip-perm"issions" "$@"', "x"],
      ["dash", "-ec", "claude"],
      ["busybox", "sh", "-c", "claude"],
      ["nice", "-n", "10", "bash", "-c", "claude"],
      ["timeout", "8h", "claude"],
      ["xargs", "-a", "/tmp/x", "claude"],
      ["xargs", "-I{}", "sh", "/tmp/x"],
      ["sudo", "claude"],
      ["setsid", "claude"],
      ["npx", "claude", "--", "--settings", "x"],
      ["npx", "-c", "claude --settings x"],
      ["npx", "--call=claude --settings x"],
      ["node", "--require", "/tmp/evil.js", "cli.js"],
      ["node", "-e", "x", "claude"],
      ["my-agent", "claude --settings x"],
      ["my-agent", "-xyz"],
      ["my-agent", "--"],
      ["my-agent", "skip-permissions"],
      ["env", "FLAGS=--dangerously-skip-permissions", "claude"]
    ])
      why(JSON.stringify(command))
    assert.match(why('["timeout","8h","claude"]'), /timeout/u)
    assert.match(why('["env","-S","claude"]'), /env -S/u)
    assert.match(why('["env","CLAUDE_CONFIG_DIR=/x","claude"]'), /CLAUDE_CONFIG_DIR.*for souffleur itself/u)
  })

  it("a refusal repeats no argument, which may hold a key", () => {
    assert.notInclude(why(withArgs('--settings={"env":{"KEY":"secret"}}')), "secret")
  })
})

describe("behaviour#permission-ceiling", () => {
  it("an argument of another program that could be a flag of a launch is refused, however it is written", () => {
    for (const flag of [
      "--permission-mode=bypassPermissions",
      "--PERMISSION-MODE",
      "--perm",
      "--dang",
      "--allowed-tools=Bash",
      "--settings=x",
      "--sett",
      "exec claude --dangerously-skip-permissions",
      "--",
      "-p",
      "-r",
      "--resume=x",
      "-c",
      "-cp",
      "--bg"
    ])
      why(JSON.stringify(["my-agent", flag]))
    why("claude --dangerously-skip-permissions")
    why("claude\t--permission-mode=plan")
  })

  it("a prompt, an errand or an empty word is no argument of every launch", () => {
    for (const word of ["prompt text here", "", "mcp", "-w", "\u2014\u2014settings", "--per\u00admission-mode"]) {
      why(withArgs(word))
      why(JSON.stringify(["env", "A=1", "claude", word]))
    }
    for (const flag of ["--tools", "--allowedTools=Bash"]) why(withArgs(flag, "Bash"))
  })
})
