export { qwen } from "./QwenKind.ts"
export * as Qwen from "./Qwen.ts"
