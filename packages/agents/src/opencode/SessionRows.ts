import { Errands, type Trust } from "@souffleur/domain"
import { FileRefused, type ForeignRow, type TrustedFile, type TrustedFiles } from "@souffleur/process"
import { ByteSize, Effect, PlatformError, Predicate, Schema } from "effect"

/** Bytes of a record at most. A longer one is read as an empty record, so that memory stays bounded. */
const maxRecord = 16 << 20
/** Bytes of a record that are always read. */
const smallRecord = 4096
/** Bytes that one question reads, unless a record is longer. */
const batchBytes = 1 << 20
/** Rows of the index that one question reads. */
const indexRows = 2000
/** Rows from the end of which one has a time. */
const recentRows = 100
const newline = 10

/** A message has no time of its last change, and a part beside it has. */
const newest = `SELECT max(seq) AS last, (
    SELECT json_extract(data, '$.time') AS at
    FROM (SELECT data FROM event WHERE aggregate_id = ?1 ORDER BY seq DESC LIMIT ${recentRows})
    WHERE json_valid(data) AND at IS NOT NULL LIMIT 1
  ) AS at FROM event WHERE aggregate_id = ?1`
// SQLite knows the length of a value without reading the value.
const added = `SELECT seq, octet_length(data) AS bytes FROM event
  WHERE aggregate_id = ? AND seq > ? ORDER BY seq LIMIT ${indexRows}`
const these = "FROM event WHERE aggregate_id = ? AND seq IN (SELECT value FROM json_each(?))"
const records = `SELECT seq, CAST(data AS BLOB) AS record ${these} ORDER BY seq`
/** While a tool prints, its whole output is written again with each piece, and at last with its end. */
const pieces = `SELECT seq ${these}
  AND iif(json_valid(data), json_extract(data, '$.part.state.status') = 'running'
    AND json_type(data, '$.part.state.metadata.output') = 'text', 0)`

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
  /** The lines that were read last, after which most reading continues. */
  batch: Batch = { from: 0, bytes: new Uint8Array() }
  get last(): number {
    return this.rows.at(-1) ?? -1
  }
  get size(): number {
    return this.ends.at(-1) ?? 0
  }
  add(seq: number, bytes: number): void {
    // Another reader may have asked for the same rows.
    if (seq <= this.last) return
    this.ends.push(this.size + bytes + 1)
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
  /** Returns the lines from that with this byte on, with their rows and lengths, and where they begin. */
  batchAt(position: number) {
    const first = this.lineAt(position)
    const from = this.ends[first - 1] ?? 0
    const next = Math.max(first + 1, this.lineAt(from + batchBytes))
    const lines = this.rows.slice(first, next).map((seq, at) => ({
      seq,
      length: this.ends[first + at]! - (this.ends[first + at - 1] ?? 0) - 1
    }))
    return { from, lines }
  }
}
type Lines = ReturnType<Index["batchAt"]>["lines"]

/** Replaces a record that is left out. */
const empty = new TextEncoder().encode("{}")

/** Joins records to lines. It stops at a record that is not as long as it was. */
const linesOf = (lines: Lines, found: ReadonlyMap<unknown, unknown>): Uint8Array => {
  const bytes = new Uint8Array(lines.reduce((sum, { length }) => sum + length + 1, 0))
  let at = 0
  for (const { length, seq } of lines) {
    const one = length === empty.length ? empty : found.get(seq)
    if (!(one instanceof Uint8Array) || one.length !== length) break
    bytes.set(one, at)
    at += length + 1
    bytes[at - 1] = newline
  }
  return bytes.subarray(0, at)
}

/** Groups rows, so that the records of each group have some bytes together. */
const grouped = (rows: ReadonlyArray<Sized>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  let room = 0
  for (const { bytes, seq } of rows) {
    room -= bytes
    if (room >= 0) groups.at(-1)!.push(seq)
    else {
      groups.push([seq])
      room = batchBytes - bytes
    }
  }
  return groups
}
/** A row with the length of its record. */
interface Sized {
  readonly seq: number
  readonly bytes: number
}

/**
 * Opens each path below the database as a file: a session, whose events are its lines. So its rows are read as the
 * session file of another agent, from any place, and nothing is copied. Other paths are opened as before.
 */
export const withSessionRows = (
  files: TrustedFiles["Service"],
  errands: Errands["Service"],
  database: string
): TrustedFiles["Service"] => {
  const known = new Map<string, Index>()

  const open = Effect.fnUntraced(function* (path: string, trust: Trust) {
    const sessionId = path.slice(database.length + 1)
    const ask = (sql: string, ...values: ReadonlyArray<string | number>) =>
      files
        .rows(database, trust, { sql, tables: ["event"], values: [sessionId, ...values] })
        .pipe(Effect.provideService(Errands, errands))
    const [end] = yield* ask(newest)
    const last = numberIn(end, "last")
    if (last === undefined) return yield* new FileRefused({ path, problem: "it is not there", missing: true })
    const before = known.get(sessionId)
    // A session that was taken away and brought back begins again.
    const index = before !== undefined && before.last <= last ? before : new Index()
    known.set(sessionId, index)
    for (let found = indexRows; found === indexRows;) {
      const rows = (yield* ask(added, index.last)).map(({ bytes, seq }): Sized => ({
        seq: Number(seq),
        bytes: Number(bytes)
      }))
      const large = rows.filter(({ bytes }) => bytes > smallRecord && bytes <= maxRecord)
      const repeated = yield* Effect.forEach(grouped(large), (seqs) => ask(pieces, JSON.stringify(seqs)))
      const left = new Set(repeated.flat().map(({ seq }) => seq))
      for (const { bytes, seq } of rows) index.add(seq, bytes > maxRecord || left.has(seq) ? empty.length : bytes)
      found = rows.length
    }

    const { size } = index
    const mtime = dateOf(end?.["at"])
    const batchWith = Effect.fnUntraced(function* (position: number) {
      const { batch } = index
      if (position >= batch.from && position < batch.from + batch.bytes.length) return batch
      const { from, lines } = index.batchAt(position)
      const kept = lines.flatMap(({ length, seq }) => (length === empty.length ? [] : [seq]))
      const rows = yield* ask(records, JSON.stringify(kept))
      const found = new Map(rows.map(({ record, seq }) => [seq, record]))
      return (index.batch = { from, bytes: linesOf(lines, found) })
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
