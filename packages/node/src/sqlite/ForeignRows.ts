import * as fs from "node:fs"
import { pathToFileURL } from "node:url"
import { Errands } from "@souffleur/domain"
import { FileRefused, type ForeignRow, type RowsAsked } from "@souffleur/process"
import { Effect, Predicate } from "effect"

/** Milliseconds. node:sqlite waits inside the call, and every fiber of the process waits too. */
const busyTimeoutMillis = 50

/** How the line of such an errand begins, which no other errand's does. */
const beginning = `{"rowsOf":`
interface Question extends RowsAsked {
  readonly rowsOf: string
}
type Answer = { readonly rows: ReadonlyArray<ForeignRow> } | { readonly problem: string }

const placesOf = (tables: ReadonlyArray<string>) => tables.map(() => "?").join(", ")
/** Finds a view, a virtual table, or a table with a generated column: each runs what its author wrote. */
const unfit = (tables: ReadonlyArray<string>) => `
  SELECT m.name AS name, CASE WHEN m.type = 'view' THEN 'is a view' ELSE 'is a virtual table' END AS is_
  FROM sqlite_schema m
  WHERE lower(m.name) IN (${placesOf(tables)}) AND (m.type = 'view' OR (m.type = 'table' AND m.rootpage = 0))`
const generated = (tables: ReadonlyArray<string>) => `
  SELECT m.name AS name, 'has a generated column' AS is_ FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
  WHERE lower(m.name) IN (${placesOf(tables)}) AND c.hidden <> 0`

/** Reads the rows in this process, over a connection that cannot write. It throws. */
const read = ({ rowsOf: path, sql, tables, values }: Question): Answer => {
  // Loaded here: most processes that read files ask no database.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  // Without a `-wal` no process has the file open. A reader that is told so makes no files beside it.
  const mode = fs.existsSync(`${path}-wal`) ? "mode=ro" : "mode=ro&immutable=1"
  const database = new DatabaseSync(`${pathToFileURL(path).href}?${mode}`, { timeout: busyTimeoutMillis })
  try {
    // The schema and the pages may be written by others, so they are not trusted. No table changes its kind within the
    // transaction. The columns of a view are not looked at: SQLite would have to compile it.
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN")
    for (const finding of [unfit, generated]) {
      const found = database.prepare(`${finding(tables)} LIMIT 1`).get(...tables)
      if (found !== undefined)
        return { problem: `its table ${found["name"]} ${found["is_"]}: souffleur reads plain tables alone` }
    }
    return { rows: database.prepare(sql).all(...values) }
  } finally {
    database.close()
  }
}

/** JSON has no bytes. */
const bytes = "bytes of a blob"
const encoded = (_: string, value: unknown) =>
  value instanceof Uint8Array ? { [bytes]: Buffer.from(value).toString("base64") } : value
const decoded = (_: string, value: unknown) =>
  Predicate.hasProperty(value, bytes) && typeof value[bytes] === "string"
    ? new Uint8Array(Buffer.from(value[bytes], "base64"))
    : value

/** Answers an errand that asks for rows, in the second process. `undefined`: the line is another errand. */
export const answerRows = (line: string): string | undefined => {
  if (!line.startsWith(beginning)) return undefined
  try {
    return JSON.stringify(read(JSON.parse(line) as Question), encoded)
  } catch (thrown) {
    return JSON.stringify({ problem: thrown instanceof Error ? thrown.message : "unknown" } satisfies Answer)
  }
}

/**
 * Asks a SQLite file of others for rows. No connection is kept: a process that ends, and a file that is replaced, are
 * then no matter. Fails with `FileRefused` where SQLite cannot answer, or not in time.
 */
export const foreignRows = (
  path: string,
  asked: RowsAsked
): Effect.Effect<ReadonlyArray<ForeignRow>, FileRefused, Errands> => {
  const refused = (problem: string) =>
    new FileRefused({ path, problem: `SQLite cannot read it (${problem})`, missing: false })
  return Errands.use((errands) =>
    errands.ask(path, JSON.stringify({ rowsOf: path, ...asked } satisfies Question))
  ).pipe(
    Effect.mapError(({ message }) => refused(message)),
    Effect.flatMap((text) => {
      const answer = JSON.parse(text, decoded) as Answer
      return "rows" in answer ? Effect.succeed(answer.rows) : Effect.fail(refused(answer.problem))
    })
  )
}
