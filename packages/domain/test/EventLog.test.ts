import { EventLog } from "../src/watch/EventLog.ts"
import { eventLogSuite } from "./EventLogSuite.ts"

eventLogSuite("memory", EventLog.layerMemory)
