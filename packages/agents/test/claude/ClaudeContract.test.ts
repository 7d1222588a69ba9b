import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"

const file = (path: string) => fs.readFileSync(new URL(path, import.meta.url), "utf8")
const session = file("fixtures/session.jsonl")
/** Returns the session as it was when its first tool was called. */
const killed = () => {
  const lines = session.split("\n")
  const at = lines.findIndex((line) => line.includes('"type":"assistant"') && line.includes('"type":"tool_use"'))
  return `${lines.slice(0, at + 1).join("\n")}\n`
}
/** Returns the records of a situation that the real program wrote. */
const situation = (name: string) => {
  const found = JSON.parse(file(`../../../../test/fixtures/evidence/${name}.json`)) as {
    readonly session: { readonly lines: ReadonlyArray<unknown> }
  }
  return found.session.lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")
}

describe("claude-code#files, claude-code#sessions", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: claudeCode,
      sessionId: "3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a",
      file: "projects/-home-user-project/3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a.jsonl",
      login: ".credentials.json",
      finished: session,
      told: ["gowrite a file", "**Tool call: Write**", "goedit it"],
      killed: killed(),
      failed: [
        { text: situation("limit-stated"), reason: "usage-limit", resetsAt: Date.parse("2026-11-21T07:32:56.000Z") },
        { text: situation("limit-unstated"), reason: "usage-limit" },
        { text: situation("outage-529"), reason: "outage" },
        { text: situation("too-long"), reason: "prompt-too-long" },
        { text: situation("account-credit"), reason: "account" }
      ],
      words: ["--model", "m", "-p"],
      lifting: []
    }))
      // A literal command of Claude Code keeps flags that are its user's own choice. `AgentProgram.test.ts` holds the others.
      if (!name.startsWith("a flag that lifts")) it.effect(name, () => holds)
  })
})
