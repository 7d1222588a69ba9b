import {
  type Appended,
  BrokenBatch,
  type CopiedLog,
  type FleetBatch,
  type FleetEvent,
  type Introduction,
  type LogMark,
  LogOfAnother,
  markAfter,
  NoSuchLog,
  noMark,
  OtherMark,
  QuotaReached,
  type StoreOut,
  TooManyLogs
} from "@souffleur/fleet"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrated } from "./HubMigrations.ts"
import { DatabaseUnusable, orOut, rootProblem } from "./HubTrouble.ts"
import { hubTokens } from "./people/HubTokens.ts"
import {
  agoOf,
  AlreadyEnrolled,
  type Arrival,
  type ArrivedEvent,
  eventOf,
  type EventRow,
  type LogRow,
  type LogStanding,
  copiedMark
} from "./HubRows.ts"

/**
 * One statement: the mark moves and the events go in, or neither. The mark is compared by place and digest, so no event
 * is lost, doubled or put in another order (spec: fleet#append).
 */
const append = `WITH moved AS (
    UPDATE logs SET position = $5, digest = $6, last_seen = clock_timestamp(), away = $15,
      skew_ms = $7 - (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    WHERE log = $1::uuid AND enrolled_host = $2 AND position = $3 AND digest = $4 AND NOT forked
      AND EXISTS (SELECT 1 FROM hosts WHERE name = $2 AND revoked IS NULL
        AND ($16::bigint = 0 OR CASE WHEN day = (now() AT TIME ZONE 'UTC')::date THEN day_bytes ELSE 0 END + $16 <= $17::bigint))
    RETURNING log),
  paid AS (
    UPDATE hosts SET day = (now() AT TIME ZONE 'UTC')::date,
      day_bytes = CASE WHEN day = (now() AT TIME ZONE 'UTC')::date THEN day_bytes ELSE 0 END + $16
    FROM moved WHERE name = $2 AND $16 > 0),
  put AS (
    INSERT INTO events (log, position, stream, revision, tag, version, at, data)
    SELECT moved.log, new.* FROM moved, unnest($8::text[]::int8[], $9::text[], $10::text[]::int8[], $11::text[], $12::text[]::int8[],
      $13::text[]::int8[], $14::text[]) AS new)
  SELECT EXISTS (SELECT 1 FROM words WHERE words.log = moved.log AND answered IS NULL
    AND until > clock_timestamp() - interval '1 day') AS words FROM moved`

/**
 * Reads the events of all logs in the order of their transactions. Events of a transaction that may still commit behind
 * an earlier reader are not told yet: by their number alone they would be lost for that reader (spec: fleet#readers).
 */
const arrived = `SELECT epoch, xid::text, seq::text, log::text, position, stream, revision, tag, version, at, data
  FROM events, origin
  WHERE (epoch <> $4 OR (xid, seq) > ($1::xid8, $2::bigint)) AND xid < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY events.xid, events.seq LIMIT $3`

/** The most logs of one host. Each rename of a log makes one. */
const maxLogs = 1000

/**
 * The bytes of events that a host may ship in a day (UTC). A larger backlog comes over some days, and nothing of it is
 * lost.
 */
export const HubQuota = Context.Reference<number>("@souffleur/hub/HubQuota", { defaultValue: () => 1_000_000_000 })

const encoder = new TextEncoder()
const bytesOf = (...texts: ReadonlyArray<string>) => texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)

/** Milliseconds since the host of a log last spoke. */
export const ago = "(extract(epoch FROM clock_timestamp() - last_seen) * 1000)::bigint AS ago"

const isInOrder = ({ after, events }: FleetBatch) =>
  events.every(([position], n) => position > (n === 0 ? after.position : events[n - 1]![0]))

