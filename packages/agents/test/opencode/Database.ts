import * as fs from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"

/** The tables of OpenCode's database that souffleur asks. */
const tables = `
  CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, title text NOT NULL, parent_id text);
  CREATE TABLE IF NOT EXISTS event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL,
    type text NOT NULL, data text NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS event_aggregate_seq_idx ON event (aggregate_id, seq)`

export const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")
export const sessionId = "ses_90000001ffeOperaOperaOpera"
/** The path of that session, from the folder of the user's data. */
export const file = `opencode/opencode.db/${sessionId}`

/** Keeps the records of a session as OpenCode does, behind those that it has. Its path is below the database. */
export const keep = (path: string, records: string, title = "opera", parent: string | null = null) =>
  Effect.sync(() => {
    const [database, id] = [dirname(path), path.slice(path.lastIndexOf("/") + 1)]
    fs.mkdirSync(dirname(database), { recursive: true })
    const opened = new DatabaseSync(database)
    opened.exec(`PRAGMA journal_mode = WAL; ${tables}`)
    opened.prepare("INSERT OR IGNORE INTO session VALUES (?, ?, ?)").run(id, title, parent)
    opened.exec("BEGIN")
    const last = opened.prepare("SELECT coalesce(max(seq), -1) AS seq FROM event WHERE aggregate_id = ?").get(id)
    const add = opened.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?)")
    for (const [at, record] of records.replace(/\n$/u, "").split("\n").entries()) {
      const seq = Number(last!["seq"]) + 1 + at
      // Its type has a version, which nothing depends on.
      add.run(`evt_${id}_${seq}`, id, seq, "updated.1", record)
    }
    opened.exec("COMMIT")
    opened.close()
    fs.chmodSync(database, 0o600)
  })
