import type { WatchEvent } from "../event/WatchEvent.ts"
import { describedBy, type Description, type WatchNoticeKind } from "./Description.ts"
import { describePhone } from "../phone/DescribePhone.ts"
import { describePin } from "./DescribePin.ts"
import { describeRecovery } from "./DescribeRecovery.ts"
import { describeSign } from "./DescribeSign.ts"
import { describeWatch } from "./DescribeWatch.ts"
import { anyReader, type Reader } from "./Reader.ts"

const describe = describedBy<WatchEvent, WatchNoticeKind, Reader>({
  ...describeWatch,
  ...describeRecovery,
  ...describeSign,
  ...describePin,
  ...describePhone
})

/**
 * Describes an event of a watch: its sentence, its severity, and its forms in comms and for a notice. Without a reader
 * it speaks of the Conductor, in UTC.
 */
export const describeEvent = (event: WatchEvent, reader: Partial<Reader> = {}): Description<WatchNoticeKind> =>
  describe(event, { ...anyReader, ...reader })
