import { claudeCode } from "@souffleur/claude"
import { codex } from "@souffleur/codex"
import { copilot } from "@souffleur/copilot"
import { gemini } from "@souffleur/gemini"
import { openCode } from "@souffleur/opencode"
import { pi } from "@souffleur/pi"
import { type AgentPackage, anyAgent } from "@souffleur/process"
import { qwen } from "@souffleur/qwen"

/** The agents beside the first, which a command of theirs starts. */
export const otherKinds: ReadonlyArray<AgentPackage> = [codex, pi, qwen, copilot, gemini, openCode]

/** Names the kinds of agent that this program looks after. `HookReader.ts` beside it reads the hooks of the first. */
export const agentKind: AgentPackage = anyAgent(claudeCode, ...otherKinds)
