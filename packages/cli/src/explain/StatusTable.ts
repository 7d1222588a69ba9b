import { limitLasts, plain, Words } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { type Job, jobNote, jobSigns, type JobWord, jobWord } from "@souffleur/embed/internal"
import { type Used, usedInWords } from "@souffleur/plan"
import type { Paint } from "../Printing.ts"
import { cut, padded, wrapped } from "../Wrapped.ts"
import { contextBar } from "./ContextBar.ts"
import { shortTitle } from "./ShortTitle.ts"
import { textColumns } from "./TextColumns.ts"

/** A watch or a run in the table. */
export interface StatusRow {
  readonly job: Omit<Job, "labels" | "project">
  /** The watch as it is now; `undefined`: it is a run, or has ended, and is not looked at. */
  readonly seen: WatchStatus | undefined
  /** True if a person has not been told of its newest event. */
  readonly unread: boolean
}

/** How a table is shown. */
interface TableLook {
  /** Epoch milliseconds. */
  readonly now: number
  /** Of the terminal; `undefined`: there is none. Then each row is one line, and has each column. */
  readonly columns: number | undefined
  readonly brush: Paint
}

/** UTF-16 units of a cell, and of a note in a pipe. */
const [maxCell, maxNote] = [200, 2000] as const
/** Columns of a title, of an agent with its model, and of a title below its row. */
const [titleColumns, agentColumns, belowColumns] = [32, 28, 60] as const

type Cell = (row: StatusRow, now: number) => string

/** Says how long ago; empty: nothing is known, as of a log that cannot be read. */
const ago = (at: number | null, now: number) => (at === null || at === 0 ? "" : Words.duration(Math.max(0, now - at)))

const agent: Cell = ({ job: { agent }, seen }) => {
  const model = seen?.context?.model ?? ""
  const own = agent !== null && model.startsWith(`${agent}-`) ? model.slice(agent.length + 1) : model
  return cut(plain([agent ?? "", own].filter((one) => one !== "").join(" "), maxCell), agentColumns)
}

/** Returns what a job used. Of a watch that is known where its use is limited. */
export const statusUse = ({ job: { used }, seen }: Pick<StatusRow, "job" | "seen">): Used => {
  const counted = (of: "dollars" | "tokens") =>
    seen?.limits.find(({ flag, limit }) => limit === of && flag === null)?.used ?? 0
  return used ?? { tokens: counted("tokens"), dollars: counted("dollars") }
}

const cost: Cell = (row) => {
  const used = statusUse(row)
  if (used.dollars > 0) return Words.dollars(used.dollars)
  return used.tokens > 0 ? usedInWords(used) : ""
}

/** Says which limit comes first, and how long it lasts; empty: none is foreseen. */
export const limitCell: Cell = ({ seen }, now) => {
  const [first] = (seen?.limits ?? [])
    .flatMap((one) => (one.reachedAt === null ? [] : [{ ...one, reachedAt: one.reachedAt }]))
    .toSorted((a, b) => a.reachedAt - b.reachedAt)
  return first === undefined ? "" : `${first.limit} ${limitLasts(first, now)}`
}

/** Counts the tasks of comms by their states; empty: there are none. */
export const musiciansCell: Cell = ({ seen }) => {
  const counts = new Map<string, number>()
  for (const { state } of seen?.tasks ?? []) counts.set(state, (counts.get(state) ?? 0) + 1)
  return plain([...counts].map(([state, count]) => `${count} ${state}`).join(", "), maxCell)
}

const processOf: Cell = ({ seen }) =>
  seen === undefined ? "" : `pid ${seen.watch.conductor?.pid ?? seen.watch.pid} ${seen.conductor ?? ""}`.trimEnd()

const heartbeat: Cell = ({ seen }) => {
  if (seen === undefined || seen.comms === "none") return ""
  return seen.comms === "out" ? `comms is out (${seen.commsOut})` : `heartbeat ${Words.duration(seen.heartbeatAge)}`
}

