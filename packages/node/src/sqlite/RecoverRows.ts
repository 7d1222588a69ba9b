import * as fs from "node:fs"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { SqliteUnusable } from "@souffleur/eventlog"
import { Effect } from "effect"
import { hostSource } from "../processes/HostSource.ts"
import type { OwnFile } from "./OwnFile.ts"

/** A row of the log as its file still gives it, unchecked. */
export interface RecoveredRow {
  readonly stream: string
  readonly revision: number
  readonly tag: string
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly data: string
}

/** SQLite's findings about a file. */
export interface RecoveredRows {
  /** One sentence; `undefined`: SQLite finds the file sound. */
  readonly wrong: string | undefined
  /** Streams by an index alone, each with its newest revision. The index may survive where the rows are lost. */
  readonly streams: ReadonlyMap<string, number>
}

/** Paths of the files of a log, the database itself first. */
export const parts = (path: string): ReadonlyArray<string> => ["", "-wal", "-shm"].map((part) => path + part)

/** Limits of rows that are read from the beginning, and from the end if that broke off. */
const maxRows = { first: 1_000_000, last: 10_000 }
const columns = "position, stream, revision, tag, version, at, data"
type Row = RecoveredRow & { readonly position: number }

const attempt = (act: () => void): string | undefined => {
  try {
    return void act()
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read"
  }
}

const checked = (database: DatabaseSync, { applicationId }: OwnFile): string | undefined => {
  let wrong: string | undefined
  const failed = attempt(() => {
    if (database.prepare("PRAGMA application_id").get()?.["application_id"] !== applicationId)
      wrong = "it is not a log of souffleur"
    const verdict = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"]
    if (verdict !== "ok") wrong ??= String(verdict).split("\n").slice(-1)[0]
  })
  return failed ?? wrong
}

const rowsOf = (database: DatabaseSync, each: (row: RecoveredRow) => void) => {
  let [last, read] = [0, 0]
  attempt(() => {
    const forward = database.prepare(`SELECT ${columns} FROM events ORDER BY position LIMIT ${maxRows.first}`).iterate()
    for (const row of forward as unknown as Iterable<Row>) {
      each(row)
      last = row.position
      read++
    }
  })
  const newest: Array<Row> = []
  attempt(() => {
    const backward = database
      .prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position DESC LIMIT ${maxRows.last}`)
      .iterate(last)
    for (const row of backward as unknown as Iterable<Row>) newest.push(row)
  })
  for (const row of newest.toReversed()) each(row)
}

const streamsOf = (database: DatabaseSync): ReadonlyMap<string, number> => {
  const streams = new Map<string, number>()
  attempt(() => {
    const named = database.prepare("SELECT stream, max(revision) AS newest FROM events GROUP BY stream").iterate()
    for (const { newest, stream } of named as unknown as Iterable<{ stream: string; newest: number }>)
      streams.set(stream, newest)
  })
  return streams
}

/**
 * Reads all readable rows of a log in bounded memory, and changes no byte of it. It reads through links in `scratch`,
 * an empty folder of the same file system, where SQLite makes its own `-shm`. Its connection cannot write. Fails with
 * `SqliteUnusable` where another process holds the log, or a newer souffleur made it. Neither is damage.
 */
export const recoverRows = Effect.fn("recoverRows")(
  (file: OwnFile, scratch: string, each: (row: RecoveredRow) => void) =>
    Effect.try({
      try: (): RecoveredRows => {
        const [own, log] = parts(file.path).map((path) => {
          const link = join(scratch, basename(path))
          if (fs.existsSync(path)) fs.linkSync(path, link)
          return link
        })
        if (!fs.existsSync(own!))
          return { wrong: `it is gone, and its ${basename(log!)} is still there`, streams: new Map() }
        // A defensive connection refuses a truncated file as a whole: the schema must be writable.
        const database = new DatabaseSync(`${pathToFileURL(own!).href}?mode=ro`, {
          readOnly: true,
          timeout: 1000,
          defensive: false
        })
        try {
          const wrong = checked(database, file)
          if (wrong !== undefined && /locked|busy/u.test(wrong)) throw unusable(file.path, "locked", wrong)
          const version =
            wrong === undefined ? Number(database.prepare("PRAGMA user_version").get()?.["user_version"]) : 0
          if (version > file.migrations.length)
            throw unusable(file.path, "newer", `it has schema ${version}: a newer souffleur made it`)
          attempt(() => database.exec("PRAGMA writable_schema = ON"))
          rowsOf(database, each)
          return { wrong, streams: streamsOf(database) }
        } finally {
          database.close()
        }
      },
      catch: (error) =>
        error instanceof SqliteUnusable
          ? error
          : unusable(file.path, "failed", error instanceof Error ? error.message : "it cannot be read")
    })
)

const unusable = (path: string, reason: SqliteUnusable["reason"], what: string) =>
  new SqliteUnusable({ path, reason, message: `${path}: ${what}` })

/**
 * Finds the processes of this user that have one of these files open, this one too. Files are compared by device and
 * inode, not by name.
 */
export const holders = Effect.fn("RecoverRows.holders")((paths: ReadonlyArray<string>) =>
  Effect.sync(() => hostSource?.holders(paths) ?? [])
)
