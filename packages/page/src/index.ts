export { type FleetPageOptions, type FleetSight, layerFleetPages } from "./fleet/FleetPages.ts"
export { reportFile } from "./ReportFile.ts"
export { type PageOptions, servePage } from "./PageServer.ts"
