import { anyAgent, claudeCode, codex, copilot, gemini, openCode, pi, qwen } from "@souffleur/agents"
import type { AgentPackage } from "@souffleur/process"

/** The agents. Where nothing names one, it is the first. */
export const agentKinds: readonly [AgentPackage, ...ReadonlyArray<AgentPackage>] = [
  claudeCode,
  codex,
  pi,
  qwen,
  copilot,
  gemini,
  openCode
]

/** Names the kinds of agent that this program looks after. `HookReader.ts` beside it reads the hooks of the first. */
export const agentKind: AgentPackage = anyAgent(...agentKinds)
