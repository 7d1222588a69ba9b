export { copilot } from "./CopilotKind.ts"
export * as Copilot from "./Copilot.ts"
