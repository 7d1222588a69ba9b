import { Option } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { said } from "../cli/CliStage.ts"
import { livesIn, overlaps } from "./Diaries.ts"
import { rowsOf, standingOf } from "./LogFromOutside.ts"
import type { Ordeal } from "./Ordeal.ts"

/** States that must never be, by name. Each lists the sightings. */
export interface Verdict {
  readonly doubleLaunches: ReadonlyArray<string>
  readonly lostEvents: ReadonlyArray<string>
  readonly stuck: ReadonlyArray<string>
  /** The successor does not know what the Conductor knew. */
  readonly forgotten: ReadonlyArray<string>
  /** Two souffleurs, or two guardians, that acted on one watch at once. */
  readonly rivals: ReadonlyArray<string>
  /** A process of souffleur that outlived its watch, or left it alone. */
  readonly strays: ReadonlyArray<string>
  /** A stranger was ended, or a stranger's words were acted on. */
  readonly believed: ReadonlyArray<string>
}

/**
 * Finds cycles with several taken receipts. A cycle has one successor at most, whether or not souffleur heard of it.
 */
const launches = (state: string): ReadonlyArray<string> => {
  const folder = join(state, "launches")
  const taken = fs
    .readdirSync(folder)
    .filter((file) => file.endsWith(".receipt") && fs.readFileSync(join(folder, file), "utf8").includes('"Taken"'))
    .flatMap((file) => /-c\d+-(?:6-launch|resume)-\d+/u.exec(file)?.[0] ?? [])
  const cycles = Map.groupBy(taken, (name) => /^-c\d+/u.exec(name)![0])
  return [...cycles].flatMap(([cycle, names]) =>
    names.length > 1 ? [`cycle ${cycle.slice(2)} has launched ${names.join(" and ")}`] : []
  )
}

/**
 * Judges a world from outside. It reads the agents' own diaries, the receipts, the log as a file, and the printed
 * lines. Every printed line is an acknowledged event.
 */
export const verdict = ({ believed, code, diaries, retried, rivals, started, strays, the, way }: Ordeal): Verdict => {
  const lives = livesIn(diaries)
  const rows = rowsOf(the.state)
  const lost: Array<string> = rows.flatMap(({ revision }, n) =>
    revision === n + 1 ? [] : [`revision ${n + 1} is missing`]
  )
  for (const { _tag, at, revision, watch: _, ...fields } of started.flatMap(({ lines }) => lines.map(said))) {
    const row = rows[revision - 1]
    const kept = row === undefined ? undefined : JSON.stringify({ ...JSON.parse(row.data), at: undefined })
    if (row?.tag !== _tag || kept !== JSON.stringify(fields))
      lost.push(`revision ${revision} was printed as ${_tag} at ${at}`)
  }
  const complete = standingOf(rows).phase === "ended" && the.row("souffleur")["state"] === "complete"
  // On a busy machine comms may be out when progress is read. Unknown progress counts as none, and a person is asked.
  const asked =
    rows.at(-1)?.tag === "RetriesExhausted" && started.some(({ errors }) => errors().includes("comms is out"))
  const ended = asked || (Option.contains(code, 0) && complete)
  const successor = rows.findLast(({ tag }) => tag === "ConductorRelaunched")
  const session =
    successor === undefined
      ? the.session
      : String((JSON.parse(successor.data) as { readonly sessionId: string }).sessionId)
  const remembers = the.conversation(session).toLowerCase().includes("the stage word is gossamer")
  const tail = rows
    .slice(-12)
    .map(({ tag }) => tag)
    .join(" ")
  const closed = rows.findLast(({ tag }) => tag === "RecoveryFailedClosed")?.data ?? "never closed"
  return {
    doubleLaunches: [
      ...overlaps(lives).map(([one, other]) => `${one.pid} lived until ${one.to}, ${other.pid} from ${other.from}`),
      ...launches(the.state)
    ],
    lostEvents: lost,
    stuck: ended
      ? []
      : [
          `${way}: exit code ${JSON.stringify(code)}, ${tail}, ${closed}, retried ${JSON.stringify(retried)}: ${started.at(-1)?.errors()}`
        ],
    forgotten: remembers ? [] : [`${way}: session ${session}`],
    rivals,
    strays,
    believed: believed(session)
  }
}
