import { assert, describe, it } from "@effect/vitest"
import { runsAgent } from "../../src/claude/command/RunsAgent.ts"

const claude = { program: "claude", args: [] }
const standIn = { program: "node", args: ["/x/agent.mjs", "--model", "opus"] }

describe("behaviour#who-holds-a-session", () => {
  it("an agent is known by the configured command, by its name, and by its package", () => {
    for (const words of [
      ["claude"],
      // Its own title for itself.
      ["claude", "", ""],
      ["/home/anna/.claude/local/claude", "--resume", "s1"],
      ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"],
      ["/usr/bin/node", "--no-warnings", "/x/@anthropic-ai/claude-code/cli.js", "-p"],
      ["/usr/bin/node", "--no-warnings", "--enable-source-maps", "/x/@anthropic-ai/claude-code/cli.js"]
    ])
      assert.isTrue(runsAgent(words, standIn), words.join(" "))
    assert.isTrue(runsAgent(["/usr/bin/node", "/x/agent.mjs", "--model", "opus", "--session-id", "s1"], standIn))
    assert.isTrue(runsAgent(["/bin/sh", "/usr/local/bin/my-agent", "-p"], { program: "my-agent", args: [] }))
  })
  it("another process is not taken for an agent, whatever its words are", () => {
    for (const words of [
      [],
      [""],
      ["/usr/bin/postgres"],
      ["node", "/x/server.mjs"],
      ["node", "/x/agent.mjs"],
      ["vim", "a", "b", "c", "/notes/claude"],
      ["claude-notes"],
      ["/home/claude/bin/backup"]
    ])
      assert.isFalse(runsAgent(words, standIn), words.join(" "))
    assert.isFalse(runsAgent(["/usr/bin/node", "/x/agent.mjs"], claude))
  })
})
