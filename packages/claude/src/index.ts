export * as Claude from "./Claude.ts"
export { claudeCode } from "./ClaudeCode.ts"
