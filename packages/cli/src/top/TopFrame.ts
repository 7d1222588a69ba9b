import { plain, Words, type Zone } from "@souffleur/domain"
import { countsOf, type Job, summaryOf } from "@souffleur/embed"
import { jobLine, jobNote, jobSigns, jobWord } from "@souffleur/embed/internal"
import type { Terminal } from "effect"
import { shortTitle } from "../explain/ShortTitle.ts"
import { textColumns } from "../explain/TextColumns.ts"
import { cut, indentOf, padded, wrapped } from "../Wrapped.ts"
import { chosenAt, chosenJob, jobsIn, type Top } from "./Top.ts"
import { stateTones, type TopLine } from "./TopLine.ts"

/** The time of a look, in epoch ms, and the clock of its reader. */
export interface Looked {
  readonly now: number
  readonly zone: Zone
}

const keys: ReadonlyArray<string> = [
  "↑ ↓       choose, or scroll",
  "enter     one watch or run: its state and its last events",
  "esc       back to the list",
  "w         why: its last decision, with the evidence",
  "a         attach: leave, and go to the window or the output of its agent",
  "r         retry its recovery, after a question",
  "q         quit: no watch notices",
  "?         this help"
]

/** The columns from which on the time of the last event is shown. */
const timeFrom = 60

/** The columns from which on an agent, its generation and the time in its state are shown, and their own. */
const [factsFrom, factColumns] = [110, 26] as const

/** The most columns of a name. */
const maxName = 28

/** The columns that a title leaves to a state and to a time. */
const [wordColumns, timeColumns] = [14, 18] as const

const factsOf = ({ agent, generation, since, tasks }: Job, now: number): string =>
  [
    agent,
    generation === null ? null : `S${generation}`,
    tasks === null ? null : `${tasks.complete} of ${tasks.all}`,
    since === null ? null : Words.duration(Math.max(0, now - since))
  ]
    .filter((one) => one !== null)
    .join(" ")

/** Returns a text of exactly so many columns. */
const exactly = (text: string, columns: number) => padded(cut(text, columns), columns)

/** The columns of the names and of the titles. */
interface Widths {
  readonly names: number
  readonly titles: number
}

const row = (
  job: Job,
  chosen: boolean,
  { names, titles }: Widths,
  { columns, now, zone }: Looked & Terminal.Size
): TopLine => {
  const time = columns < timeFrom ? "" : `  ${Words.moment(job.at, now, zone)}`
  const word = jobWord(job)
  const title = titles === 0 ? "" : `${exactly(shortTitle(job, titles), titles)}  `
  const facts = columns < factsFrom ? "" : `${exactly(factsOf(job, now), factColumns)}  `
  const line = `${chosen ? "›" : " "} ${jobSigns[word]} ${exactly(plain(job.id), names)}  ${title}${facts}${[word, jobNote(job)].filter((one) => one !== "").join(": ")}`
  return {
    text: `${exactly(line, columns - textColumns(time))}${time}`,
    tone: chosen ? "bold" : word === "failed" ? "red" : word === "held" ? undefined : stateTones[word]
  }
}

const list = (top: Top, lines: number, seen: Looked & Terminal.Size): ReadonlyArray<TopLine> => {
  const jobs = jobsIn(top)
  if (top.news === null) return [{ text: "Reading the log…" }]
  if (jobs.length === 0) return [{ text: 'Start an agent, and it is here: souffleur run -- AGENT "do it"' }]
  const names = Math.min(
    maxName,
    Math.floor(seen.columns / 3),
    Math.max(...jobs.map(({ id }) => textColumns(plain(id))))
  )
  const longest = Math.max(...jobs.map((job) => textColumns(shortTitle(job))))
  const room =
    seen.columns -
    (names + 8 + wordColumns) -
    (seen.columns < timeFrom ? 0 : timeColumns) -
    (seen.columns < factsFrom ? 0 : factColumns + 2)
  const titles = Math.max(0, Math.min(Math.floor(seen.columns / 4), longest, room))
  const at = chosenAt(top)
  const first = Math.max(0, Math.min(at - Math.floor(lines / 2), jobs.length - lines))
  return jobs.slice(first, first + lines).map((job, n) => row(job, first + n === at, { names, titles }, seen))
}

/** Breaks lines for the terminal, and leaves out those above. */
const text = ({ above }: Top, lines: ReadonlyArray<TopLine>, { columns }: Terminal.Size): ReadonlyArray<TopLine> =>
  lines
    .slice(above)
    .flatMap(({ text, tone }) => wrapped(text, columns, indentOf(text) + 2).map((one) => ({ text: one, tone })))

const footer = (top: Top): TopLine => {
  const job = chosenJob(top)
  if (top.asks && job !== undefined) return { text: `Retry ${job.id}? y: yes, any other key: no`, tone: "yellow" }
  if (top.notice !== null) return { text: top.notice, tone: "yellow" }
  const keys =
    top.view === "list" ? "↑↓ enter w:why a:attach r:retry q:quit ?:help" : "esc:back ↑↓ w:why a:attach r:retry q:quit"
  return { text: keys, tone: "dim" }
}

/** Returns the command that the chosen job needs next. */
const next = (top: Top): ReadonlyArray<TopLine> => {
  const need = top.view === "help" ? undefined : chosenJob(top)?.need
  return need === null || need === undefined ? [] : [{ text: `Next: ${need.next}`, tone: "yellow" }]
}

const title = (top: Top): TopLine => {
  const job = chosenJob(top)
  if (top.view === "list" || top.view === "help" || job === undefined) {
    const counts = top.news === null ? "" : summaryOf(countsOf(top.news.living, top.news.endedCount))
    return { text: `souffleur  ${counts}`, tone: "bold" }
  }
  const called = job.title === null ? "" : `${job.title}  `
  return { text: `${jobSigns[jobWord(job)]} ${job.id}  ${called}${jobLine(job)}`, tone: "bold" }
}

/** Returns every line of the screen, as many as the terminal has. */
export const topFrame = (top: Top, seen: Looked & Terminal.Size): ReadonlyArray<TopLine> => {
  const below = [...next(top), footer(top)]
  const room = Math.max(0, seen.rows - 2 - below.length)
  const body =
    top.view === "list"
      ? list(top, room, seen)
      : text(top, top.view === "help" ? keys.map((text) => ({ text })) : top.text, seen)
  const shown = body.slice(0, room)
  const empty = Array.from({ length: room - shown.length }, () => ({ text: "" }))
  return [title(top), { text: "" }, ...shown, ...empty, ...below].slice(-Math.max(1, seen.rows))
}
