import { inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realCopilot } from "./RealCopilot.ts"

agentNights(realCopilot, inject("copilot"))
