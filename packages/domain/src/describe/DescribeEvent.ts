import type { WatchEvent } from "../event/WatchEvent.ts"
import { describedBy, type WatchNoticeKind } from "./Description.ts"
import { describePin } from "./DescribePin.ts"
import { describeRecovery } from "./DescribeRecovery.ts"
import { describeSign } from "./DescribeSign.ts"
import { describeWatch } from "./DescribeWatch.ts"

/**
 * Describes an event of a watch: its sentence, its severity, and its forms in comms and for a notice. Its times are by
 * the clock of the zone, which is UTC by default.
 */
export const describeEvent = describedBy<WatchEvent, WatchNoticeKind>({
  ...describeWatch,
  ...describeRecovery,
  ...describeSign,
  ...describePin
})
