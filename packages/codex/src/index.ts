export * as Codex from "./Codex.ts"
export { codex } from "./CodexKind.ts"
