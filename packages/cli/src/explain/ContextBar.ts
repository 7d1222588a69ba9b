import type { WatchStatus } from "@souffleur/embed"

/** The columns of a bar. */
const barColumns = 5

const thousands = (tokens: number) => `${Math.round(tokens / 1000)}k`

/** Returns the context in use, and its limit behind a bar where that is known. `columns`: of the bar; 0: none. */
export const contextBar = (
  { tokens, window }: Pick<NonNullable<WatchStatus["context"]>, "tokens" | "window">,
  columns = barColumns
): string => {
  if (window === null) return thousands(tokens)
  const full = Math.max(0, Math.min(columns, Math.round((tokens / window) * columns)))
  const bar = columns === 0 ? "" : `${"■".repeat(full)}${"□".repeat(columns - full)} `
  return `${bar}${thousands(tokens)} of ${thousands(window)}`
}
