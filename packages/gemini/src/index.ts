export { gemini } from "./Gemini.ts"
