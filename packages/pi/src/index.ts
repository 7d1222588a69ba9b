export { pi } from "./Pi.ts"
