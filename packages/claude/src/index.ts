export { Claude } from "./Claude.ts"
export { claudeCode } from "./ClaudeCode.ts"
