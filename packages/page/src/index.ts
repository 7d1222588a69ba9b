export { type FleetPageOptions, layerFleetPages } from "./fleet/FleetPages.ts"
export type { FleetSight, Guest } from "./fleet/FleetSight.ts"
export { reportFile } from "./ReportFile.ts"
export { type PageOptions, servePage } from "./PageServer.ts"
