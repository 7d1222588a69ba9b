import { type AggregateRef, makeAggregate } from "@souffleur/eventlog"
import { EventLog } from "./EventLog.ts"
import type { Watch } from "./Watch.ts"
import { type WatchBrief, watchFold } from "./WatchFold.ts"
import type { Stamp, WatchIntent } from "./WatchIntent.ts"
import { decide } from "../decide/WatchDecider.ts"
import type { WatchEvent } from "../event/WatchEvent.ts"

/** The watches of a log. Each has its own stream, named by the id of the watch. */
export const watches = makeAggregate<Watch, WatchEvent, WatchIntent, Stamp["by"], EventLog, keyof WatchBrief>({
  fold: watchFold,
  decide,
  log: EventLog,
  prefix: ""
})
export const { load, ref: makeWatchRef, dispatch } = watches

/** One watch as a role sees it: its current state, and a way to send intents. */
export type WatchRef = AggregateRef<Watch, WatchIntent>

/** Sends an intent, stamped with the time and the owner's fence. */
export type Dispatch = WatchRef["dispatch"]
