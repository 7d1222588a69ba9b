import { CommsUnavailable, iso } from "@souffleur/domain"
import { Sqlite } from "@souffleur/eventlog"
import { Effect, FileSystem } from "effect"
import type { SqlClient } from "effect/sql"
import { commsFault } from "./CommsFault.ts"
import { required, type Table, tableNames, tables } from "./CommsTables.ts"

/** Columns of each table, in lower case as SQLite compares them. A missing table has none. */
export type Columns = Readonly<Record<Table, ReadonlySet<string>>>

const [isTask, isOurs] = [
  "lower(m.name) = 'orchestration_tasks'",
  "lower(m.name) IN ('orchestration_tasks', 'orchestration_messages')"
]

/** Finds objects that would run foreign code in souffleur or have no rows of their own, with their kind. */
const kinds = `
  SELECT CASE WHEN ${isTask} THEN 'orchestration_tasks' ELSE 'orchestration_messages' END AS tab, 'is a view' AS is_
  FROM sqlite_schema m WHERE m.type = 'view' AND ${isOurs}
  UNION ALL SELECT lower(m.name), 'is a virtual table' FROM sqlite_schema m WHERE m.type = 'table' AND m.rootpage = 0 AND ${isOurs}
  UNION ALL SELECT lower(m.tbl_name), 'has a trigger' FROM sqlite_schema m
  WHERE m.type = 'trigger' AND lower(m.tbl_name) IN ('orchestration_tasks', 'orchestration_messages')`

interface Column {
  readonly tab: Table
  readonly col: string
  readonly hidden: number
  /** 1 if the column alone is an `INTEGER PRIMARY KEY`, by which SQLite itself counts. */
  readonly counts: number
}

/** Findings about the two tables. `unfit` is a sentence that says why they cannot be used. */
export interface Found {
  readonly columns: Columns
  readonly unfit: string | undefined
}

/**
 * Inspects the tables as they are now. Others may change the schema, so the result holds only within the caller's
 * transaction. No foreign code runs: an object that is no plain table is named before its columns are read.
 */
export const inspect = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [kind] = yield* sql.unsafe<{ readonly tab: string; readonly is_: string }>(`${kinds} LIMIT 1`)
  const none: Columns = { orchestration_tasks: new Set(), orchestration_messages: new Set() }
  if (kind !== undefined)
    return { columns: none, unfit: `${kind.tab} ${kind.is_}: souffleur uses plain tables alone` } satisfies Found
  const rows = yield* sql.unsafe<Column>(`
    SELECT lower(m.name) AS tab, lower(substr(c.name, 1, 64)) AS col, c.hidden AS hidden,
      c.pk = 1 AND upper(c.type) = 'INTEGER' AND (SELECT count(*) FROM pragma_table_info(m.name) WHERE pk > 0) = 1 AS counts
    FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND ${isOurs}`)
  const named = (table: Table) => new Set(rows.filter((row) => row.tab === table).map((row) => row.col))
  const columns: Columns = {
    orchestration_tasks: named("orchestration_tasks"),
    orchestration_messages: named("orchestration_messages")
  }
  const generated = rows.find(({ hidden }) => hidden !== 0)
  const id = rows.find(({ col, tab }) => tab === "orchestration_messages" && col === "id")
  const unfit =
    generated !== undefined
      ? `${generated.tab} has a generated column: souffleur uses plain tables alone`
      : id?.counts === 0
        ? "the column id of orchestration_messages is not INTEGER PRIMARY KEY: the newest message cannot be told"
        : undefined
  return { columns, unfit } satisfies Found
})

const lackingColumn = (columns: Columns, table: Table): string | undefined => {
  const column = required[table].find((name) => !columns[table].has(name))
  return column === undefined ? undefined : `the table ${table} has no column ${column}`
}

/** Names a missing table or column, as a sentence. `undefined`: souffleur can work. */
export const lacking = ({ columns, unfit }: Found): string | undefined => {
  if (unfit !== undefined) return unfit
  for (const table of tableNames) {
    const lack = columns[table].size === 0 ? `the table ${table} is not there` : lackingColumn(columns, table)
    if (lack !== undefined) return lack
  }
  return undefined
}

/** The greatest id of a message that is read: 2^53 - 1, the greatest number that is exact. */
export const greatestId = Number.MAX_SAFE_INTEGER

/**
 * Explains a message beyond {@link greatestId}, which is not read. SQLite counts on from it, so later messages are not
 * read either. `undefined`: there is none.
 */
export const beyond = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* sql<{
    readonly yes: number
  }>`SELECT EXISTS (SELECT 1 FROM orchestration_messages WHERE id > ${greatestId}) AS yes`
  return found?.yes === 1
    ? "a message has an id beyond 2^53 - 1, and all that come after it: souffleur cannot read them; give them smaller ones"
    : undefined
})

