export { codex } from "./Codex.ts"
