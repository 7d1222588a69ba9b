import { Context, type Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { latest } from "./EventSchema.ts"
import { patiently, TablePrefix } from "./Store.ts"

/** The last sign of life of a role or a guardian of a watch. */
export interface Beat {
  /** The name of the role, such as `watcher/2`. */
  readonly by: string
  /** Epoch milliseconds, wall clock. */
  readonly at: number
}

/** The name under which the agent itself beats, apart from the roles of souffleur. */
export const agentBeats = (watch: string): string => `${watch}/agent`

/**
 * Keeps beats, which are no transitions, in souffleur's own store beside the log (spec: behaviour#beats). The watcher
 * writes here and the self-monitor reads here. The row in comms is a mirror.
 */
export class Beats extends Context.Service<
  Beats,
  {
    readonly beat: (watch: string, beat: Beat) => Effect.Effect<void>
    readonly last: (watch: string) => Effect.Effect<Option.Option<Beat>>
    /** True if the newest beat of this process was not written because the disk is full. */
    readonly full: Effect.Effect<boolean>
  }
>()("@souffleur/eventlog/Beats") {
  static readonly layerMemory = Layer.sync(Beats, () => {
    const beats = new Map<string, Beat>()
    return Beats.of({
      beat: (watch, beat) => Effect.sync(() => void beats.set(watch, beat)),
      last: (watch) => Effect.sync(() => Option.fromUndefinedOr(beats.get(watch))),
      full: Effect.succeed(false)
    })
  })

  /**
   * Keeps one row for each watch, so that another process sees its beat too. A store that fails must not look like a
   * dead watchdog. So this process remembers its own beats, and warns once when the trouble begins.
   */
  static readonly layerSql = (lockTimeout: Duration.Input): Layer.Layer<Beats, never, SqlClient.SqlClient> =>
    Layer.effect(
      Beats,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const table = sql.literal(`${yield* TablePrefix}beats`)
        const waiting = patiently(lockTimeout)
        const own = new Map<string, Beat>()
        let troubled = false
        let full = false
        const recovered = Effect.sync(() => {
          troubled = false
          full = false
        })
        const trouble = (what: string, reason: string) =>
          Effect.suspend(() => {
            if (troubled) return Effect.void
            troubled = true
            return Effect.logWarning(`a beat could not be ${what}: the store is ${reason}`)
          })
        return Beats.of({
          beat: Effect.fn("Beats.beat")(function* (watch, beat) {
            own.set(watch, beat)
            yield* waiting(
              sql`INSERT INTO ${table} (watch, role, at) VALUES (${watch}, ${beat.by}, ${beat.at})
              ON CONFLICT (watch) DO UPDATE SET role = excluded.role, at = excluded.at`
            ).pipe(
              Effect.matchEffect({
                onSuccess: () => recovered,
                onFailure: ({ reason }) => {
                  full = reason === "full"
                  return trouble("written", reason)
                }
              })
            )
          }),
          last: Effect.fn("Beats.last")(function* (watch) {
            const mine = Option.fromUndefinedOr(own.get(watch))
            const [stored] = yield* waiting(
              sql<{
                role: string
                at: number
              }>`SELECT role, max(0, min(${latest}, at)) AS at FROM ${table} WHERE watch = ${watch}`
            ).pipe(Effect.catch(({ reason }) => Effect.as(trouble("read", reason), [])))
            if (stored === undefined) return mine
            return Option.some(
              Option.getOrElse(
                Option.filter(mine, ({ at }) => at > stored.at),
                () => ({ by: stored.role, at: stored.at })
              )
            )
          }),
          full: Effect.sync(() => full)
        })
      })
    )
}
