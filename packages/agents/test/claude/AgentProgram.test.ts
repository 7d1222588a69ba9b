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

  it("a wrapper that becomes the agent is understood, and so is a runtime that runs its file", () => {
    for (const command of [
      ["/path/to/claude", "--model", "opus"],
      ["env", "FOO=1", "claude"],
      ["env", "-u", "NODE_OPTIONS", "FOO=1", "/usr/bin/claude", "--verbose"],
      ["nice", "-n", "10", "claude"],
      ["nice", "-n10", "env", "FOO=1", "claude", "--model=opus"],
      ["nice", "claude"],
      ["ionice", "-c", "3", "claude"],
      ["nohup", "claude"],
      ["node", "cli.js"],
      ["node", "--max-old-space-size=8192", "/x/@anthropic-ai/claude-code/cli.js", "--model", "opus"],
      ["npx", "--yes", "@anthropic-ai/claude-code@2.1.329", "--model", "opus"],
      ["npx", "-p", "@anthropic-ai/claude-code", "claude"],
      ["pnpm", "dlx", "@anthropic-ai/claude-code"],
      ["bash", "/opt/agent.sh", "go"],
      ["/opt/node", "/opt/agent.js", "go"],
      ["my-agent", "--profile", "night"],
      ["claude", "--append-system-prompt", "be brief - and kind", "--name=x"]
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
  it("an argument that could lift the permission ceiling is refused, however it is written", () => {
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

  it("an unknown argument of Claude Code is refused: joined, shortened and future flags, errands and prompts", () => {
    for (const args of [
      ["-cp"],
      ["-pc"],
      ["-rabc"],
      ["-wfoo"],
      ["-w"],
      ["--dangerously-skip-perm"],
      ["--dangerously-skip-permissions=false"],
      ["--DANGEROUSLY-skip-permissions"],
      ["--sett", "x"],
      ["--settings=x"],
      ["--tools", "Bash"],
      ["--tools=Bash"],
      ["--name", "--settings=y"],
      ["--model", "-cp"],
      ["--of-tomorrow"],
      ["--of-tomorrow=x"],
      ["--exec", "x"],
      ["--verbose=x"],
      ["--per\u00admission-mode"],
      ["\u2014\u2014settings", "x"],
      ["prompt text here"],
      [""],
      ["mcp", "serve"]
    ]) {
      why(withArgs(...args))
      why(JSON.stringify(["env", "A=1", "claude", ...args]))
      why(JSON.stringify(["node", "/x/@anthropic-ai/claude-code/cli.js", ...args]))
    }
  })
})