const owner: Cell = ({ seen }) => {
  if (seen === undefined) return ""
  return seen.owner === null || seen.owner === "gone" ? "no souffleur" : `by pid ${seen.watch.owner?.process.pid}`
}

/** A column behind the name and the state. */
export interface StatusColumn {
  readonly head: string
  /** On a terminal that is too narrow for all, the columns of a higher rank are left out first. */
  readonly rank: number
  readonly of: Cell
}

const others: ReadonlyArray<StatusColumn> = [
  { head: "TITLE", rank: 6, of: ({ job }) => plain(job.title ?? "", maxCell) },
  { head: "AGENT", rank: 1, of: agent },
  { head: "GEN", rank: 3, of: ({ job: { generation } }) => (generation === null ? "" : `S${generation}`) },
  { head: "DEATHS", rank: 3, of: ({ job: { retries } }) => (retries === 0 ? "" : `${retries} of 3`) },
  {
    head: "TASKS",
    rank: 3,
    of: ({ job: { tasks } }) => (tasks === null || tasks.all === 0 ? "" : `${tasks.complete} of ${tasks.all}`)
  },
  { head: "CONTEXT", rank: 2, of: ({ seen }) => (seen?.context ? contextBar(seen.context) : "") },
  { head: "COST", rank: 4, of: cost },
  { head: "LAST EVENT", rank: 5, of: ({ job: { at } }, now) => (at === 0 ? "" : `${ago(at, now)} ago`) },
  { head: "AGE", rank: 7, of: ({ job: { begun } }, now) => ago(begun, now) },
  { head: "PROCESS", rank: 8, of: processOf },
  { head: "HEARTBEAT", rank: 9, of: heartbeat },
  { head: "OWNER", rank: 10, of: owner },
  { head: "BEAT", rank: 11, of: ({ seen }) => (seen === undefined ? "" : `watcher ${Words.duration(seen.beatAge)}`) }
]

/** Returns what a row says besides its cells: its need, its standing, or the act of its agent. */
const noteOf = ({ job, seen }: StatusRow): string => {
  const doing = jobWord(job) === "working" && seen?.doing ? `it ${seen.doing}` : ""
  return [jobNote(job), doing].filter((one) => one !== "").join("; ")
}

const tones = {
  failed: "red",
  "needs you": "yellow",
  recovering: "yellow",
  ended: "dim"
} as const satisfies Partial<Record<JobWord, Parameters<Paint>[0]>>

/** Returns the colour of a row's state; `undefined`: none. */
export const statusTone = ({ job, unread }: StatusRow): Parameters<Paint>[0] | undefined => {
  const word: JobWord = jobWord(job)
  if (word === "failed" && !unread) return "dim"
  return word in tones ? tones[word as keyof typeof tones] : undefined
}

const most = (cells: ReadonlyArray<string>, least: number) =>
  cells.reduce((width, cell) => Math.max(width, textColumns(cell)), least)

/** Returns the rows for a program or a file: a line each, each with every column. */
const plainTable = (rows: ReadonlyArray<StatusRow>, now: number): ReadonlyArray<string> => {
  const column = (head: string, of: Cell) => {
    const cells = rows.map((row) => of(row, now) || "-")
    const width = most(cells, head.length)
    return [head, ...cells].map((cell) => padded(cell, width))
  }
  const columns = [
    column("NAME", ({ job }) => plain(job.id, maxCell)),
    column("STATE", ({ job }) => jobWord(job)),
    column("SINCE", ({ job }) => ago(job.since, now)),
    ...others.map(({ head, of }) =>
      column(head, head === "CONTEXT" ? ({ seen }) => (seen?.context ? contextBar(seen.context, 0) : "") : of)
    )
  ]
  const notes = ["NOTE", ...rows.map((row) => plain(noteOf(row), maxNote) || "-")]
  return notes.map((note, n) => [...columns.map((cells) => cells[n]!), note].join("  "))
}

/** Columns between two cells. */
const gap = 2
const spaces = " ".repeat(gap)

