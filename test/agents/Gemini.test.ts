import { describe, inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realGemini } from "./RealGemini.ts"

describe("gemini#output, gemini#sessions, gemini#hooks", () => {
  agentNights(realGemini, inject("gemini"))
})
