import { describe, inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realPi } from "./RealPi.ts"

describe("pi#records, pi#sessions", () => {
  agentNights(realPi, inject("pi"))
})
