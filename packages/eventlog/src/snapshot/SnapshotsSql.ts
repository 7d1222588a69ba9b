import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TablePrefix } from "../Store.ts"
import type { Brief, FoldName, KeyedSnapshot, Snapshot, Snapshots } from "./Snapshots.ts"

/** The row that has no stream says how far the log is folded. */
const mark = ""

const ours = "f.kind = ? AND f.fingerprint = ?"

/** A row in the order of `columnsWith`. Ten thousand arrays are read in half of the time of as many records. */
type SnapshotRow = readonly [string, number, number, number, number, string]

const snapshotOf = ([stream, opened, revision, position, ended, state]: SnapshotRow): Snapshot => ({
  stream,
  opened,
  revision,
  position,
  ended: ended === 1,
  state
})

const briefOf = ([stream, opened, revision, position, ended, brief]: SnapshotRow): Brief => ({
  stream,
  opened,
  revision,
  position,
  ended: ended === 1,
  brief
})

const rowOf = ({ brief, ended, keys, opened, position, revision, state, stream }: KeyedSnapshot) => [
  stream,
  opened,
  revision,
  position,
  Number(ended),
  JSON.stringify(keys),
  brief,
  state
]

/**
 * Keeps snapshots in the file of the log. Triggers throw all of them away where an event of the log is changed or
 * removed (`Store.ts`). No statement waits for a lock: what is not kept now is folded again next time.
 */
export const sqlSnapshots: Effect.Effect<Snapshots, never, SqlClient.SqlClient> = Effect.map(
  Effect.all([SqlClient.SqlClient, TablePrefix]),
  ([sql, prefix]) => {
    const [events, folded, foldedKeys] = [`${prefix}events`, `${prefix}folded`, `${prefix}folded_keys`]
    /** A snapshot whose last event is not at its place in the log has no state, and no brief. */
    const columnsWith = (
      text: "state" | "brief"
    ) => `f.stream, f.opened, f.revision, f.position, f.ended, CASE WHEN EXISTS (
      SELECT 1 FROM ${events} WHERE stream = f.stream AND revision = f.revision AND position = f.position
    ) THEN f.${text} ELSE '' END`
    const columns = columnsWith("state")
    /** Writes rows, which are JSON. */
    const insert = `INSERT OR REPLACE INTO ${folded} (kind, fingerprint, stream, opened, revision, position, ended, keys, brief, state)
      SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
      FROM json_each(?)`
    const rowsOf = (statement: string, parameters: ReadonlyArray<unknown>) =>
      Effect.map(sql.unsafe(statement, parameters).values, (rows) => rows as unknown as ReadonlyArray<SnapshotRow>)
    const select = (statement: string, parameters: ReadonlyArray<unknown>) =>
      Effect.map(rowsOf(statement, parameters), (rows) => rows.map(snapshotOf))
    const named = ({ fingerprint, kind }: FoldName) => [kind, fingerprint]
    return {
      // One statement: between two of them a stream could end, and would be in neither answer.
      folded: Effect.fn("Snapshots.folded")(function* (fold) {
        const rows = yield* select(
          `SELECT ${columns} FROM ${folded} f INDEXED BY ${folded}_living WHERE ${ours} AND f.ended = 0 AND f.stream <> '${mark}'
          UNION ALL SELECT f.stream, 0, 0, f.position, 0, '' FROM ${folded} f
          WHERE ${ours} AND f.stream = '${mark}' AND EXISTS (SELECT 1 FROM ${events} WHERE position = f.position)`,
          [...named(fold), ...named(fold)]
        )
        const position = rows.find(({ stream }) => stream === mark)?.position ?? 0
        const [last] = yield* sql.unsafe(`SELECT max(position) FROM ${events}`, []).values
        return {
          position,
          end: Number(last?.[0] ?? 0),
          living: position === 0 ? [] : rows.filter(({ stream }) => stream !== mark)
        }
      }),
      one: (fold, stream) =>
        Effect.map(
          select(`SELECT ${columns} FROM ${folded} f WHERE ${ours} AND f.stream = ?`, [...named(fold), stream]),
          ([found]) => found
        ),
      page: (fold, { before, key, limit }) =>
        key === undefined
          ? select(
              `SELECT ${columns} FROM ${folded} f
              WHERE ${ours} AND f.stream <> '${mark}' AND f.opened < ? ORDER BY f.opened DESC LIMIT ?`,
              [...named(fold), before, limit]
            )
          : select(
              `SELECT ${columns} FROM ${foldedKeys} k JOIN ${folded} f ON f.kind = k.kind AND f.stream = k.stream
              WHERE ${ours} AND k.kind = ? AND k.key = ? AND k.opened < ? ORDER BY k.opened DESC LIMIT ?`,
              [...named(fold), fold.kind, key, before, limit]
            ),
      briefs: (fold, { before, limit }) =>
        Effect.map(
          rowsOf(
            `SELECT ${columnsWith("brief")} FROM ${folded} f
            WHERE ${ours} AND f.stream <> '${mark}' AND f.opened < ? ORDER BY f.opened DESC LIMIT ?`,
            [...named(fold), before, limit]
          ),
          (rows) => rows.map(briefOf)
        ),
      ended: (fold, { before, limit }) =>
        select(
          `SELECT ${columns} FROM ${folded} f
          WHERE ${ours} AND f.ended = 1 AND f.position < ? ORDER BY f.position DESC LIMIT ?`,
          [...named(fold), before, limit]
        ),
      endedCount: (fold) =>
        Effect.map(
          sql.unsafe(`SELECT count(*) FROM ${folded} f WHERE ${ours} AND f.ended = 1`, named(fold)).values,
          ([row]) => Number(row?.[0] ?? 0)
        ),
      move: Effect.fn("Snapshots.move")(function* (fold, from, to, snapshots) {
        const rows = [...snapshots.map(rowOf), [mark, 0, 0, to, 0, "[]", "", ""]]
        const written = yield* sql.unsafe(
          `${insert} WHERE ? = 0 OR EXISTS (
            SELECT 1 FROM ${folded} f WHERE ${ours} AND f.stream = '${mark}' AND f.position = ?
          ) RETURNING 1`,
          [...named(fold), JSON.stringify(rows), from, ...named(fold), from]
        ).values
        return written.length > 0
      }),
      keep: (fold, snapshot) => Effect.asVoid(sql.unsafe(insert, [...named(fold), JSON.stringify([rowOf(snapshot)])]))
    }
  }
)
