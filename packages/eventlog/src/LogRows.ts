import { Effect, Result } from "effect"
import type { EventCodec, Tagged } from "./EventCodec.ts"
import { LogUnusable, missing, type RecordedAs, shortened, type UnreadableEvent } from "./Log.ts"

/** A row as it is read. */
export type Row = readonly [
  position: number,
  stream: string,
  revision: number,
  tag: string,
  version: number,
  at: number,
  data: string
]
/**
 * SQLite's integers go beyond what a number here holds: those that do are cut, and are then what their reader makes of
 * them.
 */
const safe = (column: string) => `max(-${Number.MAX_SAFE_INTEGER}, min(${Number.MAX_SAFE_INTEGER}, ${column}))`
export const columns = `${safe("position")}, stream, ${safe("revision")}, tag, ${safe("version")}, ${safe("at")}, data`

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

/** One statement on the log. */
export type Select = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, LogUnusable>

/**
 * Pages of a stream, and before each the row that its reader stands at: a log that was cut, or is another by now, is
 * told from one that stands still, and what is missing between two names itself.
 */
export const pagesOf = <E extends Tagged>(codec: EventCodec<E>, select: Select, page: number) => {
  const decoded = recorded(codec)
  /** The newest row of each stream that was read, by which another in its place is known. */
  const newest = new Map<string, Row>()
  return Effect.fnUntraced(function* (stream: string, after: number, most = page) {
    const found = yield* select(
      `SELECT ${columns} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ${after === 0 ? most : most + 1}`,
      [stream, after]
    )
    const [stand] = found
    if (after > 0 && stand?.[2] !== after) return yield* shortened(stream, after)
    const known = newest.get(stream)
    if (
      after > 0 &&
      known?.[2] === after &&
      (known[0] !== stand?.[0] || known[3] !== stand[3] || known[5] !== stand[5])
    ) {
      return yield* new LogUnusable({
        reason: "foreign",
        problem: `event ${after} of ${stream} is another than was read: this is not the log that it was`
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
