export { gemini } from "./GeminiKind.ts"
export * as Gemini from "./Gemini.ts"
