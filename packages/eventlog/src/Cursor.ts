import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { patiently, TablePrefix } from "./Store.ts"

/**
 * Keeps how far each reader has been told of a watch. Comms has its mark under the id of the watch, others under a name
 * after it (`<id>/notified`). The mark is a revision of the log (spec: behaviour#outbox). Every event after the mark is
 * still to be told.
 */
export class Cursor extends Context.Service<
  Cursor,
  {
    /** Returns the revision up to which the reader was told; 0 at first. */
    readonly position: (watch: string) => Effect.Effect<number>
    /**
     * Moves the mark forward, never backwards. Returns whether this call moved it. Of two calls at once, one returns
     * `true`.
     */
    readonly advance: (watch: string, revision: number) => Effect.Effect<boolean>
    /**
     * Moves the mark back, where the log has become shorter than the mark. Moves nothing unless the mark is at `from`.
     */
    readonly rewind: (watch: string, from: number, revision: number) => Effect.Effect<void>
  }
>()("@souffleur/eventlog/Cursor") {
  static readonly layerMemory = Layer.sync(Cursor, () => {
    const marks = new Map<string, number>()
    const positionIn = (watch: string) => marks.get(watch) ?? 0
    return Cursor.of({
      position: (watch) => Effect.sync(() => positionIn(watch)),
      advance: (watch, revision) =>
        Effect.sync(() => {
          const moves = revision > positionIn(watch)
          if (moves) marks.set(watch, revision)
          return moves
        }),
      rewind: (watch, from, revision) =>
        Effect.sync(() => void (positionIn(watch) === from && marks.set(watch, revision)))
    })
  })

  /**
   * Keeps marks in the store. A failed write is a warning, and the mark stays in memory: at worst the next process
   * tells comms again. A failed read is a defect, `LogUnusable`: an answer of 0 would tell the whole past again.
   */
  static readonly layerSql = (lockTimeout: Duration.Input): Layer.Layer<Cursor, never, SqlClient.SqlClient> =>
    Layer.effect(
      Cursor,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const table = sql.literal(`${yield* TablePrefix}cursor`)
        const waiting = patiently(lockTimeout)
        const own = new Map<string, number>()
        return Cursor.of({
          position: Effect.fn("Cursor.position")(function* (watch) {
            const [stored] = yield* Effect.orDie(
              waiting(sql<{ revision: number }>`SELECT revision FROM ${table} WHERE watch = ${watch}`)
            )
            return Math.max(own.get(watch) ?? 0, stored?.revision ?? 0)
          }),
          advance: Effect.fn("Cursor.advance")(function* (watch, revision) {
            if (revision <= (own.get(watch) ?? 0)) return false
            own.set(watch, revision)
            return yield* waiting(
              sql`INSERT INTO ${table} AS cursor (watch, revision) VALUES (${watch}, ${revision})
              ON CONFLICT (watch) DO UPDATE SET revision = excluded.revision WHERE excluded.revision > cursor.revision RETURNING revision`
            ).pipe(
              Effect.map((moved) => moved.length > 0),
              Effect.catch(({ reason }) =>
                Effect.as(
                  Effect.logWarning(`the mark of what was told could not be written: the store is ${reason}`),
                  true
                )
              )
            )
          }),
          rewind: Effect.fn("Cursor.rewind")(function* (watch, from, revision) {
            own.delete(watch)
            yield* Effect.orDie(
              waiting(sql`UPDATE ${table} SET revision = ${revision} WHERE watch = ${watch} AND revision = ${from}`)
            )
          })
        })
      })
    )
}

/**
 * Returns the mark, but no more than `newest`, the newest revision of the log. A log that was cut, or replaced by an
 * older copy, ends before the mark. Then the mark is moved back, with one warning, so that new events are told.
 * Otherwise nothing would be told until the log is as long again.
 */
export const positionOf = Effect.fn("Cursor.positionOf")(function* <E, R>(
  mark: string,
  newest: Effect.Effect<number, E, R>
) {
  const cursor = yield* Cursor
  // Reads the mark before the end of the log: another process may append and tell meanwhile.
  const marked = yield* cursor.position(mark)
  const last = marked === 0 ? 0 : yield* newest
  if (marked <= last) return marked
  yield* Effect.logWarning(
    `${mark} had reached event ${marked}, and the log ends with ${last}: it was cut, or an older copy was put in its place. ${mark} goes on from there`
  )
  yield* cursor.rewind(mark, marked, last)
  return last
})
