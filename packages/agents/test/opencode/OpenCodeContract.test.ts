import { describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { openCode } from "../../src/opencode/OpenCode.ts"
import { file, keep, recorded, sessionId } from "./Database.ts"

describe("opencode#records, opencode#trouble", () => {
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract({
      kind: openCode,
      sessionId,
      file,
      keep,
      login: "opencode/auth.json",
      finished: recorded("finished"),
      told: ["echo made > made.txt", "**Tool call: bash**", "tool said: "],
      killed: recorded("killed"),
      failed: [
        { text: recorded("full"), reason: "prompt-too-long" },
        { text: recorded("account"), reason: "login" },
        { text: recorded("cut"), reason: "other" },
        { text: recorded("filtered"), reason: "other" }
      ],
      words: ["run", "--model", "fake/m", "--auto"],
      lifting: [["--share"], ["--attach", "http://localhost:1"], ["--attach=http://localhost:1"]],
      permissions: ["bypassPermissions"]
    }))
      it.effect(name, () => holds)
  })
})
