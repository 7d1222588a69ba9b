import { textColumns, unitsWithin } from "./explain/TextColumns.ts"

/** The least columns of a terminal that lines are broken for. */
const leastColumns = 20

/**
 * Breaks a line at its spaces for a terminal with so many columns. Later lines begin with `indent` spaces. A word that
 * is too long is broken itself. `undefined`: there is no terminal, and the line stays whole.
 */
export const wrapped = (text: string, columns: number | undefined, indent = 0): ReadonlyArray<string> => {
  if (columns === undefined || columns < leastColumns || textColumns(text) <= columns) return [text]
  const before = " ".repeat(Math.min(indent, Math.floor(columns / 2)))
  const lines: Array<string> = []
  for (let [at, lead] = [0, ""]; ; lead = before) {
    // A part of a text shares its units, so no line costs as much as all those after it.
    const rest = text.slice(at)
    const most = unitsWithin(rest, columns - lead.length)
    if (most === rest.length) return [...lines, lead + rest]
    const space = rest.lastIndexOf(" ", most)
    const end = lead.length + space > before.length ? space : most
    lines.push((lead + rest.slice(0, end)).trimEnd())
    at = text.length - rest.slice(end).trimStart().length
  }
}

/** Returns the spaces before a line, for its later parts. */
export const indentOf = (text: string): number => text.length - text.trimStart().length

/** Returns the column at which a row continues: below its second cell, else below its first word. */
const hangOf = (text: string): number => {
  const row = /^ *\S+(?: \S+)* {2,}(?=\S)/u.exec(text)
  return row === null ? indentOf(text) : row[0].length
}

/** Columns before the second cell of a row whose first cell is too wide for its terminal. */
const belowIndent = 24

/** Breaks a row. Where its first cell takes more than half of the terminal, the second one follows below it. */
const wrappedRow = (line: string, columns: number | undefined): ReadonlyArray<string> => {
  const hang = hangOf(line)
  return columns === undefined || line.length <= columns || hang <= columns / 2
    ? wrapped(line, columns, hang)
    : [line.slice(0, hang).trimEnd(), ...wrapped(" ".repeat(belowIndent) + line.slice(hang), columns, belowIndent)]
}

/** Breaks each line of a text for a terminal with so many columns, and keeps its rows in their columns. */
export const wrappedText = (text: string, columns: number | undefined): string =>
  text
    .split("\n")
    .flatMap((line) => wrappedRow(line, columns))
    .join("\n")

/** Adds spaces to a text, up to so many columns. */
export const padded = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - textColumns(text)))

/** Cuts a line for a terminal with so many columns. `undefined`: there is no terminal, and the line stays whole. */
export const cut = (text: string, columns: number | undefined): string =>
  columns === undefined || textColumns(text) <= columns
    ? text
    : `${text.slice(0, unitsWithin(text, Math.max(0, columns - 1)))}…`
