import * as fs from "node:fs"
import { pathToFileURL } from "node:url"
import { FileRefused, type ForeignRow, type RowsAsked } from "@souffleur/process"
import { Effect } from "effect"

/** Milliseconds. node:sqlite waits inside the call, and every fiber of the process waits too. */
const busyTimeoutMillis = 50

/**
 * Asks a SQLite file of others for rows, over a connection that cannot write. It keeps no connection: a process that
 * ends, and a file that is replaced, are then no matter. Fails with `FileRefused` where SQLite cannot answer.
 */
export const foreignRows = (
  path: string,
  { sql, values }: RowsAsked
): Effect.Effect<ReadonlyArray<ForeignRow>, FileRefused> =>
  Effect.try({
    try: () => {
      // Loaded here: most processes that read files ask no database.
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
      // Without a `-wal` no process has the file open. A reader that is told so makes no files beside it.
      const mode = fs.existsSync(`${path}-wal`) ? "mode=ro" : "mode=ro&immutable=1"
      const database = new DatabaseSync(`${pathToFileURL(path).href}?${mode}`, { timeout: busyTimeoutMillis })
      try {
        // The schema and the pages may be written by others, so they are not trusted.
        database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        return database.prepare(sql).all(...values)
      } finally {
        database.close()
      }
    },
    catch: (thrown) =>
      new FileRefused({
        path,
        problem: `SQLite cannot read it (${thrown instanceof Error ? thrown.message : "unknown"})`,
        missing: false
      })
  })
