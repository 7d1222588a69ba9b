import { claudeCode } from "@souffleur/claude"
import type { AgentPackage } from "@souffleur/process"

/** Names the kind of agent that this program looks after. `HookReader.ts` beside it names the same kind. */
export const agentKind: AgentPackage = claudeCode
