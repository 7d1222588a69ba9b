import { runSentence } from "@souffleur/embed/internal"
import { describeRunEvent, type RunEvent } from "@souffleur/plan"
import { Words, type Zone } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import type { Paint } from "../Printing.ts"
import { colours } from "../explain/WatchLine.ts"

/** Returns one line of `conduct` and its log for a person: time, revision, sentence, progress. */
export const runLine = (
  { event, revision }: RecordedAs<RunEvent>,
  brush: Paint,
  progress = "",
  zone?: Zone
): string => {
  const colour = colours[describeRunEvent(event).severity]
  const text = runSentence(event, progress, zone)
  return `${brush("dim", `${Words.time(event.at, zone)} ${String(revision).padStart(3)}`)}  ${colour === undefined ? text : brush(colour, text)}`
}
