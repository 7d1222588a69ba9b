export { copilot } from "./Copilot.ts"