/** The hosts of a hub, and its copy of each log (spec: fleet#the-hub). */
export class HubStore extends Context.Service<
  HubStore,
  {
    /** Enrols a host, and returns its token. The store has a digest alone. Fails with `AlreadyEnrolled`. */
    readonly enrol: (name: string) => Effect.Effect<Redacted.Redacted, AlreadyEnrolled | StoreOut>
    /** Revokes the token of a host. Its logs stay. Returns `false` where no such host is enrolled. */
    readonly revoke: (name: string) => Effect.Effect<boolean, StoreOut>
    /** Returns the name of the host that a token was given to, unless it was revoked. */
    readonly hostOf: (token: Redacted.Redacted) => Effect.Effect<Option.Option<string>, StoreOut>
    /** Takes up a log, or says where it is. Fails with `LogOfAnother`, `TooManyLogs`, or `OtherMark` of a fork. */
    readonly begin: (
      enrolledHost: string,
      log: string,
      who: Introduction
    ) => Effect.Effect<LogMark, OtherMark | LogOfAnother | TooManyLogs | StoreOut>
    /** Says how far a log was copied. Fails with `NoSuchLog` and `LogOfAnother`. */
    readonly look: (enrolledHost: string, log: string) => Effect.Effect<CopiedLog, NoSuchLog | LogOfAnother | StoreOut>
    /**
     * Appends a batch whole, or not at all. Fails with `OtherMark`, `NoSuchLog`, `LogOfAnother`, `BrokenBatch` and
     * `QuotaReached`.
     */
    readonly append: (
      enrolledHost: string,
      log: string,
      batch: FleetBatch
    ) => Effect.Effect<Appended, OtherMark | NoSuchLog | LogOfAnother | BrokenBatch | QuotaReached | StoreOut>
    /** Holds a log for forked from now on. Nothing is appended to it. Fails with `NoSuchLog` and `LogOfAnother`. */
    readonly fork: (enrolledHost: string, log: string) => Effect.Effect<LogMark, NoSuchLog | LogOfAnother | StoreOut>
    /** Reads the events of all logs after a place, in the order in which readers may see them. */
    readonly arrivals: (after: Arrival, maxEvents: number) => Effect.Effect<ReadonlyArray<ArrivedEvent>, StoreOut>
    /** Reads the events of one log after a position. */
    readonly events: (
      log: string,
      after: number,
      maxEvents: number
    ) => Effect.Effect<ReadonlyArray<FleetEvent>, StoreOut>
    readonly logs: Effect.Effect<ReadonlyArray<LogStanding>, StoreOut>
  }
