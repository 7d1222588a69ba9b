import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { codex } from "../../src/codex/Codex.ts"

const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")
const id = "01a20631-6832-7772-a731-0eceba6359e0"

describe("codex#files, codex#turns", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: codex,
      sessionId: id,
      file: `sessions/2026/11/23/rollout-2026-11-23T02-17-11-${id}.jsonl`,
      login: "auth.json",
      finished: recorded("finished"),
      told: ["**Tool call: exec_command**"],
      killed: recorded("killed"),
      failed: [
        { text: recorded("limited"), reason: "usage-limit", resetsAt: 1_795_999_999_000 },
        { text: recorded("throttled"), reason: "usage-limit" },
        { text: recorded("full"), reason: "prompt-too-long" },
        { text: recorded("outage"), reason: "outage" },
        { text: recorded("account"), reason: "login" }
      ],
      words: ["exec", "-m", "gpt-5"],
      byInput: ["-"],
      lifting: [["--add-dir", "/"], ["--full-auto"], ["-p", "night"], ["-c", 'sandbox_mode="danger-full-access"']]
    }))
      it.effect(name, () => holds)
  })
})
