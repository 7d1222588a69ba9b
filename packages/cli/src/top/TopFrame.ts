import type { Zone } from "@souffleur/domain"
import { countsOf, summaryOf } from "@souffleur/embed"
import { jobLine, jobSigns, jobWord } from "@souffleur/embed/internal"
import type { Terminal } from "effect"
import { textColumns } from "../explain/TextColumns.ts"
import { cut, indentOf, padded, wrapped } from "../Wrapped.ts"
import { allJobs, chosenJob, jobsIn, type Top } from "./Top.ts"
import type { TopLine } from "./TopLine.ts"
import { topTable } from "./TopTable.ts"

/** The time of a look, in epoch ms, and the clock of its reader. */
export interface Looked {
  readonly now: number
  readonly zone: Zone
}

/** The help, a line for each key. */
export const topHelp: ReadonlyArray<string> = [
  "↑ ↓  k j  choose, or scroll; also page up and down, home, end",
  "enter     one watch or run: its state and its last events",
  "o         the output of its agent below the list, on or off",
  "w         why: its last decision, with the evidence",
  "a         attach: leave, and go to the window or the output of its agent",
  "h  g      hold it, and let it go on",
  "r         retry its recovery, after a question",
  "x         stop its agent, and it, after a question",
  "l         release it, and leave its agent as it is, after a question",
  "d         say that its work is done, after a question",
  "/         filter by name, title, folder, agent or state; esc: all",
  "s         sort by state, age, context or cost",
  "esc       back to the list",
  "q         quit: no watch notices",
  "?         this help"
]

/** The rows of a terminal from which on an empty line is below the first one. */
const roomyFrom = 16

/** The most lines of an answer. */
const maxAnswer = 3

/** The least columns of a terminal whose first line says the order of the list. */
const orderFrom = 40

/** Breaks lines for the terminal, and leaves out those above. */
const text = ({ above }: Top, lines: ReadonlyArray<TopLine>, { columns }: Terminal.Size): ReadonlyArray<TopLine> =>
  lines
    .slice(above)
    .flatMap(({ text, tone }) => wrapped(text, columns, indentOf(text) + 2).map((one) => ({ text: one, tone })))

const listKeys =
  "?:help q:quit enter:job o:output w:why a:attach h:hold g:go r:retry x:stop l:release d:done /:filter s:sort"
const textKeys = "?:help q:quit esc:back ↑↓ o:output w:why a:attach h:hold g:go r:retry x:stop l:release d:done"

const footer = (top: Top, columns: number): ReadonlyArray<TopLine> => {
  const { asks, notice } = top
  if (asks !== null) return [{ text: `${asks.word} ${asks.id}? y: yes, any other key: no`, tone: "yellow" }]
  if (top.typing) return [{ text: `/${top.filter}▏ enter: keep, esc: all`, tone: "yellow" }]
  if (notice !== null)
    return wrapped(notice.text, columns)
      .slice(0, maxAnswer)
      .map((text) => ({ text, tone: notice.tone }))
  return [{ text: top.view === "list" ? listKeys : textKeys, tone: "dim" }]
}

/** Returns the command that the chosen job needs next. */
const next = (top: Top): ReadonlyArray<TopLine> => {
  const need = top.view === "help" ? undefined : chosenJob(top)?.need
  return need === null || need === undefined ? [] : [{ text: `Next: ${need.next}`, tone: "yellow" }]
}

/** Says how the list is ordered, and how many it leaves out. */
const order = (top: Top): string =>
  `${top.filter === "" ? "" : `/${top.filter}: ${jobsIn(top).length} of ${allJobs(top).length}  `}sort: ${top.sort}`

const title = (top: Top, columns: number): TopLine => {
  const job = chosenJob(top)
  if (top.view === "list" || top.view === "help" || job === undefined) {
    const counts = top.news === null ? "" : summaryOf(countsOf(top.news.living, top.news.endedCount))
    const [left, right] = [`souffleur  ${counts}`, cut(order(top), Math.floor(columns / 2))]
    const room = columns - textColumns(right) - 2
    return { text: columns < orderFrom ? left : `${padded(cut(left, room), room)}  ${right}`, bold: true }
  }
  const called = job.title === null ? "" : `${job.title}  `
  return { text: `${jobSigns[jobWord(job)]} ${job.id}  ${called}${jobLine(job)}`, bold: true }
}

/** Returns the last lines of the output that so many lines hold, below a line that names it. */
const pane = (top: Top, lines: number, columns: number): ReadonlyArray<TopLine> => {
  if (lines < 2) return []
  const name = `── output of ${chosenJob(top)?.id ?? "nothing"} `
  const output = top.output.length === 0 ? ["It has printed nothing."] : top.output
  const shown = output
    .slice(-lines)
    .flatMap((line) => wrapped(line, columns))
    .slice(1 - lines)
  const rule = { text: name + "─".repeat(Math.max(0, columns - textColumns(name))), tone: "dim" } as const
  return [
    rule,
    ...shown.map((text) => ({ text })),
    ...Array.from({ length: lines - 1 - shown.length }, () => ({ text: "" }))
  ]
}

/** Returns every line of the screen, as many as the terminal has. */
export const topFrame = (top: Top, seen: Looked & Terminal.Size): ReadonlyArray<TopLine> => {
  const { columns, rows } = seen
  const below = [...next(top), ...footer(top, columns)]
  const above = [title(top, columns), ...(rows < roomyFrom ? [] : [{ text: "" }])]
  const room = Math.max(0, rows - above.length - below.length)
  const filled = (lines: ReadonlyArray<TopLine>, count: number) => [
    ...lines.slice(0, count),
    ...Array.from({ length: Math.max(0, count - lines.length) }, () => ({ text: "" }))
  ]
  if (top.view !== "list") {
    const lines = top.view === "help" ? topHelp.map((text) => ({ text })) : top.text
    return [...above, ...filled(text(top, lines, seen), room), ...below].slice(-Math.max(1, rows))
  }
  const output = top.pane ? pane(top, Math.ceil(room / 2), columns) : []
  const list = Math.max(0, room - output.length)
  const { note, rows: jobs } = topTable(top, list, seen)
  // Where the list fills the screen, what its chosen job says takes a line of it.
  const table = note === "" || list < 3 ? jobs : topTable(top, list - 1, seen).rows
  const said = note === "" || list < 3 ? [] : [{ text: note, tone: "dim" } as const]
  return [...above, ...filled(table, list - said.length), ...said, ...output, ...below].slice(-Math.max(1, rows))
}
