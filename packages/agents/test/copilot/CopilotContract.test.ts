import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { copilot } from "../../src/copilot/Copilot.ts"

const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")

describe("copilot#files, copilot#records", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: copilot,
      sessionId: "fin-1",
      file: "session-state/fin-1/events.jsonl",
      finished: recorded("finished"),
      told: ["echo hello > made.txt", "**Tool call: bash**", "tool said: hello"],
      killed: recorded("killed"),
      failed: [
        { text: recorded("limited"), reason: "usage-limit" },
        { text: recorded("full"), reason: "prompt-too-long" },
        { text: recorded("outage"), reason: "outage" },
        { text: recorded("account"), reason: "login" }
      ],
      refused: recorded("refused"),
      words: ["--model", "m", "--disable-builtin-mcps", "--allow-all-tools"],
      byInput: ["--no-ask-user"],
      lifting: [
        ["--allow-all"],
        ["--yolo"],
        ["--allow-all-paths"],
        ["--allow-tool", "shell"],
        ["--allow-tool=write,shell"],
        ["--add-dir", "/"],
        ["--trust-folder"],
        ["--additional-mcp-config", "{}"],
        ["--agent", "x"],
        ["--excluded-tools", "lsp"]
      ]
    }))
      it.effect(name, () => holds)
  })
})
