// The hooks of the agent that `Kind.ts` names. The module loads nothing of Effect, because a tool call of the agent waits
// for it.
export { hookReader } from "@souffleur/claude/hook"
