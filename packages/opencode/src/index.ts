export { openCode } from "./OpenCode.ts"
