import { describe, inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realOpenCode } from "./RealOpenCode.ts"

describe("opencode#records, opencode#sessions", () => {
  agentNights(realOpenCode, inject("opencode"))
})
