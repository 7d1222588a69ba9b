import { describeEvent, iso, plain, type Recorded, type Severity, type WatchEvent, Words } from "@souffleur/domain"
import { maxLineLength, type Paint } from "../Printing.ts"

/** The colour of each severity on a terminal. */
export const colours = {
  detail: "dim",
  info: undefined,
  success: "green",
  warning: "yellow",
  error: "red"
} as const satisfies Readonly<Record<Severity, string | undefined>>

/** Describes an event on one line. */
export const sentence = (event: WatchEvent): string => plain(describeEvent(event).text, maxLineLength)

/** Whether a person wants to hear of an event. The others are details of souffleur's work. */
export const isNews = (event: WatchEvent): boolean => describeEvent(event).severity !== "detail"

/** Returns one line of `watch` and `log` for a person: UTC time, generation, sentence. */
export const line = (recorded: Recorded, generation: number, paint: Paint): string => {
  const colour = colours[describeEvent(recorded.event).severity]
  const text = sentence(recorded.event)
  return `${paint("dim", Words.time(recorded.event.at))}  ${`S${Math.max(1, generation)}`.padEnd(3)} ${colour === undefined ? text : paint(colour, text)}`
}

/** Returns one line of `log --json` and `watch --json` (spec: command-line#looking). */
export const jsonLine = ({ event: { at, ...event }, revision, stream }: Recorded): string =>
  JSON.stringify({ watch: stream, revision, at: iso(at), ...event })
