export { AgentCommandRefused, type AgentProgram, parseAgentCommand } from "./AgentProgram.ts"
export { Claude, type ClaudeOptions } from "./Claude.ts"
export type { Environment } from "./Environment.ts"
export { isSessionId } from "./SessionId.ts"
