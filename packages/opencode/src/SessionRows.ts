import type { Trust } from "@souffleur/domain"
import { FileRefused, type ForeignRow, type TrustedFile, type TrustedFiles } from "@souffleur/process"
import { ByteSize, Effect, PlatformError, Predicate, Schema } from "effect"

/** Bytes of a record at most. A longer one is read as an empty record, so that memory stays bounded. */
const maxRecord = 16 << 20
/** Bytes that one question reads, unless a record is longer. */
const batchBytes = 1 << 20
/** Rows of the index that one question reads. */
const indexRows = 10_000
/** Rows from the end of which one has a time. */
const recentRows = 100
const newline = 10

const record = `iif(octet_length(data) > ${maxRecord}, '{}', data)`
/** A message has no time of its last change, and a part beside it has. */
const newest = `SELECT max(seq) AS last, (
    SELECT json_extract(data, '$.time') AS at
    FROM (SELECT data FROM event WHERE aggregate_id = ?1 ORDER BY seq DESC LIMIT ${recentRows})
    WHERE json_valid(data) AND at IS NOT NULL LIMIT 1
  ) AS at FROM event WHERE aggregate_id = ?1`
const added = `SELECT seq, octet_length(${record}) AS bytes FROM event
  WHERE aggregate_id = ? AND seq > ? ORDER BY seq LIMIT ${indexRows}`
const between = `SELECT CAST(${record} AS BLOB) AS record FROM event
  WHERE aggregate_id = ? AND seq BETWEEN ? AND ? ORDER BY seq`

const dateOf = Schema.decodeUnknownOption(Schema.DateFromMillis)
const numberIn = (row: ForeignRow | undefined, column: string): number | undefined =>
  Predicate.isNumber(row?.[column]) ? row[column] : undefined

/** Bytes from a place of a session's lines. */
interface Batch {
  readonly from: number
  readonly bytes: Uint8Array
}
/** The lines of a session: the number of each row, and the end of its line in bytes. */
class Index {
  readonly rows: Array<number> = []
  readonly ends: Array<number> = []
  /** The lines that were read last: most reading goes on from there. */
  batch: Batch = { from: 0, bytes: new Uint8Array() }
  get last(): number {
    return this.rows.at(-1) ?? -1
  }
  get size(): number {
    return this.ends.at(-1) ?? 0
  }
  add(row: ForeignRow): void {
    const seq = Number(row["seq"])
    // Another reader may have asked for the same rows.
    if (seq <= this.last) return
    this.ends.push(this.size + Number(row["bytes"]) + 1)
    this.rows.push(seq)
  }
  /** Returns the place of the line with this byte. */
  lineAt(position: number): number {
    let [low, high] = [0, this.ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.ends[middle]! > position) high = middle
      else low = middle + 1
    }
    return low
  }
  /** Returns the rows of a batch whose first line has this byte, and where their lines begin and end. */
  batchAt(position: number) {
    const first = this.lineAt(position)
    const from = this.ends[first - 1] ?? 0
    const next = Math.max(first + 1, this.lineAt(from + batchBytes))
    return { from, ends: this.ends.slice(first, next), rows: [this.rows[first]!, this.rows[next - 1]!] as const }
  }
}

/** Joins records to lines with these ends. It stops at a record that is not as long as it was. */
const linesOf = (rows: ReadonlyArray<ForeignRow>, ends: ReadonlyArray<number>, from: number): Uint8Array => {
  const bytes = new Uint8Array((ends.at(-1) ?? from) - from)
  let at = 0
  for (const [place, end] of ends.entries()) {
    const one = rows[place]?.["record"]
    if (!(one instanceof Uint8Array) || at + one.length + 1 !== end - from) break
    bytes.set(one, at)
    at += one.length + 1
    bytes[at - 1] = newline
  }
  return bytes.subarray(0, at)
}

/**
 * Opens each path below the database as a file: a session, whose events are its lines. So its rows are read as the
 * session file of another agent, from any place, and nothing is copied. Other paths are opened as before.
 */
export const withSessionRows = (files: TrustedFiles["Service"], database: string): TrustedFiles["Service"] => {
  const known = new Map<string, Index>()

  const open = Effect.fnUntraced(function* (path: string, trust: Trust) {
    const sessionId = path.slice(database.length + 1)
    const ask = (sql: string, ...values: ReadonlyArray<string | number>) =>
      files.rows(database, trust, { sql, values: [sessionId, ...values] })
    const [end] = yield* ask(newest)
    const last = numberIn(end, "last")
    if (last === undefined) return yield* new FileRefused({ path, problem: "it is not there", missing: true })
    const before = known.get(sessionId)
    // A session that was taken away and brought back begins again.
    const index = before !== undefined && before.last <= last ? before : new Index()
    known.set(sessionId, index)
    for (let found = indexRows; found === indexRows;) {
      const rows = yield* ask(added, index.last)
      for (const row of rows) index.add(row)
      found = rows.length
    }

    const { size } = index
    const mtime = dateOf(end?.["at"])
    const batchWith = Effect.fnUntraced(function* (position: number) {
      const { batch } = index
      if (position >= batch.from && position < batch.from + batch.bytes.length) return batch
      const { ends, from, rows } = index.batchAt(position)
      return (index.batch = { from, bytes: linesOf(yield* ask(between, ...rows), ends, from) })
    })
    const { stat } = yield* files.open(database, trust)
    return {
      stat: Effect.map(stat, (info) => ({
        ...info,
        mtime,
        size: ByteSize.bytes(size)
      })),
      read: (buffer, { position = 0n } = {}) =>
        Number(position) >= size
          ? Effect.succeed(0)
          : Effect.mapBoth(batchWith(Number(position)), {
              onSuccess: ({ bytes, from }) => {
                const part = bytes.subarray(Number(position) - from, Number(position) - from + buffer.length)
                buffer.set(part)
                return part.length
              },
              onFailure: ({ problem }) =>
                PlatformError.systemError({
                  _tag: "Unknown",
                  module: "SessionRows",
                  method: "read",
                  pathOrDescriptor: path,
                  description: problem
                })
            })
    } satisfies TrustedFile
  })

  const isSession = (path: string) => path.startsWith(`${database}/`)
  return { ...files, open: (path, trust) => (isSession(path) ? open(path, trust) : files.open(path, trust)) }
}
