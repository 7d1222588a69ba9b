import { sentence } from "@souffleur/embed/internal"
import { describeEvent, type Reader, type Recorded, type Severity, Words, type Zone } from "@souffleur/domain"
import type { Paint } from "../Printing.ts"
import { wrapped } from "../Wrapped.ts"

/** The colour of each severity on a terminal. */
export const colours = {
  detail: "dim",
  info: undefined,
  success: "green",
  warning: "yellow",
  error: "red"
} as const satisfies Readonly<Record<Severity, string | undefined>>

/** How the lines of an event are written. */
export interface WatchLineOptions {
  readonly watch: Reader["who"] & { readonly generation: number }
  /** True if the line begins with the id of the watch. */
  readonly named?: boolean
  readonly brush: Paint
  readonly columns: number | undefined
  readonly zone: Zone
}

/** Returns the line of an event in `watch` and `log` for a person: time, generation, sentence. A terminal breaks it. */
export const watchLines = (
  { event, stream }: Recorded,
  { brush, columns, named = false, watch, zone }: WatchLineOptions
): ReadonlyArray<string> => {
  const colour = colours[describeEvent(event).severity]
  const before = `${named ? `${stream}  ` : ""}${Words.time(event.at, zone)}  ${`S${Math.max(1, watch.generation)}`.padEnd(3)} `
  const [first = "", ...more] = wrapped(`${before}${sentence(event, watch, zone)}`, columns, before.length)
  const painted = (text: string) => (colour === undefined ? text : brush(colour, text))
  return [`${brush("dim", before)}${painted(first.slice(before.length))}`, ...more.map(painted)]
}
