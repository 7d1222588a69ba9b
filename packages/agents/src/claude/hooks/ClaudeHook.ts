// This file does not load Effect, because a tool call waits for it.
import type { HookReader } from "@souffleur/domain"
import { hookCall } from "../../kit/hooks/HookInput.ts"

/** Returns the pid of the agent, as its environment names it to tools and hooks. */
export const agentPid = (variables: Readonly<Record<string, string | undefined>>): number | undefined => {
  const pidText = variables["CLAUDE_PID"] ?? ""
  return /^[1-9][0-9]{0,6}$/u.test(pidText) ? Number(pidText) : undefined
}

/** Reads the hooks of Claude Code. */
export const hookReader: HookReader = { call: hookCall, pid: agentPid }
