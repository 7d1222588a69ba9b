import { eventLogSuite } from "../../packages/domain/test/EventLogSuite.ts"
import { newLog } from "./OwnLog.ts"

eventLogSuite("SQLite", newLog)
