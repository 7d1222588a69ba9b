export { type PageOptions, servePage } from "./PageServer.ts"
