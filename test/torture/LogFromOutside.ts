import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export interface Row {
  readonly stream: string
  readonly revision: number
  readonly tag: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly data: string
}

/** The point that a watch has reached. `at` names the step that is under way, or the last step that ended. */
export interface Standing {
  readonly revision: number
  readonly phase: "watching" | "recovering" | "standing by" | "ended"
  /** True if a successor was launched. */
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

/** Reads the events of a state folder as a plain file, without any code of souffleur. */
export const rowsOf = (state: string): ReadonlyArray<Row> => {
  const file = join(state, "souffleur.db")
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return db
      .prepare("SELECT stream, revision, tag, at, data FROM events ORDER BY position")
      .all() as unknown as ReadonlyArray<Row>
  } finally {
    db.close()
  }
}

/** Reads the pid of the guardian that beats, or was the last to beat. */
export const guardianIn = (state: string): number | undefined => {
  const db = new DatabaseSync(join(state, "souffleur.db"), { readOnly: true, timeout: 5000 })
  try {
    const role = db.prepare("SELECT role FROM beats WHERE role GLOB 'guardian/*'").get()?.["role"]
    return role === undefined ? undefined : Number(String(role).split("/")[1])
  } finally {
    db.close()
  }
}

/** Finds the owners that took the watch, the oldest first; `at`: epoch milliseconds. */
export const ownersOf = (rows: ReadonlyArray<Row>): ReadonlyArray<{ readonly pid: number; readonly at: number }> =>
  rows
    .filter(({ tag }) => tag === "OwnerTook")
    .map(({ at, data }) => ({
      pid: (JSON.parse(data) as { readonly owner: { readonly process: { readonly pid: number } } }).owner.process.pid,
      at
    }))

export const standingOf = (rows: ReadonlyArray<Row>): Standing => {
  const turn = rows.findLastIndex(({ tag }) => tag in phases)
  const phase = phases[rows[turn]?.tag ?? ""] ?? "watching"
  const step = rows.slice(turn).findLast(({ tag }) => tag.startsWith("Step"))
  const name = step === undefined ? "" : String((JSON.parse(step.data) as { readonly step: string }).step)
  const inRecovery =
    step === undefined ? "before the first step" : `${step.tag === "StepStarted" ? "in" : "after"} ${name}`
  return {
    revision: rows.length,
    phase,
    relaunched: rows.some(({ tag }) => tag === "ConductorRelaunched"),
    at: phase === "recovering" ? inRecovery : phase
  }
}
