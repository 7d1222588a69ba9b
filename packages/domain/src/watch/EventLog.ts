import { EventLogSql, type Log, memoryLog, type RecordedAs } from "@souffleur/eventlog"
import { Context, Layer } from "effect"
import { watchCodec } from "../event/WatchCodec.ts"
import type { WatchEvent } from "../event/WatchEvent.ts"

/** An event of a watch with its place in the log. */
export type Recorded = RecordedAs<WatchEvent>

/**
 * The only truth about a watch: append-only, with one stream for each watch (spec: behaviour#phases; decision 0001).
 *
 * @example
 * ```ts
 * import { EventLog } from "@souffleur/domain"
 * import { Effect, Stream } from "effect"
 *
 * const deaths = Effect.gen(function* () {
 *   const log = yield* EventLog
 *   yield* log.changes("remindly-3f2a", 0).pipe(
 *     Stream.filter(({ event }) => event._tag === "ConductorDied"),
 *     Stream.runForEach(({ revision }) => Effect.logWarning(`the Conductor died at revision ${revision}`))
 *   )
 * })
 * ```
 */
export class EventLog extends Context.Service<EventLog, Log<WatchEvent>>()("@souffleur/domain/EventLog") {
  static readonly layerMemory = Layer.effect(EventLog, memoryLog<WatchEvent>())
  static readonly layerSql = (options?: EventLogSql.EventLogSqlOptions) =>
    Layer.effect(EventLog, EventLogSql.logOf(watchCodec, options))
}
