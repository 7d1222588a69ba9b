import { Clock, Console, Effect } from "effect"

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Runs some work and returns its seconds. */
export const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = yield* Clock.monotonicTimeNanos
  yield* work
  return Number((yield* Clock.monotonicTimeNanos) - before) / 1e9
})

/** A row of a report. Its last cell is `measured`, which has a limit in some rows. */
export interface Row {
  readonly cells: ReadonlyArray<string>
  readonly measured?: number
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number }
}

export const isMet = ({ limit, measured = Number.NaN }: Row): boolean =>
  limit === undefined || ("atMost" in limit ? measured <= limit.atMost : measured >= limit.atLeast)

const verdict = (row: Row): string => {
  if (row.limit === undefined) return ""
  const asked = "atMost" in row.limit ? `<= ${row.limit.atMost}` : `>= ${row.limit.atLeast}`
  return `${asked} ${isMet(row) ? "met" : "missed"}`
}

/** Aligns columns of text, the first one to the left. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Prints rows with their limits. Returns whether each limit is met. */
export const report = Effect.fnUntraced(function* (head: ReadonlyArray<string>, rows: ReadonlyArray<Row>) {
  const digits = (measured: number | undefined) => (measured === undefined ? "" : measured.toFixed(2))
  yield* Console.log(
    `${table([[...head, "limit"], ...rows.map((row) => [...row.cells, digits(row.measured), verdict(row)])])}\n`
  )
  return rows.every(isMet)
})
