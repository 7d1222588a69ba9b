import { describeEvent, iso, plain, type Recorded, type WatchEvent } from "@souffleur/domain"
import { maxLineLength } from "./Explanation.ts"

/** Describes an event on one line. */
export const sentence = (event: WatchEvent): string => plain(describeEvent(event).text, maxLineLength)

/** Whether a person wants to hear of an event. The others are details of souffleur's work. */
export const isNews = (event: WatchEvent): boolean => describeEvent(event).severity !== "detail"

/** Returns one event as a program reads it (spec: command-line#looking). */
export const jsonLine = ({ event: { at, ...event }, revision, stream }: Recorded): string =>
  JSON.stringify({ watch: stream, revision, at: iso(at), ...event })
