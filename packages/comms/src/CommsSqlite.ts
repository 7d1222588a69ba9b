import {
  Comms,
  type CommsPayload,
  type CommsReply,
  type CommsSnapshot,
  type CommsTask,
  type MessageKind
} from "@souffleur/domain"
import { type Sqlite } from "@souffleur/eventlog"
import { Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import { commsFile } from "./CommsFile.ts"
import { type Columns, greatestId, timeText } from "./CommsSchema.ts"
import { newestPayload, repliesAfter } from "./CommsSpeakers.ts"

/** Bytes of a field at most. One such field is read in each poll. */
const maxFieldBytes = 1_048_576
/** Tasks that are counted, tasks whose names and states are read one by one, and tasks that are listed. */
const [maxTasks, maxNamedTasks, maxListedTasks] = [1_000_000, 10_000, 100]

// A column of SQLite may hold any value. A value that is not text is shown as SQLite would write it, so that a change
// is visible. It is cut, so that a poll stays small. `octet_length` gives a length without reading the value.
const raw = (column: string) =>
  `CASE WHEN octet_length(${column}) > ${maxFieldBytes} THEN octet_length(${column}) || ' bytes'
    WHEN typeof(${column}) = 'blob' THEN quote(substr(${column}, 1, 64)) ELSE substr(CAST(${column} AS TEXT), 1, 64) END`
const textOnly = (column: string) =>
  `CASE WHEN typeof(${column}) = 'text' AND octet_length(${column}) <= ${maxFieldBytes} THEN substr(${column}, 1, 256) END`
const short = (column: string) =>
  `CASE WHEN octet_length(${column}) > 256 THEN octet_length(${column}) || ' bytes' ELSE quote(${column}) END`

const othersTasks = "orchestration_tasks WHERE task_id IS NOT 'task-00' AND task_id IS NOT 'souffleur'"

/**
 * Makes the query of a poll, bounded in rows and bytes. Few rows are read in order, which bounds its time. Further
 * tasks are only counted by their state.
 */
const snapshotOf = (columns: Columns) => `
SELECT conductor.*, souffleur.*,
  (SELECT coalesce(max(id), 0) FROM orchestration_messages WHERE id BETWEEN 1 AND ${greatestId}) AS lastMessageId, tasks.*
FROM (SELECT (SELECT coalesce(sum(n), 0) FROM states) AS taskCount,
  (SELECT group_concat(state || n, ',' ORDER BY state) FROM (SELECT state, n FROM states ORDER BY n DESC, state LIMIT 1000)) AS states,
  (SELECT group_concat(name || ' ' || state, ',' ORDER BY name) FROM (SELECT ${short("task_id")} AS name, ${short("state")} AS state
    FROM ${othersTasks} ORDER BY task_id LIMIT ${maxNamedTasks})) AS tasks) AS tasks
LEFT JOIN (SELECT coalesce(${raw("state")}, '') AS state, ${raw("last_heartbeat")} AS lastHeartbeat,
  ${columns.orchestration_tasks.has("session_id") ? textOnly("session_id") : "NULL"} AS sessionId
  FROM orchestration_tasks WHERE task_id = 'task-00' LIMIT 1) AS conductor
LEFT JOIN (SELECT coalesce(${raw("state")}, '') AS souffleur
  FROM orchestration_tasks WHERE task_id = 'souffleur' LIMIT 1) AS souffleur`

const counted = `WITH states AS MATERIALIZED (SELECT state, count(*) AS n
  FROM (SELECT ${short("state")} AS state FROM ${othersTasks} LIMIT ${maxTasks}) GROUP BY state)`

interface SnapshotRow {
  readonly state: string | null
  readonly lastHeartbeat: string | null
  readonly sessionId: string | null
  readonly souffleur: string | null
  readonly lastMessageId: number
  readonly taskCount: number
  readonly states: string | null
  readonly tasks: string | null
}

const make = Effect.fnUntraced(function* (path: string) {
  const digest = yield* Digest.Digest
  const { beat: beatOf, beaten, reading, refused, rowUpdated, unavailable, writing } = yield* commsFile(path)
  const hexOf = (text: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text))

  const snapshot = reading(
    Effect.fnUntraced(function* (sql, columns) {
      const [row] = yield* sql.unsafe<SnapshotRow>(counted + snapshotOf(columns))
      if (row === undefined) return yield* unavailable("failed", "the poll has no row")
      const { lastHeartbeat, lastMessageId, sessionId, souffleur, state, taskCount } = row
      const taken: CommsSnapshot = {
        conductor: state === null ? Option.none() : Option.some({ state, lastHeartbeat, sessionId }),
        souffleur: Option.fromNullOr(souffleur),
        taskCount,
        taskFingerprint: yield* hexOf(`${row.tasks ?? ""} ${row.states ?? ""}`),
        lastMessageId
      }
      return taken
    })
  ).pipe(Effect.withSpan("CommsSqlite.snapshot"))

  const tasks = reading((sql, columns) =>
    sql.unsafe<CommsTask>(`SELECT substr(task_id, 1, 64) AS id, coalesce(${raw("state")}, '') AS state,
      ${columns.orchestration_tasks.has("session_id") ? textOnly("session_id") : "NULL"} AS sessionId,
      ${raw("last_heartbeat")} AS lastHeartbeat
      FROM ${othersTasks} AND typeof(task_id) = 'text' ORDER BY task_id LIMIT ${maxListedTasks}`)
  ).pipe(Effect.withSpan("CommsSqlite.tasks"))

  const payload: Comms["Service"]["payload"] = Effect.fn("CommsSqlite.payload")((query) =>
    reading(
      Effect.fnUntraced(function* (sql, columns) {
        const { heard, refused } = yield* newestPayload(sql, columns, query)
        const digested = (said: CommsReply) =>
          Effect.map(hexOf(said.text), (digest): CommsPayload => ({ ...said, digest }))
        return { heard: yield* Effect.transposeOption(Option.map(heard, digested)), refused }
      })
    )
  )
  const replies: Comms["Service"]["replies"] = Effect.fn("CommsSqlite.replies")((query) =>
    reading((sql, columns) => repliesAfter(sql, columns, query))
  )

  const setState: Comms["Service"]["setState"] = Effect.fn("CommsSqlite.setState")((state, at, lastError) =>
    writing((sql, columns) => {
      // The error of before goes with the success that follows it.
      const lastErrorColumn = columns.orchestration_tasks.has("last_error")
        ? sql`, last_error = ${lastError ?? null}`
        : sql``
      return sql`UPDATE orchestration_tasks SET state = ${state}, ${beaten(sql, timeText(at))}${lastErrorColumn}
        WHERE task_id = 'souffleur' RETURNING task_id`.pipe(
        Effect.catch(refused(`orchestration_tasks refuses the state '${state}'`)),
        Effect.flatMap(rowUpdated("souffleur"))
      )
    })
  )

  const beat = Effect.fn("CommsSqlite.beat")((at: number) => writing((sql) => beatOf(sql, "souffleur", timeText(at))))

  const post: Comms["Service"]["post"] = Effect.fn("CommsSqlite.post")(({ at, key, kind, text }) =>
    writing((sql, { orchestration_messages: columns }) => {
      const prefix = `[${key}] `
      const from = columns.has("from_session")
      const timed = columns.has("timestamp")
      // `RETURNING` gives a row. Otherwise the driver asks for the last id, which may exceed a safe number.
      const insert = (type: MessageKind) => sql`
        INSERT INTO orchestration_messages (task_id, message, message_type${sql.literal(from ? ", from_session" : "")}${sql.literal(timed ? ", timestamp" : "")})
        SELECT 'souffleur', ${prefix + text}, ${type}${from ? sql`, 'souffleur'` : sql``}${timed ? sql`, ${timeText(at)}` : sql``}
        WHERE NOT EXISTS (SELECT 1 FROM orchestration_messages WHERE task_id = 'souffleur'
          AND octet_length(message) = octet_length(${prefix + text}) AND message = ${prefix + text}
          AND message_type = ${type} ${from ? sql`AND from_session = 'souffleur'` : sql``}
          ${timed ? sql`AND timestamp = ${timeText(at)}` : sql``}) RETURNING 1`
      // The real Conductor's CHECK has no 'warning' (spec: behaviour#use-of-comms). A refused warning is posted as
      // 'system'.
      const inserted =
        kind === "warning"
          ? Effect.catchIf(
              insert("warning"),
              (error) => error.reason._tag === "ConstraintError",
              () => insert("system")
            )
          : insert(kind)
      return inserted.pipe(Effect.catch(refused(`orchestration_messages refuses the type '${kind}'`)), Effect.asVoid)
    })
  )

  return Comms.of({ path, snapshot, tasks, payload, replies, setState, beat, post })
})

/**
 * {@link Comms} for the SQLite file at `path` (spec: behaviour#use-of-comms). The file need not exist: each use opens
 * it and fails with `CommsUnavailable`. A statement waits at most 50 ms for a lock, and the caller retries.
 * `replies` gives at most 100 at once.
 */
export const layer = (path: string): Layer.Layer<Comms, never, Sqlite> =>
  Layer.effect(Comms, make(path)).pipe(Layer.provide(Digest.layerWebCrypto))
