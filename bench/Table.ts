import { Clock, Effect } from "effect"

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Runs some work and returns its seconds. */
export const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = yield* Clock.monotonicTimeNanos
  yield* work
  return Number((yield* Clock.monotonicTimeNanos) - before) / 1e9
})

/** Aligns columns of text, the first one to the left. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