>()("@souffleur/hub/HubStore") {
  /**
   * Keeps it in Postgres, and brings the database to its schema first. Fails with `DatabaseUnusable` where that does
   * not work.
   */
  static readonly layerSql: Layer.Layer<HubStore, DatabaseUnusable, SqlClient.SqlClient> = Layer.effect(
    HubStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const quota = yield* HubQuota
      yield* Effect.mapError(migrated, (error) => new DatabaseUnusable({ place: null, problem: rootProblem(error) }))

      const { give, holder, revoke } = hubTokens(sql, "hosts")
      const logOf = Effect.fnUntraced(function* (enrolledHost: string, log: string) {
        const [row] = yield* orOut(
          sql<LogRow>`SELECT enrolled_host, machine, position, digest, forked, ${sql.literal(ago)} FROM logs WHERE log = ${log}::uuid`
        )
        if (row === undefined) return yield* new NoSuchLog()
        if (row.enrolled_host !== enrolledHost) return yield* new LogOfAnother()
        return row
      })

      /** Fails with `QuotaReached` where the bytes of a host for today do not take these too. */
      const refuseBeyondQuota = Effect.fnUntraced(function* (enrolledHost: string, bytes: number) {
        const [host] = yield* orOut(
          sql<Readonly<Record<"used" | "left", unknown>>>`SELECT
              CASE WHEN day = (now() AT TIME ZONE 'UTC')::date THEN day_bytes ELSE 0 END AS used,
              (extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '1 day' - now()) * 1000)::bigint AS left
            FROM hosts WHERE name = ${enrolledHost} AND revoked IS NULL`
        )
        if (host === undefined || bytes === 0 || Number(host.used) + bytes <= quota) return
        yield* orOut(sql`UPDATE hosts SET refused = (now() AT TIME ZONE 'UTC')::date WHERE name = ${enrolledHost}`)
        return yield* new QuotaReached({ quota, left: Math.max(1, Number(host.left)) })
      })

      return HubStore.of({
        enrol: Effect.fn("HubStore.enrol")(function* (name) {
          const token = yield* give(name)
          return Option.isSome(token) ? token.value : yield* new AlreadyEnrolled({ name })
        }),
        revoke: Effect.fn("HubStore.revoke")(revoke),
        hostOf: Effect.fn("HubStore.hostOf")((token) =>
          Effect.map(
            holder<{ readonly name: string }>(token, "name"),
            Option.map(({ name }) => name)
          )
        ),
        begin: Effect.fn("HubStore.begin")(function* (enrolledHost, log, { host, machine, takesWords }) {
          yield* orOut(
            sql`INSERT INTO logs (log, enrolled_host, host, machine, position, digest)
              SELECT ${log}::uuid, ${enrolledHost}, ${host}, ${machine}, ${noMark.position}::bigint, ${noMark.digest}
              WHERE (SELECT count(*) FROM logs WHERE enrolled_host = ${enrolledHost}) < ${maxLogs}
              ON CONFLICT (log) DO NOTHING`
          )
          const row = yield* Effect.catchTag(logOf(enrolledHost, log), "NoSuchLog", () =>
            Effect.fail(new TooManyLogs())
          )
          if (row.machine !== machine) return yield* new LogOfAnother()
          yield* orOut(
            sql`UPDATE logs SET host = ${host}, takes_words = ${takesWords}, away = false, last_seen = clock_timestamp() WHERE log = ${log}::uuid`
          )
          if (row.forked) return yield* new OtherMark({ mark: copiedMark(row), forked: true })
          return copiedMark(row)
        }),
        look: Effect.fn("HubStore.look")(function* (enrolledHost, log) {
          const row = yield* logOf(enrolledHost, log)
          return { mark: copiedMark(row), name: enrolledHost, forked: row.forked, lastSeenAgo: agoOf(row) }
        }),
        append: Effect.fn("HubStore.append")(function* (enrolledHost, log, batch) {
          const { after, away = false, digest, events, now } = batch
          const mark = yield* markAfter(after, events)
          if (mark.digest !== digest || !isInOrder(batch)) return yield* new BrokenBatch()
          // The driver infers a type from each number, and takes no two types in one column.
          const column = (n: number) => events.map((event) => String(event[n]))
          const bytes = events.reduce((sum, [, stream, , tag, , , data]) => sum + bytesOf(stream, tag, data), 0)
          const [moved] = yield* orOut(
            sql.unsafe<Pick<Appended, "words">>(append, [
              log,
              enrolledHost,
              after.position,
              after.digest,
              mark.position,
              mark.digest,
              now,
              ...[0, 1, 2, 3, 4, 5, 6].map(column),
              away,
              bytes,
              quota
            ])
          )
          if (moved !== undefined) return { ...mark, words: moved.words }
          const row = yield* logOf(enrolledHost, log)
          const known = copiedMark(row)
          if (!row.forked && known.position === after.position && known.digest === after.digest)
            yield* refuseBeyondQuota(enrolledHost, bytes)
          return yield* new OtherMark({ mark: copiedMark(row), forked: row.forked })
        }),
        fork: Effect.fn("HubStore.fork")(function* (enrolledHost, log) {
          const row = yield* logOf(enrolledHost, log)
          yield* orOut(sql`UPDATE logs SET forked = true WHERE log = ${log}::uuid`)
          return copiedMark(row)
        }),
        arrivals: Effect.fn("HubStore.arrivals")((after, maxEvents) =>
          Effect.map(orOut(sql.unsafe<EventRow>(arrived, [after.xid, after.seq, maxEvents, after.epoch])), (rows) =>
            rows.map((row) => ({
              epoch: Number(row.epoch),
              xid: row.xid,
              seq: row.seq,
              log: row.log,
              event: eventOf(row)
            }))
          )
        ),
        events: Effect.fn("HubStore.events")((log, after, maxEvents) =>
          Effect.map(
            orOut(
              sql<EventRow>`SELECT position, stream, revision, tag, version, at, data FROM events
                WHERE log = ${log}::uuid AND position > ${after} ORDER BY position LIMIT ${maxEvents}`
            ),
            (rows) => rows.map(eventOf)
          )
        ),
        logs: orOut(
          sql<
            LogRow &
              Readonly<Record<"log" | "host", string>> &
              Readonly<Record<"skew_ms", unknown>> &
              Readonly<Record<"revoked" | "takes_words" | "away" | "full", boolean>>
          >`
            SELECT enrolled_host, coalesce(refused = (now() AT TIME ZONE 'UTC')::date, false) AS full,
              hosts.revoked IS NOT NULL AS revoked, log::text, host, machine, position, digest, forked,
              takes_words, away, skew_ms, ${sql.literal(ago)}
            FROM logs JOIN hosts ON hosts.name = enrolled_host ORDER BY enrolled_host, log`
        ).pipe(
          Effect.map((rows) =>
            rows.map((row): LogStanding => ({
              enrolledHost: row.enrolled_host,
              revoked: row.revoked,
              log: row.log,
              host: row.host,
              machine: row.machine,
              mark: copiedMark(row),
              lastSeenAgo: agoOf(row),
              skew: Number(row.skew_ms),
              forked: row.forked,
              away: row.away,
              takesWords: row.takes_words,
              full: row.full
            }))
          ),
          Effect.withSpan("HubStore.logs")
        )
      })
    })
  )
}
