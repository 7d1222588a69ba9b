import { Clock, Effect, Schedule } from "effect"
import { MetricsCollector, type OtlpTarget } from "../trace/OtlpTarget.ts"
import { logMetrics } from "./LogMetrics.ts"

/** Exports the numbers once. A collector that is out misses them. */
const tell = Effect.fn("tell")(
  function* (target: OtlpTarget) {
    const { families } = yield* logMetrics
    // Few logs have a collector, and the others need no module that speaks to one.
    const { sendMetrics } = yield* Effect.promise(() => import("../trace/OtlpExport.ts"))
    yield* sendMetrics(target, families, yield* Clock.currentTimeMillis)
  },
  Effect.tapError(({ message }) => Effect.logDebug(`the numbers are not exported: ${message}`)),
  (telling) => Effect.ignore(telling)
)

/** Exports the numbers of the log once where a collector is named. It never fails. */
export const tellNumbers = Effect.flatMap(MetricsCollector, (target) => (target === null ? Effect.void : tell(target)))

/**
 * Exports the numbers of the log now, and then after each interval. Each souffleur of a log exports the same numbers.
 * It returns at once where no collector is named.
 */
export const numbersTeller = Effect.flatMap(MetricsCollector, (target) =>
  target === null ? Effect.void : Effect.asVoid(Effect.repeat(tell(target), Schedule.spaced(target.interval)))
)
