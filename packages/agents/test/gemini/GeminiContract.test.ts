import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { gemini } from "../../src/gemini/Gemini.ts"

const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")
/** A turn of that session, by what the agent printed of it. */
const turn = (output: string, session = "finished") => ({
  session: recorded(session),
  output: recorded(`${output}.output`)
})

describe("gemini#files, gemini#output", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: gemini,
      sessionId: "90000001-1111-4111-8111-111111111111",
      file: ".gemini/tmp/opera/chats/session-2026-11-23T12-44-90000001.jsonl",
      login: ".gemini/oauth_creds.json",
      finished: turn("finished"),
      told: ["echo hello > made.txt", "**Tool call: run_shell_command**", "tool said: "],
      killed: { ...turn("killed"), session: recorded("killed").replaceAll("90000002", "90000001") },
      failed: [
        { text: turn("limited"), reason: "usage-limit" },
        { text: turn("full"), reason: "prompt-too-long" },
        { text: turn("outage"), reason: "outage" },
        { text: turn("account"), reason: "login" }
      ],
      words: ["--model", "m", "--skip-trust", "-y", "-p", "sing"],
      lifting: [
        ["--allowed-tools", "run_shell_command"],
        ["--policy", "x.toml"],
        ["--admin-policy=x.toml"],
        ["--allowed-mcp-server-names", "x"],
        ["-e", "x"],
        ["--include-directories=/"]
      ],
      permissions: ["bypassPermissions"]
    }))
      it.effect(name, () => holds)
  })
})
