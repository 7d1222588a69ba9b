import { plain, StateWord } from "@souffleur/domain"
import {
  type FleetHost,
  FleetJob,
  type FleetView,
  type FoundJobs,
  type JobSearch,
  maxLogsViewed,
  maxViewed,
  type SeenJob,
  type StoreOut
} from "@souffleur/fleet"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { JobCount } from "./HubNumbers.ts"
import { foldPass, type JobFold } from "./fold/FoldPass.ts"
import { agoOf } from "./HubRows.ts"
import { ago, HubStore } from "./HubStore.ts"
import { orOut } from "./HubTrouble.ts"

/** How long the first event that is not folded yet has waited, in ms, by its log. */
const late = `WITH turns AS (
    SELECT logs.log, coalesce(folds.position, 0) AS folded FROM logs
    LEFT JOIN folds ON folds.rules = $1 AND folds.log = logs.log WHERE logs.position > coalesce(folds.position, 0))
  SELECT turns.log::text, (extract(epoch FROM clock_timestamp() - arrived) * 1000)::bigint AS late FROM turns, LATERAL (
    SELECT arrived FROM events WHERE events.log = turns.log AND events.position > turns.folded
    ORDER BY events.position LIMIT 1) AS first`

/** Selects jobs that have not ended. */
export const isUnfinished = `urgency < ${StateWord.literals.indexOf("ended")}`

/**
 * Selects jobs that live, or have ended within a day. A forked log is there under two other names, and a revoked host
 * is gone.
 */
export const isCurrent = `NOT forked AND revoked IS NULL
  AND (${isUnfinished} OR at > (extract(epoch FROM clock_timestamp()) - 86400) * 1000)`

/** Finds the jobs that live, and those that ended within a day, by their words. The need of a person comes first. */
const viewed = `SELECT log::text, shown, enrolled_host AS host, takes_words, away, ${ago}, (count(*) OVER ())::int AS total
  FROM jobs JOIN logs USING (log) JOIN hosts ON hosts.name = enrolled_host
  WHERE rules = $1 AND ${isCurrent} AND NOT EXISTS (
    SELECT 1 FROM unnest(string_to_array($2, ' ')) AS word WHERE strpos(lower(enrolled_host) || ' ' || sought, word) = 0)
  ORDER BY urgency, at DESC, log, stream LIMIT $3 OFFSET $4`

/** The row of a job with its host. */
export interface ViewedRow extends Readonly<Record<"log" | "shown" | "host", string>> {
  readonly takes_words: boolean
  readonly away: boolean
  readonly ago: unknown
}

const counted = `SELECT log::text, urgency, count(*)::int AS count
  FROM jobs JOIN logs USING (log) JOIN hosts ON hosts.name = enrolled_host
  WHERE rules = $1 AND ${isCurrent} GROUP BY log, urgency`

const shownJob = Schema.fromJsonString(FleetJob)
const decode = Schema.decodeUnknownSync(shownJob)

/** Returns the job of a row. */
export const seenJob = (row: ViewedRow): SeenJob => ({
  ...decode(row.shown),
  log: row.log,
  host: row.host,
  takesWords: row.takes_words,
  away: row.away,
  lastSeenAgo: agoOf(row)
})

/** The watches and runs of a fleet, folded from the events that arrived (spec: fleet#view). */
export class HubProjection extends Context.Service<
  HubProjection,
  {
    /** Folds some of the events that arrived since the last pass of any hub, and returns how many. */
    readonly pass: Effect.Effect<number, StoreOut>
    /** The fingerprint of the rules by which it folds. */
    readonly rules: string
    readonly view: Effect.Effect<FleetView, StoreOut>
    /** The hosts of the view, by their logs. */
    readonly hosts: Effect.Effect<ReadonlyArray<FleetHost>, StoreOut>
    /** Finds some of the jobs of the view, also beyond its bound. `found` is 0 where all of them are left out. */
    readonly find: (asked: JobSearch) => Effect.Effect<FoundJobs, StoreOut>
    /** Counts the jobs of the view, also those that it leaves out for their number. */
    readonly counts: Effect.Effect<ReadonlyArray<JobCount>, StoreOut>
  }
>()("@souffleur/hub/HubProjection") {
  /** Keeps it in Postgres, beside the copies. Everything in it can be made from them again. */
  static readonly layerSql = (folding: JobFold): Layer.Layer<HubProjection, never, HubStore | SqlClient.SqlClient> =>
    Layer.effect(
      HubProjection,
      Effect.gen(function* () {
        const { rules } = folding
        const sql = yield* SqlClient.SqlClient
        const store = yield* HubStore
        const pass = yield* foldPass(folding)

        const viewedRows = ({ atMost, from, search }: JobSearch) =>
          orOut(
            sql.unsafe<ViewedRow & { readonly total: number }>(viewed, [
              rules,
              plain(search).toLowerCase().trim().split(/\s+/u).join(" "),
              atMost,
              from
            ])
          )
        const hosts = Effect.gen(function* () {
          const logs = yield* store.logs
          const rows = yield* orOut(sql.unsafe<{ readonly log: string; readonly late: unknown }>(late, [rules]))
          const behind = new Map(rows.map((row) => [row.log, Math.max(0, Number(row.late))]))
          return logs.map(
            ({ away, enrolledHost, forked, full, host, lastSeenAgo, log, revoked, takesWords }): FleetHost => ({
              name: enrolledHost,
              host,
              log,
              lastSeenAgo,
              forked,
              revoked,
              away,
              takesWords,
              full,
              behind: behind.get(log) ?? 0
            })
          )
        })

        return HubProjection.of({
          rules,
          hosts,
          find: Effect.fn("HubProjection.find")(function* (asked) {
            const rows = yield* viewedRows(asked)
            return { jobs: rows.map(seenJob), found: rows[0]?.total ?? 0 }
          }),
          pass: orOut(pass).pipe(Effect.withSpan("HubProjection.pass")),
          counts: Effect.map(
            orOut(
              sql.unsafe<{ readonly log: string; readonly urgency: number; readonly count: number }>(counted, [rules])
            ),
            (rows) => rows.map(({ count, log, urgency }) => ({ log, state: StateWord.literals[urgency]!, count }))
          ).pipe(Effect.withSpan("HubProjection.counts")),
          view: Effect.gen(function* () {
            const rows = yield* viewedRows({ search: "", from: 0, atMost: maxViewed })
            const jobs = rows.map(({ log, shown }) => ({ ...decode(shown), log }))
            const [clock] = yield* orOut(
              sql<{ readonly now: unknown }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
            )
            const known = yield* hosts
            const newest = known.toSorted((one, other) => one.lastSeenAgo - other.lastSeenAgo).slice(0, maxLogsViewed)
            return {
              now: Number(clock!.now),
              hosts: known.length > maxLogsViewed ? newest : known,
              jobs,
              more: (rows[0]?.total ?? 0) - rows.length
            }
          }).pipe(Effect.withSpan("HubProjection.view"))
        })
      })
    )
}
