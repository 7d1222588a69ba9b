import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { patiently } from "./Store.ts"

/**
 * How far somebody has been told of a watch: comms under the watch's own id, others under a name after it
 * (`<id>/notified`). The cursor is the log itself and this mark on it (spec: behaviour#outbox): what could not be told
 * yet is every event after the mark.
 */
export class Cursor extends Context.Service<
  Cursor,
  {
    /** The revision up to which it is known; 0 at first. */
    readonly position: (watch: string) => Effect.Effect<number>
    /** Never moves backwards. `true`: it has moved by this word; of two that say it at once, one has moved it. */
    readonly advance: (watch: string, revision: number) => Effect.Effect<boolean>
    /**
     * The only way back, where the log has become shorter than what was told: from where it stands now, and from
     * nowhere else.
     */
    readonly rewind: (watch: string, from: number, revision: number) => Effect.Effect<void>
  }
>()("@souffleur/eventlog/Cursor") {
  static readonly layerMemory = Layer.sync(Cursor, () => {
    const marks = new Map<string, number>()
    const told = (watch: string) => marks.get(watch) ?? 0
    return Cursor.of({
      position: (watch) => Effect.sync(() => told(watch)),
      advance: (watch, revision) =>
        Effect.sync(() => {
          const moves = revision > told(watch)
          if (moves) marks.set(watch, revision)
          return moves
        }),
      rewind: (watch, from, revision) => Effect.sync(() => void (told(watch) === from && marks.set(watch, revision)))
    })
  })

  /**
   * A mark that cannot be written is told in a warning and kept in memory: at worst the next process tells comms again.
   * A mark that cannot be read is a defect, `LogUnusable`: an answer of 0 would tell the whole past anew.
   */
  static readonly layerSql = (patience: Duration.Input): Layer.Layer<Cursor, never, SqlClient.SqlClient> =>
    Layer.effect(
      Cursor,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const waiting = patiently(patience)
        const own = new Map<string, number>()
        return Cursor.of({
          position: Effect.fn("Cursor.position")(function* (watch) {
            const [stored] = yield* Effect.orDie(
              waiting(sql<{ revision: number }>`SELECT revision FROM cursor WHERE watch = ${watch}`)
            )
            return Math.max(own.get(watch) ?? 0, stored?.revision ?? 0)
          }),
          advance: Effect.fn("Cursor.advance")(function* (watch, revision) {
            if (revision <= (own.get(watch) ?? 0)) return false
            own.set(watch, revision)
            return yield* waiting(
              sql`INSERT INTO cursor (watch, revision) VALUES (${watch}, ${revision})
              ON CONFLICT (watch) DO UPDATE SET revision = excluded.revision WHERE excluded.revision > cursor.revision RETURNING revision`
            ).pipe(
              Effect.map((moved) => moved.length > 0),
              Effect.catch(({ reason }) =>
                Effect.as(
                  Effect.logWarning(`how far comms was told could not be written: the store is ${reason}`),
                  true
                )
              )
            )
          }),
          rewind: Effect.fn("Cursor.rewind")(function* (watch, from, revision) {
            own.delete(watch)
            yield* Effect.orDie(
              waiting(sql`UPDATE cursor SET revision = ${revision} WHERE watch = ${watch} AND revision = ${from}`)
            )
          })
        })
      })
    )
}

/**
 * How far somebody was told, as far as the log goes; `newest` is its newest revision. A log that was cut, or replaced
 * by an older copy, has less than was told: that is said, once, and told is what comes after. Otherwise nothing would
 * be, until the log is as long again.
 */
export const positionOf = Effect.fn("Cursor.positionOf")(function* <E, R>(
  mark: string,
  newest: Effect.Effect<number, E, R>
) {
  const cursor = yield* Cursor
  // Before the log is looked at, which only grows: another process may tell meanwhile.
  const told = yield* cursor.position(mark)
  const last = told === 0 ? 0 : yield* newest
  if (told <= last) return told
  yield* Effect.logWarning(
    `${mark} was told up to event ${told}, and the log ends with ${last}: it was cut, or an older copy was put in its place. What comes from now on is told`
  )
  yield* cursor.rewind(mark, told, last)
  return last
})
