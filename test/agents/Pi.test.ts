import { inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realPi } from "./RealPi.ts"

agentNights(realPi, inject("pi"))
