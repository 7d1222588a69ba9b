import { runSentence } from "@souffleur/embed/internal"
import { describeRunEvent, type RunEvent } from "@souffleur/plan"
import { Words } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import type { Paint } from "../Printing.ts"
import { colours } from "./WatchLine.ts"

/** Returns one line of `conduct` and its log for a person: UTC time, revision, sentence, progress. */
export const runLine = ({ event, revision }: RecordedAs<RunEvent>, brush: Paint, progress = ""): string => {
  const colour = colours[describeRunEvent(event).severity]
  const text = runSentence(event, progress)
  return `${brush("dim", `${Words.time(event.at)} ${String(revision).padStart(3)}`)}  ${colour === undefined ? text : brush(colour, text)}`
}
