import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { qwen } from "../../src/qwen/Qwen.ts"

const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")

describe("qwen#files, qwen#records", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: qwen,
      sessionId: "fin-1",
      file: "projects/-srv-opera/chats/fin-1.jsonl",
      login: "oauth_creds.json",
      finished: recorded("finished"),
      told: ["echo hello > made.txt", "**Tool call: run_shell_command**", "tool said: Command"],
      killed: recorded("killed"),
      failed: [
        { text: recorded("limited"), reason: "usage-limit" },
        { text: recorded("full"), reason: "prompt-too-long" },
        { text: recorded("outage"), reason: "outage" },
        { text: recorded("account"), reason: "login" }
      ],
      refused: recorded("refused"),
      words: ["--model", "m", "--safe-mode", "--yolo"],
      byInput: ["--input-format", "text"],
      lifting: [
        ["--allowed-tools", "run_shell_command"],
        ["--core-tools", "run_shell_command"],
        ["--mcp-config", "x.json"],
        ["-e", "x"],
        ["--add-dir", "/"],
        ["--include-directories=/"]
      ]
    }))
      it.effect(name, () => holds)
  })
})
