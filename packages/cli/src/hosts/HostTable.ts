import { epochOf, isOwnCommand, Words } from "@souffleur/domain"
import { jobLine, type Need } from "@souffleur/embed/internal"
import { Clock, Console, Effect } from "effect"
import { nextLines } from "../explain/NextLine.ts"
import { shortTitle } from "../explain/ShortTitle.ts"
import { table } from "../explain/TextTable.ts"
import { paint, printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { askHosts, shownGeneration, type HostRow, hostRows, hostsOf } from "./HostStatus.ts"

/** The state is last: the reason why a host has no answer may be long. */
const titles = ["HOST", "WATCH", "TITLE", "AGENT", "GEN", "REV", "LAST EVENT", "STATE"]

const cellsOf = ({ host, lastKnown, problem, watch }: HostRow, now: number): ReadonlyArray<string> => {
  const known = lastKnown ? "last known: " : ""
  if (watch === undefined) return [host, "", "", "", "", "", "", problem ?? `${known}no watch`]
  // A host of another version may not tell it.
  const revision = typeof watch["revision"] === "number" ? String(watch["revision"]) : ""
  const at = epochOf(watch.last_event_at)
  const age = at === undefined ? "" : `${Words.duration(Math.max(0, now - at))} ago`
  return [
    host,
    watch.watch,
    shortTitle({ title: watch.title ?? null }),
    watch.agent ?? "",
    `S${shownGeneration(watch)}`,
    revision,
    age,
    `${known}${jobLine(watch)}`
  ]
}

/** Returns the lines of a table of watches of several hosts, its titles first. `now`: epoch milliseconds. */
export const hostTable = (rows: ReadonlyArray<HostRow>, now: number, columns: number | undefined) =>
  table(
    rows.map((row) => cellsOf(row, now)),
    { heads: titles, columns }
  )

/**
 * Returns the reason of a need, with its command where that is one of souffleur. It is to be typed on the other host. A
 * host may say anything, and no other command of it is told.
 */
export const needLine = ({ next, why }: { readonly next: string; readonly why: string }): string =>
  isOwnCommand(next) ? `${why}. There: ${next}` : why

/** Prints the watches of several hosts as a table, and what they need from a person. */
export const tellRows = Effect.fn("tellRows")(function* (rows: ReadonlyArray<HostRow>, needs: ReadonlyArray<Need>) {
  const { colour, columns } = yield* Environment
  const dim = (words: string) => paint(colour)("dim", words)
  const [title = "", ...lines] = hostTable(rows, yield* Clock.currentTimeMillis, columns)
  yield* printLines([dim(title), ...lines].join("\n"))
  if (needs.length === 0) return
  yield* Console.log("")
  yield* printLines([dim("NEXT"), ...nextLines(needs, dim)].join("\n"))
})

/** Prints the watches of several hosts, each asked by ssh (spec: command-line#status). Fails with `BadUsage`. */
export const printHosts = Effect.fn("printHosts")(function* (text: string, { asJson }: { readonly asJson: boolean }) {
  const answers = yield* askHosts(yield* hostsOf(text))
  if (asJson) return yield* printJson(answers)
  const rows = hostRows(answers)
  const needs = rows.flatMap(({ host, watch }) =>
    watch?.need == null ? [] : [{ next: `ssh ${host}`, why: `${watch.watch}: ${needLine(watch.need)}` }]
  )
  yield* tellRows(rows, needs)
})
