import { plain, StateWord } from "@souffleur/domain"
import { type FleetEvent, FleetJob } from "@souffleur/fleet"
import { Cause, Effect, Exit, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { eventOf, type EventRow } from "../HubRows.ts"

/** A job, with what is kept of it to fold later events. */
export interface FoldedJob {
  readonly job: FleetJob
  readonly folded: string
}

/** The rules by which the events of a stream become a job. */
export interface JobFold {
  /** A fingerprint. Other rules have another one, and begin with the first event. */
  readonly rules: string
  /**
   * Folds more events of a stream. It skips those that it had already, and never throws. The job tells an event that it
   * cannot read. `before`: what was kept; `undefined`: nothing yet.
   */
  readonly fold: (stream: string, before: string | undefined, events: ReadonlyArray<FleetEvent>) => FoldedJob
  /** Returns the job of a stream that cannot be folded from this event on. No later event of it is folded. */
  readonly lost: (event: FleetEvent) => FoldedJob
}

/** Events of one pass. */
const passEvents = 200
/** UTF-16 units of the name of a stream that is listed. */
const maxStream = 200

/**
 * Returns whether a stream is listed: its name is shown as it is, and is a part of an address (spec: fleet#view). No
 * souffleur gives another name, and the index takes none that is longer.
 */
export const isListed = ({ stream }: Pick<EventRow, "stream">) =>
  stream.length <= maxStream && plain(stream) === stream && !/(?:^|\/)\.{0,2}$/u.test(stream)

/** UTF-16 units of an event's data that are read. No souffleur writes a larger event. */
const maxRead = 200_000
/** UTF-16 units of events and of kept jobs that one pass reads, unless its first event alone needs more. */
const maxPass = 4_000_000

/** Logs of one pass. */
const passLogs = 200

/** The logs with events that are not folded yet. Of each host the log that waited longest has the first turn. */
const waiting = `SELECT logs.log, coalesce(folds.position, 0) AS folded, folds.passed,
    row_number() OVER (PARTITION BY enrolled_host ORDER BY folds.passed NULLS FIRST, logs.log) AS turn
  FROM logs LEFT JOIN folds ON folds.rules = $1 AND folds.log = logs.log
  WHERE logs.position > coalesce(folds.position, 0) AND ($2::uuid IS NULL OR logs.log = $2::uuid)
  ORDER BY turn, folds.passed NULLS FIRST, logs.log LIMIT ${passLogs}`

/**
 * Reads the next events, the first one of each log before the second one of any: whatever a host ships, each other host
 * has its share of each pass.
 */
const news = `WITH turns AS (${waiting})
  SELECT found.log::text, position, stream, revision, tag, version, at,
    CASE WHEN length(data) > ${maxRead} THEN '' ELSE data END AS data
  FROM turns, LATERAL (
    SELECT of.*, row_number() OVER (ORDER BY position) AS place FROM (
      SELECT * FROM events WHERE events.log = turns.log AND events.position > turns.folded
      ORDER BY events.position LIMIT greatest(1, $3::bigint / (SELECT count(*) FROM turns))) AS of) AS found
  ORDER BY place, turn, passed NULLS FIRST, found.log LIMIT $3`

/** The driver infers a type from each number, and takes no two types in one column. So each column is of texts. */
const keep = `INSERT INTO jobs (rules, log, stream, urgency, at, need, sought, shown, folded, first, last)
  SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[]::int2[], $5::text[]::int8[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[]::int8[], $11::text[]::int8[])
  ON CONFLICT (rules, log, stream) DO UPDATE SET urgency = excluded.urgency, at = excluded.at, need = excluded.need,
    sought = excluded.sought, shown = excluded.shown, folded = excluded.folded, first = least(jobs.first, excluded.first),
    last = greatest(jobs.last, excluded.last), forgotten = false`

const move = `INSERT INTO folds (rules, log, position)
  SELECT $1, * FROM unnest($2::uuid[], $3::text[]::int8[])
  ON CONFLICT (rules, log) DO UPDATE SET position = excluded.position, passed = clock_timestamp()`

type OfStream = Readonly<Record<"log" | "stream", string>>
const keyOf = ({ log, stream }: OfStream) => `${log} ${stream}`

/** Returns the first events that one pass reads, by the lengths of what is kept of their jobs. */
const readTogether = (rows: ReadonlyArray<EventRow>, kept: ReadonlyArray<OfStream & { readonly length: number }>) => {
  const lengths = new Map(kept.map((one) => [keyOf(one), one.length]))
  let length = 0
  const end = rows.findIndex((row) => {
    length += row.data.length + (lengths.get(keyOf(row)) ?? 0)
    lengths.delete(keyOf(row))
    return length > maxPass
  })
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

/** Finds what is kept of the jobs of some streams. */
const keptOf = (column: string) =>
  `SELECT log::text, stream, ${column} FROM jobs JOIN unnest($2::uuid[], $3::text[]) AS wanted (log, stream) USING (log, stream) WHERE rules = $1`

/** Encodes a job for its row. */
const encode = Schema.encodeSync(Schema.fromJsonString(FleetJob))

/** Returns the words by which a search finds a job. */
const soughtOf = ({ id, project, title }: FleetJob) => `${id} ${project} ${title ?? ""}`.toLowerCase()

/** Returns whether a failure is no fault of what is folded: the database is out, or the hub ends. */
const isPassing = (cause: Cause.Cause<SqlError.SqlError>) =>
  Cause.hasInterrupts(cause) ||
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error.reason.isRetryable)

const urgencyOf = ({ state }: FleetJob) => StateWord.literals.indexOf(state)

/**
 * Makes a pass: it folds some of the events that arrived since the last pass of any hub, and returns how many. What
 * cannot be folded is halved down to one stream, which is told as unreadable.
 */
export const foldPass = Effect.fnUntraced(function* ({ fold, lost, rules }: JobFold) {
  const sql = yield* SqlClient.SqlClient

  /** Begins a pass. Of two hubs the later one waits here, and continues where the other has come to. */
  const turn = Effect.gen(function* () {
    yield* sql`INSERT INTO projections (rules) VALUES (${rules}) ON CONFLICT DO NOTHING`
    yield* sql`SELECT 1 FROM projections WHERE rules = ${rules} FOR UPDATE`
  })

  /** Keeps the jobs of some streams, and moves the places of their logs. */
  const kept = Effect.fnUntraced(function* (
    rows: ReadonlyArray<EventRow>,
    jobs: ReadonlyArray<FoldedJob & { readonly of: ReadonlyArray<EventRow> }>
  ) {
    const places = jobs.map(({ of }) => of.map(({ position }) => Number(position)))
    yield* sql.unsafe(keep, [
      rules,
      jobs.map(({ of }) => of[0]!.log),
      jobs.map(({ of }) => of[0]!.stream),
      jobs.map(({ job }) => String(urgencyOf(job))),
      jobs.map(({ job }) => String(job.at)),
      jobs.map(({ job }) => job.need?.why ?? ""),
      jobs.map(({ job }) => soughtOf(job)),
      jobs.map(({ job }) => encode(job)),
      jobs.map(({ folded }) => folded),
      places.map((of) => String(Math.min(...of))),
      places.map((of) => String(Math.max(...of)))
    ])
    const last = [...new Map(rows.map(({ log, position }) => [log, String(position)]))]
    yield* sql.unsafe(move, [rules, last.map(([log]) => log), last.map(([, position]) => position)])
    yield* sql`UPDATE projections SET passed = clock_timestamp() WHERE rules = ${rules}`
    yield* sql`DELETE FROM projections WHERE passed < clock_timestamp() - interval '7 days'`
    return rows.length
  })

  /** Folds the next events of all logs, or of one. */
  const foldNext = Effect.fnUntraced(function* (log: string | null, atMost: number) {
    yield* turn
    const arrived = yield* sql.unsafe<EventRow>(news, [rules, log, atMost])
    const named = [...new Map(arrived.map((row) => [keyOf(row), row])).values()]
    const rows = readTogether(
      arrived,
      yield* sql.unsafe<OfStream & { readonly length: number }>(keptOf("length(folded)"), [
        rules,
        named.map(({ log }) => log),
        named.map(({ stream }) => stream)
      ])
    )
    if (rows.length === 0) return 0
    const streams = [...Map.groupBy(rows, keyOf).values()].filter(([row]) => isListed(row!))
    const columns = [streams.map(([row]) => row!.log), streams.map(([row]) => row!.stream)]
    const known = yield* sql.unsafe<OfStream & { readonly folded: string }>(keptOf("folded"), [rules, ...columns])
    const before = new Map(known.map((one) => [keyOf(one), one.folded]))
    // The hub answers its hosts between two jobs.
    const jobs = yield* Effect.forEach(streams, (of) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => ({ of, ...fold(of[0]!.stream, before.get(keyOf(of[0]!)), of.map(eventOf)) }))
      )
    )
    return yield* kept(rows, jobs)
  }, sql.withTransaction)

  /** Tells the stream of the next event of a log as unreadable, and is past that event. */
  const giveUp = Effect.fnUntraced(function* (log: string) {
    yield* turn
    const rows = yield* sql.unsafe<EventRow>(news, [rules, log, 1])
    const [row] = rows
    if (row === undefined) return 0
    yield* Effect.logWarning(
      `the hub cannot fold the stream ${plain(row.stream, maxStream)} of log ${log}, and tells it as unreadable`
    )
    return yield* kept(rows, isListed(row) ? [{ of: rows, ...lost(eventOf(row)) }] : [])
  }, sql.withTransaction)

  /** Folds the next events of one log: fewer and fewer, down to the stream that cannot be folded. */
  const foldLog = (log: string, atMost: number): Effect.Effect<number, SqlError.SqlError> =>
    Effect.catchCause(foldNext(log, atMost), (cause) => {
      if (isPassing(cause)) return Effect.failCause(cause)
      return atMost > 1 ? foldLog(log, Math.floor(atMost / 2)) : giveUp(log)
    })

  /** Folds each log by itself, since no host stops the others. */
  const foldApart = Effect.gen(function* () {
    const logs = yield* sql.unsafe<{ readonly log: string }>(`SELECT log::text FROM (${waiting}) AS waiting`, [
      rules,
      null
    ])
    const exits = yield* Effect.forEach(logs, ({ log }) => Effect.exit(foldLog(log, passEvents)))
    const folded = exits.reduce((sum, exit) => sum + (Exit.isSuccess(exit) ? exit.value : 0), 0)
    const failed = exits.find(Exit.isFailure)
    return folded === 0 && failed !== undefined ? yield* failed : folded
  })

  return Effect.catchCause(foldNext(null, passEvents), (cause) =>
    isPassing(cause) ? Effect.failCause(cause) : foldApart
  )
})
