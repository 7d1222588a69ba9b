import { EventLog } from "../src/eventlog/EventLog.ts"
import { eventLogSuite } from "./EventLogSuite.ts"

eventLogSuite("memory", EventLog.layerMemory)
