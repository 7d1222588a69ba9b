import { Effect } from "effect"
import { table } from "../explain/TextTable.ts"
import { type Paint, paint, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** Something that was looked at, how it was found, and what to do about it. */
interface Looked {
  readonly check: string
  /** Of a check of `doctor`. */
  readonly level?: "ok" | "note" | "wrong"
  /** Of a check before a run. */
  readonly standing?: "ok" | "not ok" | "unknown"
  readonly detail: string
  readonly todo: string | null
}

const colours: Readonly<Record<string, Parameters<Paint>[0]>> = {
  ok: "green",
  note: "yellow",
  unknown: "yellow",
  wrong: "red",
  "not ok": "red"
}

/** Prints checks as a table, each with what to do below it. `to`: standard output by default. */
export const printChecks = Effect.fn("printChecks")(function* (
  checks: ReadonlyArray<Looked>,
  to: "error" | "log" = "log"
) {
  const { colour, columns } = yield* Environment
  const brush = paint(colour)
  const dim = (text: string) => text.replaceAll(/.+/gu, (line) => brush("dim", line))
  const rows = checks.flatMap(({ check, detail, level = "", standing = level, todo }) => [
    {
      cells: [standing, check, detail],
      drawn: (text: string) => text.replace(standing, brush(colours[standing] ?? "dim", standing))
    },
    ...(todo === null ? [] : [{ cells: ["", "", `-> ${todo}`], drawn: dim }])
  ])
  const lines = table(
    rows.map(({ cells }) => cells),
    { columns, wraps: true }
  )
  yield* printLines(lines.map((line, n) => rows[n]!.drawn(line)).join("\n"), to)
})