/** A row of a table in its parts, the first three of them as wide as in each other row. */
export interface StatusLine {
  readonly name: string
  readonly state: string
  /** Begins with the gap to the state. */
  readonly cells: string
  /** Its title where no column has it; empty: one has, or it has none. */
  readonly title: string
  /** What it says besides; empty: nothing. */
  readonly note: string
}

/**
 * Lays out a table of watches and runs for a terminal. No state is cut: what does not fit beside one is left out.
 * `more`: columns right behind the state.
 */
export const statusLayout = (
  rows: ReadonlyArray<StatusRow>,
  {
    columns,
    more = [],
    now
  }: { readonly columns: number; readonly more?: ReadonlyArray<StatusColumn>; readonly now: number }
): { readonly heads: string; readonly width: number; readonly lines: ReadonlyArray<StatusLine> } => {
  const states = rows.map((row) =>
    `${jobSigns[jobWord(row.job)]} ${jobWord(row.job)} ${ago(row.job.since, now)}`.trimEnd()
  )
  const state = most(states, "STATE".length)
  const ids = rows.map(({ job }) => plain(job.id, maxCell))
  const name = Math.min(
    most(ids, "NAME".length),
    Math.max(columns - state - gap, 1),
    Math.max(16, Math.floor(columns / 3))
  )
  const filled = [...more, ...others]
    .map(({ head, of, rank }, n) => {
      const cells = rows.map((row) => of(row, now))
      const width = Math.min(most(cells, 0), head === "TITLE" ? titleColumns : columns)
      return { n, head, rank, cells, width: width === 0 ? 0 : Math.max(width, head.length) }
    })
    .filter(({ width }) => width > 0)
    .toSorted((a, b) => a.rank - b.rank)
  // What does not fit is left out with all of a higher rank, so that a wider terminal never shows less.
  let end = name + gap + state
  const fitting = filled.filter(({ width }) => (end += gap + width) <= columns)
  const free = columns - fitting.reduce((sum, { width }) => sum + gap + width, name + gap + state)
  const kept = fitting
    .toSorted((a, b) => a.n - b.n)
    .map((one) =>
      one.head === "TITLE" ? { ...one, width: Math.min(one.width + free, most(one.cells, one.width)) } : one
    )
  const isTitled = kept.some(({ head }) => head === "TITLE")
  const line = (cells: ReadonlyArray<string>) =>
    kept.map(({ width }, n) => spaces + padded(cut(cells[n]!, width), width)).join("")
  return {
    heads: `${padded("NAME", name)}${spaces}${padded("STATE", state)}${line(kept.map(({ head }) => head))}`.trimEnd(),
    width: kept.reduce((sum, { width }) => sum + gap + width, name + gap + state),
    lines: rows.map((row, n) => ({
      name: padded(cut(ids[n]!, name), name),
      state: padded(states[n]!, state),
      cells: line(kept.map(({ cells }) => cells[n]!)),
      title: isTitled ? "" : shortTitle(row.job, belowColumns),
      note: plain(noteOf(row), maxCell)
    }))
  }
}

/**
 * Returns the lines of a table of watches and runs, its titles first. On a terminal no line is wider than it, and what
 * a job says is below its row.
 */
export const statusTable = (
  rows: ReadonlyArray<StatusRow>,
  { brush, columns, now }: TableLook
): ReadonlyArray<string> => {
  if (columns === undefined) return plainTable(rows, now)
  const { heads, lines, width } = statusLayout(rows, { columns, now })
  return [
    brush("dim", heads),
    ...lines.flatMap(({ cells, name, note: said, state, title }, n) => {
      const note = [title, said].filter((one) => one !== "").join(" · ")
      const tone = statusTone(rows[n]!)
      const isBeside = note !== "" && width + gap + textColumns(note) <= columns
      const before = `${name}${spaces}${tone === undefined ? state : brush(tone, state)}`
      return [
        isBeside ? `${before}${cells}${spaces}${brush("dim", note)}` : `${before}${cells.trimEnd()}`,
        ...(isBeside || note === "" ? [] : wrapped(spaces + note, columns, gap).map((one) => brush("dim", one)))
      ]
    })
  ]
}
