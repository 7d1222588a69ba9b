/** States of a task (spec: behaviour#tables-of-comms). */
export const states = [
  "watching",
  "reviewing",
  "exit_requested",
  "complete",
  "working",
  "needs_review",
  "review_approved",
  "review_failed",
  "error",
  "fix_proposed",
  "exited",
  "context_recovery",
  "confirmed"
] as const
/** Types of a message (spec: behaviour#tables-of-comms). */
export const messageTypes = [
  "review_request",
  "error",
  "context_warning",
  "completion",
  "emergency",
  "handoff",
  "approval",
  "fix_proposal",
  "rejection",
  "instruction",
  "claim_blocked",
  "resumption",
  "system"
] as const

const oneOf = (column: string, words: ReadonlyArray<string>) =>
  `CHECK (${column} IN (${words.map((word) => `'${word}'`).join(", ")}))`

/**
 * Statements that make the tables as the real Conductor creates them (spec: behaviour#tables-of-comms), one for each
 * table.
 */
export const tables = {
  orchestration_tasks: `CREATE TABLE IF NOT EXISTS orchestration_tasks (
  task_id TEXT PRIMARY KEY,
  state TEXT NOT NULL ${oneOf("state", states)},
  instruction_path TEXT,
  session_id TEXT,
  worked_by TEXT,
  started_at TEXT,
  completed_at TEXT,
  report_path TEXT,
  retry_count INTEGER DEFAULT 0,
  last_heartbeat TEXT,
  last_error TEXT
)`,
  orchestration_messages: `CREATE TABLE IF NOT EXISTS orchestration_messages (
  id INTEGER PRIMARY KEY,
  task_id TEXT,
  from_session TEXT,
  message TEXT,
  message_type TEXT ${oneOf("message_type", messageTypes)},
  timestamp TEXT DEFAULT CURRENT_TIMESTAMP
)`
} as const

/** A table that comms has. */
export type Table = keyof typeof tables

/**
 * Columns that souffleur cannot work without. `session_id`, `last_error`, `from_session` and `timestamp` are used where
 * they exist.
 */
export const required: Readonly<Record<Table, ReadonlyArray<string>>> = {
  orchestration_tasks: ["task_id", "state", "last_heartbeat"],
  orchestration_messages: ["id", "task_id", "message", "message_type"]
}

/** The names of the tables, in the order in which they are made. */
export const tableNames = ["orchestration_tasks", "orchestration_messages"] as const
