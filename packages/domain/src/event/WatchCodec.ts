import { type EventCodec, eventCodec } from "@souffleur/eventlog"
import { versionOf, WatchEvent } from "./WatchEvent.ts"

/** The events of a watch. */
export const watchCodec: EventCodec<WatchEvent> = eventCodec<WatchEvent>(null, WatchEvent.members, versionOf)
export const { decode: decodeEvent, encode: encodeEvent, tags: eventTags } = watchCodec
