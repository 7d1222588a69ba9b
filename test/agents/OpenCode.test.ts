import { inject } from "vitest"
import { agentNights } from "./AgentNights.ts"
import { realOpenCode } from "./RealOpenCode.ts"

agentNights(realOpenCode, inject("opencode"))
