import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"

const { ofLaunch: agentOfLaunch, parseCommand: parseAgentCommand, takeApart: literalAgent } = claudeCode

const configured = Result.getOrThrow(parseAgentCommand('["/opt/node", "/opt/agent.js", "go"]'))
const parse = (...words: ReadonlyArray<string>) => literalAgent(words, configured)
const found = (...words: ReadonlyArray<string>) => Option.getOrThrow(Result.getOrThrow(parse(...words)))
const refusal = (...words: ReadonlyArray<string>) => Option.getOrThrow(Result.getFailure(parse(...words))).message

describe("behaviour#first-launch", () => {
  describe("a literal command", () => {
    it("runs the configured agent command", () => {
      const words = ["/opt/node", "/opt/agent.js", "go"]
      const { agentCommand, prompt } = found(...words, "do it")
      assert.deepStrictEqual([agentCommand.program, ...agentCommand.args, prompt], [...words, "do it"])
    })
    it("runs no agent if it only names one, or runs a subcommand of it", () => {
      for (const words of [
        ["make"],
        ["vim", "claude"],
        ["sh", "-c", "claude 'do it'"],
        ["node", "server.js", "claude"],
        ["/opt/node", "/opt/other.js", "go"],
        ["claude", "mcp", "list"],
        ...["stop", "kill", "rm"].map((word) => ["claude", word, "0a1b2c3d"]),
        ["claude", "update"]
      ])
        assert.isTrue(Option.isNone(Result.getOrThrow(parse(...words))), words.join(" "))
    })
    it("says where a prompt belongs that begins with a dash", () => {
      for (const prompt of ["---\ntitle: x\n---\nDo it.", "- [ ] first task"]) {
        assert.match(refusal("claude", "-p", prompt), /begins with a dash is read as a flag: write it behind a --$/u)
        assert.strictEqual(found("claude", "-p", "--", prompt).prompt, prompt)
      }
    })
    it("keeps the user's own flags with their values, and takes out what each launch sets", () => {
      const words = [
        "--model",
        "opus",
        "-p",
        "--allowedTools",
        "Bash(git:*)",
        "Read",
        "--permission-mode",
        "bypassPermissions"
      ]
      const more = [
        "--mcp-config=a.json",
        "--session-id",
        "s1",
        "--verbose",
        "--debug",
        "api",
        "--append-system-prompt",
        "--be brief"
      ]
      const { agentCommand, ...rest } = found("claude", ...words, ...more, "do it")
      assert.deepStrictEqual(rest, {
        session: { _tag: "Fresh", sessionId: "s1" },
        print: true,
        requested: "bypassPermissions",
        prompt: "do it"
      })
      assert.deepStrictEqual(agentCommand, {
        program: "claude",
        args: [
          "--model",
          "opus",
          "--allowedTools",
          "Bash(git:*)",
          "Read",
          "--mcp-config=a.json",
          "--verbose",
          "--debug",
          "api",
          "--append-system-prompt",
          "--be brief"
        ]
      })
      assert.deepInclude(found("claude", "--resume=s2", "on"), {
        session: { _tag: "Resume", sessionId: "s2" },
        prompt: "on"
      })
      assert.deepInclude(found("claude", "--dangerously-skip-permissions"), {
        requested: "bypassPermissions",
        prompt: ""
      })
    })
    it("keeps its prompt behind --, whatever the prompt looks like", () => {
      assert.strictEqual(
        found("claude", "-p", "--", "--dangerously-skip-permissions").prompt,
        "--dangerously-skip-permissions"
      )
      assert.strictEqual(found("claude", "--", "--dangerously-skip-permissions").requested, "acceptEdits")
    })
    it("cannot lead to another session, lift the ceiling, or be ambiguous: it is refused", () => {
      for (const flag of [
        "--continue",
        "-c",
        "--fork-session",
        "--bg",
        "--worktree",
        "--settings",
        "--permission-prompt-tool",
        "--agents"
      ])
        assert.include(refusal("claude", flag, "x"), flag)
      assert.match(refusal("claude", "--resume", "--verbose"), /must have a value/)
      assert.match(refusal("claude", "--resume", "a", "--session-id", "b"), /twice/)
      assert.match(refusal("claude", "--permission-mode", "dontAsk"), /acceptEdits or bypassPermissions/)
      assert.match(refusal("claude", "do", "it"), /more than one prompt/)
      // A value is the user's own: it is not told.
      assert.notInclude(refusal("claude", "--settings={secret}"), "secret")
    })
    it("can be read back from its launch", () => {
      const { agentCommand } = found("claude", "--model", "opus", "--append-system-prompt=--resume", "x")
      const args = [
        ...agentCommand.args,
        "--session-id",
        "s1",
        "-p",
        "--permission-mode",
        "acceptEdits",
        "--",
        "--session-id"
      ]
      assert.deepStrictEqual(
        agentOfLaunch({ program: "/bin/claude", args }, "s1"),
        Option.some({ ...agentCommand, program: "/bin/claude" })
      )
      assert.isTrue(Option.isNone(agentOfLaunch({ program: "/bin/claude", args }, "s2")))
    })
  })
})

describe("behaviour#permission-ceiling", () => {
  describe("a literal command", () => {
    it("refuses a subcommand that holds conversations", () => {
      for (const word of ["agents", "attach", "gateway", "remote-control", "respawn", "ultrareview"])
        assert.include(
          Result.match(parse("claude", word, "x"), { onFailure: ({ message }) => message, onSuccess: () => "" }),
          `souffleur cannot set the ceiling of claude ${word}: write claude -p PROMPT`
        )
    })
    it("hides no flag as a value of another, or in joined flags", () => {
      assert.match(refusal("claude", "--dangerously-skip-permissions=false", "x"), /takes no value/u)
      assert.match(refusal("claude", "--print=x", "y"), /takes no value/u)
      assert.match(refusal("claude", "--append-system-prompt", "--resume", "x"), /write --append-system-prompt=VALUE/u)
      assert.include(
        found("claude", "--append-system-prompt=--resume", "x").agentCommand.args,
        "--append-system-prompt=--resume"
      )
    })
  })
})
