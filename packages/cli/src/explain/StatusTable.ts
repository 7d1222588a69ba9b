import { Words } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { type EndedWatch, type Job, jobLine } from "@souffleur/embed/internal"
import { shortTitle } from "./ShortTitle.ts"
import { table } from "./TextTable.ts"

/** A watch in the table. */
export interface StatusRow {
  readonly id: string
  readonly watch: Pick<EndedWatch, "generation" | "lastEventAt" | "overreach" | "project" | "retries">
  readonly job: Pick<Job, "agent" | "need" | "standing" | "state" | "title">
  /** The watch as it is now; `undefined`: it has ended, and is not looked at. */
  readonly seen: WatchStatus | undefined
}

const titles = [
  "WATCH",
  "TITLE",
  "STATE",
  "AGENT",
  "GEN",
  "PROCESS",
  "HEARTBEAT",
  "CONTEXT",
  "BEAT",
  "DEATHS",
  "LAST EVENT",
  "OWNER"
]

/** Returns the context in use, and its limit where that is known. */
const usage = ({ tokens, window }: NonNullable<WatchStatus["context"]>) =>
  window === null ? `${Math.round(tokens / 1000)}k` : `${Math.round(tokens / 1000)}k of ${Math.round(window / 1000)}k`

/** Returns the cells that only a look at a living watch can fill. */
const lookedAt = ({ beatAge, comms, commsOut, conductor, context, heartbeatAge, owner, watch }: WatchStatus) => ({
  process: `pid ${watch.conductor?.pid ?? watch.pid} ${conductor ?? ""}`.trimEnd(),
  heartbeat:
    comms === "none"
      ? ""
      : comms === "out"
        ? `comms is out (${commsOut})`
        : `heartbeat ${Words.duration(heartbeatAge)}`,
  context: context === null ? "" : usage(context),
  beat: `watcher ${Words.duration(beatAge)}`,
  owner: owner === null || owner === "gone" ? "no souffleur" : `by pid ${watch.owner?.process.pid}`
})

const cellsOf = ({ id, job, seen, watch }: StatusRow, now: number): ReadonlyArray<string> => {
  const looked = seen === undefined ? undefined : lookedAt(seen)
  return [
    id,
    shortTitle(job),
    jobLine(job),
    job.agent ?? "",
    `S${Math.max(1, watch.generation)}`,
    looked?.process ?? "",
    looked?.heartbeat ?? "",
    looked?.context ?? "",
    looked?.beat ?? "",
    watch.retries === 0 ? "" : Words.ofAllowed(watch.retries),
    `${Words.duration(now - watch.lastEventAt)} ago`,
    looked?.owner ?? ""
  ]
}

/**
 * Returns the lines of a table of watches, its titles first. `now`: epoch milliseconds. `columns`: of the terminal;
 * `undefined`: there is none.
 */
export const statusTable = (rows: ReadonlyArray<StatusRow>, now: number, columns: number | undefined) =>
  table(
    rows.map((row) => cellsOf(row, now)),
    { heads: titles, columns }
  )
