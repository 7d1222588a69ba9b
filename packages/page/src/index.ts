export { reportFile } from "./ReportFile.ts"
export { type PageOptions, servePage } from "./PageServer.ts"
