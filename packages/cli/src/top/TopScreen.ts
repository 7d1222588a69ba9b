import { Effect, Terminal } from "effect"
import { type TopLine, writtenLine } from "./TopLine.ts"

/** The marks of synchronized output. A terminal that knows them draws nothing half. */
const [together, done] = ["\u001B[?2026h", "\u001B[?2026l"]

/** Returns what writes the lines that differ from those before. It is empty where none does. */
export const changesOf = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): string => {
  const changed = after.flatMap((line, n) => (line === before[n] ? [] : [`\u001B[${n + 1};1H\u001B[2K${line}`]))
  return changed.length === 0 ? "" : `${together}${changed.join("")}${done}`
}

/** Makes a screen that writes changed lines alone. Another size of the terminal, or `again`, writes all of them. */
export const makeTopScreen = Effect.fn("makeTopScreen")(function* (colours: boolean) {
  const terminal = yield* Terminal.Terminal
  let shown: ReadonlyArray<string> = []
  let drawn: Terminal.Size = { columns: 0, rows: 0 }
  return Effect.fnUntraced(function* (frame: (size: Terminal.Size) => ReadonlyArray<TopLine>, again = false) {
    const size = { columns: yield* terminal.columns, rows: yield* terminal.rows }
    const fresh = again || size.columns !== drawn.columns || size.rows !== drawn.rows
    const lines = frame(size).map((line) => writtenLine(line, size.columns, colours))
    const out = changesOf(fresh ? [] : shown, lines)
    shown = lines
    drawn = size
    if (out !== "") yield* terminal.display(fresh ? `\u001B[2J${out}` : out)
  })
})