/**
 * Formats epoch milliseconds as SQLite's `datetime` does: `YYYY-MM-DD HH:MM:SS`, UTC, cut to the second (spec:
 * behaviour#tables-of-comms).
 */
export const timeText = (at: number): string => iso(at).slice(0, 19).replace("T", " ")

const rows = [
  { task: "task-00", state: "working" },
  { task: "souffleur", state: "watching" }
]

/**
 * Makes the file, the tables and the rows of the Conductor and of souffleur. It makes only those that are missing
 * (spec: behaviour#tables-of-comms). Returns a name for each thing that it made; `[]`: everything was there. Other
 * tables in the file are ignored. An interrupted `init` is finished by the next.
 * Fails with `CommsUnavailable`, and changes nothing, for a file that is no SQLite database or that another application
 * has claimed. It also fails where an existing table lacks a column that souffleur needs.
 *
 * @example
 * ```ts
 * import { CommsSchema } from "@souffleur/comms"
 * import { HostServices, SqliteClient } from "@souffleur/node"
 * import { Effect, Layer } from "effect"
 *
 * const tables = CommsSchema.init("/srv/job/comms.db").pipe(
 *   Effect.provide(Layer.provideMerge(SqliteClient.layerSqlite, HostServices.layer))
 * )
 * ```
 */
export const init = Effect.fn("CommsSchema.init")(
  function* (path: string) {
    const files = yield* FileSystem.FileSystem
    const sqlite = yield* Sqlite
    const made: Array<string> = []

    // An empty file is an empty SQLite database. `wx` does not touch a file that was made meanwhile.
    const created = yield* files.writeFile(path, new Uint8Array(), { flag: "wx", mode: 0o600 }).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => error.reason._tag === "AlreadyExists",
        () => Effect.succeed(false)
      )
    )
    if (created) made.push(`file ${path}`)
    const sql = yield* sqlite.openForeign(path)

    // One transaction: the tables cannot change between the inspection and the rows.
    yield* sql`BEGIN IMMEDIATE`
    const { columns: found, unfit } = yield* inspect(sql)
    if (unfit !== undefined) return yield* new CommsUnavailable({ path, reason: "schema", problem: unfit })
    const there = tableNames.filter((table) => found[table].size > 0)
    const [claimed] = yield* sql<{ application_id: number }>`PRAGMA application_id`
    if (there.length === 0 && claimed !== undefined && claimed.application_id !== 0) {
      return yield* new CommsUnavailable({
        path,
        reason: "foreign",
        problem: "the database belongs to another application"
      })
    }
    for (const table of there) {
      const lack = lackingColumn(found, table)
      if (lack !== undefined) return yield* new CommsUnavailable({ path, reason: "schema", problem: lack })
    }
    for (const table of tableNames) {
      if (there.includes(table)) continue
      yield* sql.unsafe(tables[table])
      made.push(`table ${table}`)
    }
    for (const { task, state } of rows) {
      const inserted = yield* sql`INSERT INTO orchestration_tasks (task_id, state) SELECT ${task}, ${state}
      WHERE NOT EXISTS (SELECT 1 FROM orchestration_tasks WHERE task_id = ${task}) RETURNING task_id`
      if (inserted.length > 0) made.push(`row ${task}`)
    }
    yield* sql`COMMIT`
    return made as ReadonlyArray<string>
  },
  Effect.scoped,
  (effect, path) => Effect.mapError(effect, commsFault(path))
)

/**
 * Returns whether the file at `path` has everything that `init` makes. Only reads, and runs no expression of others.
 * Fails with `CommsUnavailable` if the file cannot be read.
 */
export const isMade = Effect.fn("CommsSchema.isMade")(
  function* (path: string) {
    const sql = yield* (yield* Sqlite).openForeign(path)
    yield* sql`PRAGMA query_only = ON`
    yield* sql`BEGIN`
    if (lacking(yield* inspect(sql)) !== undefined) return false
    const found = yield* Effect.forEach(
      rows,
      ({ task }) => sql`SELECT 1 FROM orchestration_tasks WHERE task_id = ${task} LIMIT 1`
    )
    return found.every(({ length }) => length > 0)
  },
  Effect.scoped,
  (effect, path) => Effect.mapError(effect, commsFault(path))
)

/**
 * Fails with `CommsUnavailable` unless the whole file at `path` can be used. A watch and `doctor` ask this early,
 * before it is too late.
 */
export const sound = Effect.fn("CommsSchema.sound")(
  function* (path: string) {
    const sql = yield* (yield* Sqlite).openForeign(path)
    yield* sql`PRAGMA query_only = ON`
    yield* sql`BEGIN`
    const why = lacking(yield* inspect(sql)) ?? (yield* beyond(sql))
    if (why !== undefined) return yield* new CommsUnavailable({ path, reason: "schema", problem: why })
  },
  Effect.scoped,
  (effect, path) => Effect.mapError(effect, commsFault(path))
)
