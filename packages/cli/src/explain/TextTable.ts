import { plain } from "@souffleur/domain"
import { Effect } from "effect"
import { printLines } from "../Printing.ts"
import { cut, padded, wrapped } from "../Wrapped.ts"
import { textColumns } from "./TextColumns.ts"

/** UTF-16 units of a cell, and of the last cell of a row. `--json` prints everything. */
const [maxCell, maxLast] = [200, 2000] as const

/** How a table is laid out. */
export interface TableLayout {
  /** The names of the columns, for a first line. */
  readonly heads?: ReadonlyArray<string>
  /** Begins each line. */
  readonly indent?: string
  /** Columns of the terminal; `undefined`: there is none, and lines stay whole. */
  readonly columns?: number | undefined
  /** True if a row that is too long goes on below its last cell. Else it is cut. */
  readonly wraps?: boolean
}

/**
 * Lays rows out as a table, and returns a text for each. Columns are aligned, whole numbers at the right, and empty
 * columns left out. The last cell of a row may be longer than its column. Words of others are made plain.
 */
export const table = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { columns, heads, indent = "", wraps = false }: TableLayout = {}
): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map((cell, n) => plain(cell, n === row.length - 1 ? maxLast : maxCell)))
  const lines = heads === undefined ? cells : [heads, ...cells]
  let start = indent.length
  // A list may have ten thousand rows, more than one call takes arguments.
  const most = (of: (line: ReadonlyArray<string>) => number) =>
    lines.reduce((least, line) => Math.max(least, of(line)), 0)
  const places = Array.from({ length: most((line) => line.length) }, (_, n) => {
    const filled = cells.some((row) => (row[n] ?? "") !== "")
    const width = most((line) => (n < line.length - 1 ? textColumns(line[n]!) : 0))
    const begin = start
    if (filled) start += width + 2
    return { filled, begin, end: begin + width, number: cells.every((row) => /^\d*$/u.test(row[n] ?? "")) }
  })
  return lines.map((line) => {
    let text = indent
    for (const [n, cell] of line.entries()) {
      const { begin, end, filled, number } = places[n]!
      const right = number && n < line.length - 1
      if (cell !== "" && filled) text = padded(text, right ? end - textColumns(cell) : begin) + cell
    }
    return wraps ? wrapped(text, columns, places[line.length - 1]?.begin).join("\n") : cut(text, columns)
  })
}

/** Prints a table. */
export const printTable = (...args: Parameters<typeof table>) => {
  const lines = table(...args)
  return lines.length === 0 ? Effect.void : printLines(lines.join("\n"))
}
