import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export interface Row {
  readonly stream: string
  readonly revision: number
  readonly tag: string
  readonly data: string
}

/** Where a watch stands: `at` names the step that is under way, or that was the last to end. */
export interface Standing {
  readonly revision: number
  readonly phase: "watching" | "recovering" | "standing by" | "ended"
  /** A successor was launched. */
  readonly relaunched: boolean
  readonly at: string
}

const phases: Readonly<Record<string, Standing["phase"]>> = {
  RecoveryStarted: "recovering",
  RecoveryFailedClosed: "standing by",
  ConductorRelaunched: "watching",
  ConductorCompleted: "ended",
  RetriesExhausted: "ended",
  WatchReleased: "ended"
}

/** The events of a state folder, read as a file, by nobody of ours. */
export const rowsOf = (state: string): ReadonlyArray<Row> => {
  const file = join(state, "souffleur.db")
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return db.prepare("SELECT stream, revision, tag, data FROM events ORDER BY position").all() as unknown as ReadonlyArray<Row>
  } finally {
    db.close()
  }
}

export const standingOf = (rows: ReadonlyArray<Row>): Standing => {
  const turn = rows.findLastIndex(({ tag }) => tag in phases)
  const phase = phases[rows[turn]?.tag ?? ""] ?? "watching"
  const step = rows.slice(turn).findLast(({ tag }) => tag.startsWith("Step"))
  const name = step === undefined ? "" : String((JSON.parse(step.data) as { readonly step: string }).step)
  const inRecovery = step === undefined ? "before the first step" : `${step.tag === "StepStarted" ? "in" : "after"} ${name}`
  return {
    revision: rows.length,
    phase,
    relaunched: rows.some(({ tag }) => tag === "ConductorRelaunched"),
    at: phase === "recovering" ? inRecovery : phase
  }
}
