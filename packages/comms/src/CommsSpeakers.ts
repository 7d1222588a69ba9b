import { type CommsQuery, type CommsReply, payloadHeader } from "@souffleur/domain"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { type Columns, greatestId } from "./CommsSchema.ts"

/** Replies that are read at once. The rest is read after the last one's id. */
const maxReplies = 100
/** Bytes of a reply at most: it names a process and a session. */
const maxReplyBytes = 65_536
/** Characters of a payload that are read. A launch takes its prompt as one argument, which Linux limits to 128 KiB. */
const maxPayloadCharacters = 30_000
/** Bytes of a payload's message at most. SQLite reads a text whole before it cuts it, so a longer one is skipped. */
const maxPayloadBytes = 4_194_304

interface Row {
  readonly id: number
  readonly text: string
  readonly sender: string | null
  readonly may: number
}

/** Pieces of SQL over a message and its `sender`. */
interface Question {
  /** Condition that a message is of this kind. */
  readonly of: string
  /** Condition that allows further senders, besides the Conductor and the sessions of the watch. */
  readonly also: string
  /** Further condition that a message must meet to count. */
  readonly needs: string
  readonly text: string
  readonly order: "ASC" | "DESC"
  readonly most: number
}

/**
 * Reads messages of a kind from allowed senders, and the newest one from any other sender. Every program with the file
 * can write to comms, so a message counts by its sender. NULL or `task-00` is the Conductor's own hand; else it must be
 * a session of the watch. A message of another sender is reported and has no other effect.
 */
const ask = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { orchestration_messages: columns }: Columns,
  { after, sessions }: CommsQuery,
  { also, most, needs, of, order, text }: Question
) {
  const sender = columns.has("from_session")
    ? `CASE WHEN octet_length(from_session) > ${maxPayloadBytes} THEN x'' ELSE from_session END`
    : "NULL"
  const rows = yield* sql.unsafe<Row>(
    `WITH said AS (
      SELECT id, message, sender, (sender IS NULL OR (typeof(sender) = 'text'
        AND (sender = 'task-00' OR sender IN (SELECT value FROM json_each(?)) OR ${also}))) AND ${needs} AS may
      FROM (SELECT *, ${sender} AS sender FROM orchestration_messages) WHERE id > ? AND id <= ${greatestId} AND ${of})
    SELECT * FROM (SELECT id, ${text} AS text, NULL AS sender, 1 AS may FROM said WHERE may ORDER BY id ${order} LIMIT ${most})
    UNION ALL
    SELECT * FROM (SELECT id, '' AS text, CASE typeof(sender) WHEN 'text' THEN substr(sender, 1, 64) END AS sender, 0 AS may
      FROM said WHERE may IS NOT 1 ORDER BY id DESC LIMIT 1)`,
    [JSON.stringify(sessions), after]
  )
  const refused = Option.fromUndefinedOr(rows.find(({ may }) => may === 0))
  return {
    heard: rows.flatMap(({ id, may, text }): ReadonlyArray<CommsReply> => (may === 1 ? [{ id, text }] : [])),
    refused: Option.map(refused, ({ id, sender }) => ({ id, from: sender }))
  }
})

const isPayload = `typeof(message) = 'text' AND octet_length(message) <= ${maxPayloadBytes}
  AND substr(message, 1, ${payloadHeader.length}) = '${payloadHeader}'`
/** Known by its header, whatever its type: Conductors write `instruction`. To another task it is only a quotation. */
const payload: Question = {
  of: isPayload,
  also: "0",
  needs: "task_id IN ('souffleur', 'task-00')",
  text: `substr(message, 1, ${maxPayloadCharacters})`,
  order: "DESC",
  most: 1
}

/** A text that is too long is not read. `octet_length` gives its length without reading it. */
const short = `CASE WHEN typeof(message) = 'text' AND octet_length(message) <= ${maxReplyBytes} THEN message ELSE '' END`
const words = `' ' || replace(replace(replace(substr(${short}, 1, 1000), char(9), ' '), char(10), ' '), char(13), ' ') || ' '`
/** A watch may have been opened with a wrong session. The right session names itself in its reply. */
const reply: Question = {
  // A payload that came before the watch is confirmed is no answer to its question.
  of: `task_id = 'souffleur' AND message_type = 'instruction' AND NOT (${isPayload})`,
  also: `sender = 'person' OR instr(${words}, ' SESSION_ID:' || sender || ' ') > 0`,
  needs: "1",
  text: short,
  order: "ASC",
  most: maxReplies
}

/** Finds the newest payload that its author may write, and the refused words beside it. Fails with `SqlError`. */
export const newestPayload = (sql: SqlClient.SqlClient, columns: Columns, query: CommsQuery) =>
  Effect.map(ask(sql, columns, query, payload), ({ heard, refused }) => ({
    heard: Option.fromUndefinedOr(heard[0]),
    refused
  }))

/** Finds the replies to a validation, oldest first, and the refused words beside them. Fails with `SqlError`. */
export const repliesAfter = (sql: SqlClient.SqlClient, columns: Columns, query: CommsQuery) =>
  ask(sql, columns, query, reply)
