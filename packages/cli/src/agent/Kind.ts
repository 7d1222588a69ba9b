import { claudeCode } from "@souffleur/claude"
import { codex } from "@souffleur/codex"
import { copilot } from "@souffleur/copilot"
import { gemini } from "@souffleur/gemini"
import { openCode } from "@souffleur/opencode"
import { pi } from "@souffleur/pi"
import { type AgentPackage, anyAgent } from "@souffleur/process"
import { qwen } from "@souffleur/qwen"

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
