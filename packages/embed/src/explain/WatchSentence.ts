import {
  describeEvent,
  iso,
  plain,
  type Reader,
  type Recorded,
  utc,
  type WatchEvent,
  type Zone
} from "@souffleur/domain"
import { maxLineLength } from "./Explanation.ts"

/**
 * Describes an event on one line. The agent has no name of its own here: it may be another one since.
 */
export const sentence = (event: WatchEvent, { comms, kind }: Reader["who"], zone: Zone = utc): string =>
  plain(describeEvent(event, { who: { comms, kind }, zone }).text, maxLineLength)

/** Returns whether a person wants to hear of an event. All others are details of souffleur's work. */
export const isNews = (event: WatchEvent): boolean => describeEvent(event).severity !== "detail"

/** Returns one event as a program reads it (spec: command-line#looking). */
export const jsonLine = ({ event: { at, ...event }, revision, stream }: Recorded): string =>
  JSON.stringify({ watch: stream, revision, at: iso(at), ...event })
