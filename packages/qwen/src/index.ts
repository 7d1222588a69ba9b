export { qwen } from "./Qwen.ts"
