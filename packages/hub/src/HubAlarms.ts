import type { StoreOut } from "@souffleur/fleet"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { JobFold } from "./fold/FoldPass.ts"
import { isCurrent, isUnfinished } from "./HubProjection.ts"
import { HubStore } from "./HubStore.ts"
import { orOut } from "./HubTrouble.ts"

/** Something that a person is told once, as long as it lasts. `job`: its watch or run; `null`: the host itself. */
export interface Alarm {
  readonly kind: "silent" | "needs you"
  readonly host: string
  readonly job: string | null
  readonly why: string
  /** Names the alarm in the store. */
  readonly key: { readonly log: string; readonly stream: string; readonly begun: string }
}

/**
 * Finds the hosts that have been silent for two minutes, and not for a week. A host that has renamed its log speaks
 * under another name. After a goodbye it is away. That is a silence only after an hour, and where jobs live.
 */
const silent = `SELECT DISTINCT ON (enrolled_host) 'silent' AS kind, log, '' AS stream, 'silent' AS why, last_seen, away
  FROM logs JOIN hosts ON hosts.name = enrolled_host WHERE revoked IS NULL ORDER BY enrolled_host, last_seen DESC`
const causes = `SELECT kind, log, stream, why FROM (${silent}) AS newest
    WHERE last_seen BETWEEN clock_timestamp() - interval '7 days' AND clock_timestamp() - interval '2 minutes'
      AND (NOT away OR last_seen < clock_timestamp() - interval '1 hour'
        AND EXISTS (SELECT 1 FROM jobs WHERE rules = $1 AND jobs.log = newest.log AND ${isUnfinished}))
  UNION ALL SELECT 'needs you', log, stream, need FROM jobs JOIN logs USING (log) JOIN hosts ON hosts.name = enrolled_host
    WHERE rules = $1 AND need <> '' AND ${isCurrent}`

/**
 * One statement each, so that several hubs tell an alarm once between them. Another need of a job ends the alarm of the
 * first one, by the rules that began it. Hubs with other rules say the same need in other words.
 */
const ended = `DELETE FROM alarms WHERE NOT EXISTS (SELECT 1 FROM (${causes}) AS cause
  WHERE (cause.kind, cause.log, cause.stream) = (alarms.kind, alarms.log, alarms.stream)
    AND (cause.why = alarms.why OR alarms.rules <> $1))`
/**
 * No host could speak to a hub that was away, so a silence begins once hubs have listened for two minutes. A silence
 * that was told stays.
 */
const begun = `INSERT INTO alarms (kind, log, stream, why, rules) SELECT cause.*, $1 FROM (${causes}) AS cause
  WHERE kind <> 'silent' OR EXISTS (SELECT 1 FROM listening WHERE since < clock_timestamp() - interval '2 minutes')
  ON CONFLICT DO NOTHING`
/** Hubs that have not looked for half a minute begin to listen again. */
const listens = `INSERT INTO listening DEFAULT VALUES ON CONFLICT (one) DO UPDATE SET looked = excluded.looked,
  since = CASE WHEN listening.looked < excluded.looked - interval '30 seconds' THEN excluded.since ELSE listening.since END`
/** A hub that died on its way to tell left its alarms to the next one. */
const taken = `UPDATE alarms SET taken = clock_timestamp() FROM logs
  WHERE logs.log = alarms.log AND told IS NULL AND (taken IS NULL OR taken < clock_timestamp() - interval '1 minute')
  RETURNING kind, enrolled_host AS host, alarms.log::text, stream, why, begun::text`

/** The alarms of a fleet: each begins and ends with its cause, and is told once (spec: fleet#alarms). */
export class HubAlarms extends Context.Service<
  HubAlarms,
  {
    /** Notes that this hub listens to its hosts. */
    readonly listen: Effect.Effect<void, StoreOut>
    /** Begins and ends alarms by what is so now. Takes those that are to be told; they come again after a minute. */
    readonly take: Effect.Effect<ReadonlyArray<Alarm>, StoreOut>
    /** Marks alarms as told. They do not come again. */
    readonly told: (alarms: ReadonlyArray<Alarm>) => Effect.Effect<void, StoreOut>
  }
>()("@souffleur/hub/HubAlarms") {
  /** Keeps them in Postgres. They go by the jobs that these rules have folded. */
  static readonly layerSql = ({ rules }: JobFold): Layer.Layer<HubAlarms, never, HubStore | SqlClient.SqlClient> =>
    Layer.effect(
      HubAlarms,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // It brings the schema.
        yield* HubStore
        const listen = Effect.asVoid(orOut(sql.unsafe(listens, [])))
        return HubAlarms.of({
          listen,
          take: Effect.gen(function* () {
            // A hub that was frozen finds the gap before it calls a host silent.
            yield* listen
            yield* orOut(sql.unsafe(ended, [rules]))
            yield* orOut(sql.unsafe(begun, [rules]))
            const rows = yield* orOut(
              sql.unsafe<Readonly<Record<"kind" | "host" | "log" | "stream" | "why" | "begun", string>>>(taken, [])
            )
            return rows.map(({ begun, host, kind, log, stream, why }): Alarm => ({
              kind: kind === "silent" ? kind : "needs you",
              host,
              job: stream === "" ? null : stream,
              why,
              key: { log, stream, begun }
            }))
          }).pipe(Effect.withSpan("HubAlarms.take")),
          told: Effect.fn("HubAlarms.told")((alarms) =>
            Effect.asVoid(
              orOut(
                sql.unsafe(
                  `UPDATE alarms SET told = clock_timestamp()
                  FROM unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[]) AS of (kind, log, stream, begun)
                  WHERE (of.kind, of.log, of.stream, of.begun) = (alarms.kind, alarms.log, alarms.stream, alarms.begun)`,
                  [
                    alarms.map(({ kind }) => kind),
                    alarms.map(({ key }) => key.log),
                    alarms.map(({ key }) => key.stream),
                    alarms.map(({ key }) => key.begun)
                  ]
                )
              )
            )
          )
        })
      })
    )
}
