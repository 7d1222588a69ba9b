import type { HookReader } from "@souffleur/domain"
import { hookReader as claudeReader } from "@souffleur/claude/hook"

/**
 * Reads the hooks of the agent that `Kind.ts` names. It loads nothing of Effect, because a tool call of the agent waits
 * for it.
 */
export const hookReader: HookReader = claudeReader
