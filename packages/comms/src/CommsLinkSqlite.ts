import { CommsLink, type LinkMessage } from "@souffleur/domain"
import { type Sqlite } from "@souffleur/eventlog"
import { Effect, Layer } from "effect"
import { commsFile } from "./CommsFile.ts"
import { beyond, greatestId, timeText } from "./CommsSchema.ts"

type Row = Omit<LinkMessage, "cut"> & { readonly cut: number }

/** Bytes of a text at most: SQLite reads a text whole before it cuts it. */
const maxTextBytes = 1_048_576

// A value that is not text counts as nothing. `octet_length` gives a length without reading the value.
const textOnly = (column: string, characters: number) =>
  `CASE WHEN typeof(${column}) = 'text' AND octet_length(${column}) <= ${maxTextBytes} THEN substr(${column}, 1, ${characters}) END`

const make = Effect.fnUntraced(function* (path: string) {
  const { beat: beatOf, reading, refused, rowUpdated, unavailable, writing } = yield* commsFile(path)

  const beat = Effect.fn("CommsLink.beat")((at: number) => writing((sql) => beatOf(sql, "task-00", timeText(at))))

  const setState: CommsLink["Service"]["setState"] = Effect.fn("CommsLink.setState")((state, at) =>
    writing((sql) =>
      sql`UPDATE orchestration_tasks SET state = ${state}, last_heartbeat = ${timeText(at)} WHERE task_id = 'task-00' RETURNING task_id`.pipe(
        Effect.catch(refused(`orchestration_tasks refuses the state '${state}'`)),
        Effect.flatMap(rowUpdated("task-00"))
      )
    )
  )

  const post: CommsLink["Service"]["post"] = Effect.fn("CommsLink.post")(({ at, from, taskId, text, type }) =>
    writing((sql, { orchestration_messages: columns }) =>
      sql<{ readonly id: number | null }>`INSERT INTO orchestration_messages ${sql.insert({
        task_id: taskId,
        message: text,
        message_type: type,
        ...(columns.has("from_session") ? { from_session: from } : {}),
        ...(columns.has("timestamp") ? { timestamp: timeText(at) } : {})
      })} RETURNING CASE WHEN id <= ${greatestId} THEN id END AS id`.pipe(
        Effect.catch(refused(`orchestration_messages refuses the type '${type}'`)),
        Effect.flatMap(([row]) =>
          typeof row?.id === "number"
            ? Effect.succeed(row.id)
            : Effect.flatMap(beyond(sql), (why) => unavailable("schema", why ?? "the message has no id"))
        )
      )
    )
  )

  const read: CommsLink["Service"]["read"] = Effect.fn("CommsLink.read")(({ after, characters, most, taskId }) =>
    reading((sql, { orchestration_messages: columns }) =>
      sql
        .unsafe<Row>(
          `SELECT id, ${textOnly("task_id", 256)} AS taskId, ${textOnly("message_type", 64)} AS type,
            coalesce(${textOnly("message", characters)}, '') AS text,
            typeof(message) = 'text' AND (octet_length(message) > ${maxTextBytes} OR length(message) > ${characters}) AS cut,
            ${columns.has("from_session") ? textOnly("from_session", 256) : "NULL"} AS "from",
            ${columns.has("timestamp") ? textOnly("timestamp", 64) : "NULL"} AS at
          FROM orchestration_messages WHERE id > ? AND id <= ${greatestId} AND (? IS NULL OR task_id = ?) ORDER BY id LIMIT ?`,
          [after, taskId, taskId, most]
        )
        .pipe(Effect.map((rows) => rows.map((row): LinkMessage => ({ ...row, cut: row.cut === 1 }))))
    )
  )

  // One statement is all or nothing. A task that was made meanwhile counts as existing.
  const register: CommsLink["Service"]["register"] = Effect.fn("CommsLink.register")((tasks) =>
    writing((sql, { orchestration_tasks: columns }) => {
      const path = columns.has("instruction_path")
      const insert = sql<{ readonly task_id: string }>`
        INSERT INTO orchestration_tasks (task_id, state${sql.literal(path ? ", instruction_path" : "")})
        SELECT value ->> 'id', value ->> 'state'${sql.literal(path ? ", value ->> 'instructionPath'" : "")} FROM json_each(${JSON.stringify(tasks)})
        WHERE NOT EXISTS (SELECT 1 FROM orchestration_tasks AS there WHERE there.task_id = value ->> 'id')
        RETURNING task_id`
      return insert.pipe(
        Effect.catch(refused("orchestration_tasks refuses a task")),
        Effect.map((rows) => rows.map(({ task_id }) => task_id))
      )
    })
  )

  const setTask: CommsLink["Service"]["setTask"] = Effect.fn("CommsLink.setTask")(({ id, state }, at) =>
    writing((sql) => {
      const update = sql`UPDATE orchestration_tasks SET state = ${state}, last_heartbeat = ${timeText(at)}
        WHERE task_id = ${id} AND state IS NOT ${state}`
      const insert = sql`INSERT INTO orchestration_tasks (task_id, state, last_heartbeat) SELECT ${id}, ${state}, ${timeText(at)}
        WHERE NOT EXISTS (SELECT 1 FROM orchestration_tasks WHERE task_id = ${id}) RETURNING 1`
      return Effect.andThen(update, insert).pipe(
        Effect.catch(refused(`orchestration_tasks refuses the state '${state}'`)),
        Effect.asVoid
      )
    })
  )

  return CommsLink.of({ path, beat, setState, setTask, post, read, register })
})

/**
 * {@link CommsLink} for the SQLite file at `path` (spec: behaviour#use-of-comms). Like `CommsSqlite.layer`, it inspects
 * the file in each use.
 */
export const layer = (path: string): Layer.Layer<CommsLink, never, Sqlite> => Layer.effect(CommsLink, make(path))
