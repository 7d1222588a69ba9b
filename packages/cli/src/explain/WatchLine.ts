import { sentence } from "@souffleur/embed/internal"
import { describeEvent, type Recorded, type Severity, Words } from "@souffleur/domain"
import type { Paint } from "../Printing.ts"

/** The colour of each severity on a terminal. */
export const colours = {
  detail: "dim",
  info: undefined,
  success: "green",
  warning: "yellow",
  error: "red"
} as const satisfies Readonly<Record<Severity, string | undefined>>

/** Returns one line of `watch` and `log` for a person: UTC time, generation, sentence. */
export const line = (recorded: Recorded, generation: number, paint: Paint): string => {
  const colour = colours[describeEvent(recorded.event).severity]
  const text = sentence(recorded.event)
  return `${paint("dim", Words.time(recorded.event.at))}  ${`S${Math.max(1, generation)}`.padEnd(3)} ${colour === undefined ? text : paint(colour, text)}`
}
