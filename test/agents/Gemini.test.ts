import { inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realGemini } from "./RealGemini.ts"

agentNights(realGemini, inject("gemini"))
