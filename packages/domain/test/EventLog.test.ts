import { EventLog } from "../src/EventLog.ts"
import { eventLogSuite } from "./EventLogSuite.ts"

eventLogSuite("memory", EventLog.layerMemory)
