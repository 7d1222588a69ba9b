import type { Job } from "@souffleur/embed"
import type { Terminal } from "effect"
import { limitCell, musiciansCell, statusLayout, type StatusRow, statusTone } from "../explain/StatusTable.ts"
import { textColumns } from "../explain/TextColumns.ts"
import { cut } from "../Wrapped.ts"
import { sparkline } from "./TopActivity.ts"
import { allJobs, chosenAt, jobKey, jobsIn, type Top } from "./Top.ts"
import type { TopLine } from "./TopLine.ts"

/** The columns before a row, and between its cells and what it says. */
const [mark, gap] = [2, 2] as const

/** The least and the most columns of what a row says, and those of a terminal that keeps room for it. */
const [leastNote, mostNote, roomFrom] = [10, 40, 100] as const

/** The lines from which on the table has its heads. */
const headsFrom = 6

/** Returns the list, of so many lines, and what the chosen job says where its row cannot show it. */
export const topTable = (
  top: Top,
  lines: number,
  { columns, now }: Pick<Terminal.Size, "columns"> & { readonly now: number }
): { readonly rows: ReadonlyArray<TopLine>; readonly note: string } => {
  const jobs = jobsIn(top)
  const sayings = (rows: ReadonlyArray<TopLine>) => ({ rows, note: "" })
  if (top.news === null) return sayings([{ text: "Reading the log…" }])
  if (allJobs(top).length === 0)
    return sayings([{ text: 'Start an agent, and it is here: souffleur run -- AGENT "do it"' }])
  if (jobs.length === 0) return sayings([{ text: `Nothing here has ${JSON.stringify(top.filter)}` }])
  const rows = jobs.map((job): StatusRow => ({ job, seen: top.sights.get(jobKey(job))?.status, unread: true }))
  const activity = (job: Pick<Job, "id" | "kind">) => sparkline(top.sights.get(jobKey(job))?.activity ?? new Map(), now)
  const room = columns < roomFrom ? 0 : Math.min(mostNote, Math.floor(columns / 6))
  const layout = statusLayout(rows, {
    columns: columns - mark - room,
    now,
    more: [
      { head: "LAST HOUR", rank: 3, of: ({ job }) => activity(job) },
      { head: "LIMIT", rank: 4, of: limitCell },
      { head: "MUSICIANS", rank: 5, of: musiciansCell }
    ]
  })
  const rest = columns - mark - layout.width - gap
  const shown = (note: string) => (rest < leastNote ? "" : cut(note, rest))
  const at = chosenAt(top, jobs)
  const hasHeads = lines >= headsFrom
  const count = lines - (hasHeads ? 1 : 0)
  const first = Math.max(0, Math.min(at - Math.floor(count / 2), jobs.length - count))
  const said = layout.lines.map(({ note, title }) => [note, title].filter((one) => one !== "").join(" · "))
  const body = layout.lines.slice(first, first + count).map(({ cells, name, state }, n): TopLine => {
    const isChosen = first + n === at
    const note = said[first + n]!
    const tone = statusTone(rows[first + n]!)
    const line = `${isChosen ? "›" : " "} ${name}  ${state}${cells}`
    return {
      text: note === "" || shown(note) === "" ? line.trimEnd() : `${line}  ${shown(note)}`,
      bold: isChosen,
      tone: isChosen && tone === "dim" ? undefined : tone
    }
  })
  const note = said[at]!
  return {
    rows: [...(hasHeads ? [{ text: `  ${layout.heads}`, tone: "dim" } as const] : []), ...body],
    note: textColumns(note) <= rest ? "" : note
  }
}
