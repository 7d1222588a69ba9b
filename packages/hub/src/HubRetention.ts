import { StateWord } from "@souffleur/domain"
import type { StoreOut } from "@souffleur/fleet"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { JobFold } from "./fold/FoldPass.ts"
import { HubStore } from "./HubStore.ts"
import { orOut } from "./HubTrouble.ts"

/** Jobs whose events one statement removes. */
const together = 50

/** A pass of a fold holds a row of this table, so no job is folded meanwhile. No hub with other rules begins either. */
const alone = "LOCK TABLE projections IN EXCLUSIVE MODE"

/**
 * Removes the events of jobs that ended long ago, as far as they are folded. Other rules may still need them. The mark
 * of a log does not depend on them, and a job keeps what later events need. A job names the places of its events:
 * a look through all events would take minutes. `OFFSET 0` keeps the planner from that look.
 */
const forget = `WITH due AS (
    SELECT log, stream, first, last FROM jobs
    WHERE rules = $1 AND NOT forgotten AND urgency = ${StateWord.literals.indexOf("ended")}
      AND at < extract(epoch FROM clock_timestamp()) * 1000 - $2::bigint
      AND NOT EXISTS (SELECT 1 FROM projections WHERE rules <> $1)
    ORDER BY log, stream LIMIT ${together}),
  marked AS (
    UPDATE jobs SET forgotten = true FROM due
    WHERE rules = $1 AND (jobs.log, jobs.stream) = (due.log, due.stream)),
  gone AS (
    DELETE FROM events WHERE ctid = ANY (ARRAY(
      SELECT row FROM due, folds, LATERAL (
        SELECT events.ctid AS row FROM events
        WHERE events.log = due.log AND events.position BETWEEN due.first AND least(due.last, folds.position)
          AND events.stream = due.stream OFFSET 0) AS found
      WHERE folds.rules = $1 AND folds.log = due.log)))
  SELECT count(*)::int AS jobs FROM due`

/** How long a hub keeps the events of jobs that have ended (spec: fleet#retention). */
export class HubRetention extends Context.Service<
  HubRetention,
  {
    /** Removes the events of some jobs that ended longer ago than that. Returns the number of these jobs. */
    readonly forget: (keep: Duration.Duration) => Effect.Effect<number, StoreOut>
  }
>()("@souffleur/hub/HubRetention") {
  /** Removes them from Postgres. It goes by the jobs that these rules have folded. */
  static readonly layerSql = ({ rules }: JobFold): Layer.Layer<HubRetention, never, HubStore | SqlClient.SqlClient> =>
    Layer.effect(
      HubRetention,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // It brings the schema.
        yield* HubStore
        return HubRetention.of({
          forget: Effect.fn("HubRetention.forget")(function* (keep) {
            const removed = sql.unsafe<{ readonly jobs: number }>(forget, [rules, Duration.toMillis(keep)])
            const [row] = yield* orOut(sql.withTransaction(Effect.andThen(sql.unsafe(alone, []), removed)))
            return row?.jobs ?? 0
          })
        })
      })
    )
}
