import { Effect, Result } from "effect"
import type { EventCodec, Tagged } from "../EventCodec.ts"
import { LogUnusable, missing, type RecordedAs, shortened, type UnreadableEvent } from "../Log.ts"

/** A row as the statement returns it. */
export type Row = readonly [
  position: number,
  stream: string,
  revision: number,
  tag: string,
  version: number,
  at: number,
  data: string
]
/** Cuts an integer of SQLite to the range of a safe integer. The decoder then judges the cut value. */
const safe = (column: string) => `max(-${Number.MAX_SAFE_INTEGER}, min(${Number.MAX_SAFE_INTEGER}, ${column}))`
/** The columns of a {@link Row}, in its order. */
export const columns = `${safe("position")}, stream, ${safe("revision")}, tag, ${safe("version")}, ${safe("at")}, data`

/** Decodes rows to events. Fails with `UnreadableEvent` at the first that cannot be read. */
export const recorded =
  <E extends Tagged>({ decode }: EventCodec<E>) =>
  (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<RecordedAs<E>>, UnreadableEvent> => {
    const events: Array<RecordedAs<E>> = []
    for (const [position, stream, revision, tag, version, at, data] of rows) {
      const event = decode(stream, revision, { tag, version, at, data })
      if (Result.isFailure(event)) return Effect.fail(event.failure)
      events.push({ position, stream, revision, event: event.success })
    }
    return Effect.succeed(events)
  }

/** Runs one statement on the log. */
export type Select = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, LogUnusable>

/**
 * Reads pages of a stream, each with the row at which its reader is. By that row a cut or replaced log differs from an
 * idle one. A missing revision between two rows fails with the name of that event.
 */
export const pagesOf = <E extends Tagged>(codec: EventCodec<E>, select: Select, table: string, pageRows: number) => {
  const decoded = recorded(codec)
  /** The newest row of each stream that was read. By it a different row in its place is noticed. */
  const newest = new Map<string, Row>()
  return Effect.fnUntraced(function* (stream: string, after: number, maxRows = pageRows) {
    const found = yield* select(
      `SELECT ${columns} FROM ${table} WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ${after === 0 ? maxRows : maxRows + 1}`,
      [stream, after]
    )
    const [lastRead] = found
    if (after > 0 && lastRead?.[2] !== after) return yield* shortened(stream, after)
    const known = newest.get(stream)
    if (
      after > 0 &&
      known?.[2] === after &&
      (known[0] !== lastRead?.[0] || known[3] !== lastRead[3] || known[5] !== lastRead[5])
    ) {
      return yield* new LogUnusable({
        reason: "foreign",
        problem: `event ${after} of ${stream} differs from the event that was read: another log is in its place`
      })
    }
    const more = after === 0 ? found : found.slice(1)
    const gap = more.findIndex((row, n) => row[2] !== after + n + 1)
    if (gap !== -1) return yield* missing(stream, after + gap + 1)
    const last = more.at(-1)
    if (last !== undefined && last[2] > (known?.[2] ?? 0)) newest.set(stream, last)
    return yield* decoded(more)
  })
}
