import { Match } from "effect"
import type { WatchEvent } from "../event/WatchEvent.ts"
import type { Describers, Description, WatchNotice } from "./Description.ts"
import { describePin } from "./DescribePin.ts"
import { describeRecovery } from "./DescribeRecovery.ts"
import { describeSign } from "./DescribeSign.ts"
import { describeWatch } from "./DescribeWatch.ts"

const describers: Describers<WatchEvent, WatchNotice> = {
  ...describeWatch,
  ...describeRecovery,
  ...describeSign,
  ...describePin
}

/** Describes an event of a watch: its sentence, its severity, and its forms in comms and for the notify command. */
export const describeEvent = (event: WatchEvent): Description<WatchNotice> => Match.valueTags(event, describers)
