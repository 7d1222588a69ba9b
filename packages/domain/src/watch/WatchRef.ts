import { type AggregateRef, makeAggregate } from "@souffleur/eventlog"
import { EventLog } from "./EventLog.ts"
import { initial, type Watch } from "./Watch.ts"
import type { Stamp, WatchIntent } from "./WatchIntent.ts"
import { decide } from "../decide/WatchDecider.ts"
import type { WatchEvent } from "../event/WatchEvent.ts"
import { evolve } from "./WatchEvolution.ts"

/** The watches of a log: each is a stream of its own, named by its id. */
export const watches = makeAggregate<Watch, WatchEvent, WatchIntent, Stamp["by"], EventLog>({
  initial,
  evolve,
  decide,
  log: EventLog,
  prefix: ""
})
export const { load, ref: makeWatchRef, dispatch } = watches

/** One watch as a role sees it: what it is now, and a way to speak. */
export type WatchRef = AggregateRef<Watch, WatchIntent>

/** How a role speaks: its intent, stamped with the time and its owner's fence. */
export type Dispatch = WatchRef["dispatch"]
