import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { pi } from "../../src/pi/Pi.ts"

const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")

describe("pi#files, pi#records", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: pi,
      sessionId: "fin-1",
      file: "sessions/--srv-opera--/2026-11-23T05-14-48-733Z_fin-1.jsonl",
      login: "auth.json",
      finished: recorded("finished"),
      told: ["echo hello", "**Tool call: bash**", "tool said: hello"],
      killed: recorded("killed"),
      failed: [
        { text: recorded("limited"), reason: "usage-limit" },
        { text: recorded("full"), reason: "prompt-too-long" },
        { text: recorded("outage"), reason: "outage" },
        { text: recorded("account"), reason: "login" }
      ],
      words: ["--model", "m", "-p"],
      lifting: [["--approve"], ["-a"], ["-e", "x.ts"], ["--extension", "x.ts"]],
      permissions: ["bypassPermissions"]
    }))
      it.effect(name, () => holds)
  })
})
