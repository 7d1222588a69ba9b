import {
  describeEvent,
  describeFor,
  iso,
  type Known,
  plain,
  type Recorded,
  type WatchEvent,
  type Zone
} from "@souffleur/domain"
import { maxLineLength } from "./Explanation.ts"

/**
 * Describes an event on one line. Its times are by the clock of the zone, which is UTC by default. The agent has no
 * name of its own here: it may be another one since.
 */
export const sentence = (event: WatchEvent, { comms, kind }: Known, zone?: Zone): string =>
  plain(describeFor(event, { comms, kind }, zone).text, maxLineLength)

/** Returns whether a person wants to hear of an event. All others are details of souffleur's work. */
export const isNews = (event: WatchEvent): boolean => describeEvent(event).severity !== "detail"

/** Returns one event as a program reads it (spec: command-line#looking). */
export const jsonLine = ({ event: { at, ...event }, revision, stream }: Recorded): string =>
  JSON.stringify({ watch: stream, revision, at: iso(at), ...event })
