import { inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realCodex } from "./RealCodex.ts"

agentNights(realCodex, inject("codex"))
