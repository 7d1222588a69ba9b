export { openCode } from "./OpenCodeKind.ts"
export * as OpenCode from "./OpenCode.ts"
