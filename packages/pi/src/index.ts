export * as Pi from "./Pi.ts"
export { pi } from "./PiKind.ts"
