import type { CopiedRange, FleetEvent, SeenJob, StoreOut } from "@souffleur/fleet"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { JobFold } from "./fold/FoldPass.ts"
import { type ViewedRow, seenJob } from "./HubProjection.ts"
import { eventOf, type EventRow } from "./HubRows.ts"
import { ago, HubStore } from "./HubStore.ts"
import { orOut } from "./HubTrouble.ts"

/** UTF-16 units of the data that one read takes. Events after them are without data, and so cannot be read. */
const maxRead = 4_000_000
/** Events of one read. */
const maxEvents = 5000

/** A job whose events were removed has no page. */
const found = `SELECT log::text, shown, enrolled_host AS host, takes_words, away, ${ago}
  FROM jobs JOIN logs USING (log) JOIN hosts ON hosts.name = enrolled_host
  WHERE rules = $1 AND log = $2::uuid AND stream = $3 AND NOT forgotten AND NOT forked AND revoked IS NULL`

/**
 * A job names the places of its events. The look begins behind the last known one, and goes through the log in its
 * order. Revisions have no gap, so it ends with the last wanted one. `OFFSET 0` keeps the planner from a look through
 * all of the log.
 */
const told = `SELECT *, CASE WHEN sum(length(kept)) OVER (ORDER BY position) > ${maxRead} THEN '' ELSE kept END AS data FROM (
    SELECT found.* FROM jobs, LATERAL (
      SELECT events.log::text, events.position, events.stream, revision, tag, version, events.at, data AS kept FROM events
      WHERE events.log = jobs.log AND events.position BETWEEN greatest(jobs.first, $6::bigint + 1) AND jobs.last
      ORDER BY events.position OFFSET 0) AS found
    WHERE rules = $1 AND jobs.log = $2::uuid AND jobs.stream = $3 AND found.stream = jobs.stream
      AND revision > $4 AND revision <= $5
    LIMIT greatest(0, least(${maxEvents}, $5::bigint - $4::bigint))) AS picked
  ORDER BY position`

/** The jobs of a fleet one by one, each with its events as its host has them (spec: fleet#page). */
export class HubJobs extends Context.Service<
  HubJobs,
  {
    /** Finds a job by its log and its stream. `None`: its log is forked, its host revoked, or its events are gone. */
    readonly job: (log: string, stream: string) => Effect.Effect<Option.Option<SeenJob>, StoreOut>
    /** Reads events of a job, as far as they are folded. 5,000 at most. */
    readonly events: (
      log: string,
      stream: string,
      range: CopiedRange
    ) => Effect.Effect<ReadonlyArray<FleetEvent>, StoreOut>
  }
>()("@souffleur/hub/HubJobs") {
  /** Reads them from Postgres. It goes by the jobs that these rules have folded. */
  static readonly layerSql = ({ rules }: JobFold): Layer.Layer<HubJobs, never, HubStore | SqlClient.SqlClient> =>
    Layer.effect(
      HubJobs,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // It brings the schema.
        yield* HubStore
        return HubJobs.of({
          job: Effect.fn("HubJobs.job")((log, stream) =>
            Effect.map(orOut(sql.unsafe<ViewedRow>(found, [rules, log, stream])), ([row]) =>
              Option.map(Option.fromUndefinedOr(row), seenJob)
            )
          ),
          events: Effect.fn("HubJobs.events")((log, stream, { after, behind, upTo }) =>
            Effect.map(orOut(sql.unsafe<EventRow>(told, [rules, log, stream, after, upTo, behind])), (rows) =>
              rows.map(eventOf)
            )
          )
        })
      })
    )
}
