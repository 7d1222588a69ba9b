import { EventLog, isEnd, load, type Recorded, type Watch, type WatchEvent } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { Effect, Schedule, Stream } from "effect"
import { type Recovery, recoveriesOf } from "../timeline/Recoveries.ts"
import { watchChanges } from "../timeline/WatchChange.ts"
import { partAfter } from "../timeline/WatchPast.ts"
import { TraceCollector } from "./OtlpTarget.ts"
import { traceOf } from "./RecoveryTrace.ts"

/** The time that the end of a watch waits for a collector. */
export const farewell = "1 second"

/** The first events of a recovery, and those that say nothing of its end. They come most often. */
const within: ReadonlySet<WatchEvent["_tag"]> = new Set(["StepStarted", "StepSucceeded", "StepFailed", "OwnerTook"])

/** Tries while a collector is out: soon at first, then each five minutes. */
const untilTaken = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("5 minutes")])

/** Returns the recoveries that are over and not exported yet. `exported`: the revision of the last exported one. */
export const dueTraces = (events: ReadonlyArray<Recorded>, exported: number, before?: Watch): ReadonlyArray<Recovery> =>
  recoveriesOf(watchChanges(events, before)).filter(({ revision, to }) => to !== null && revision > exported)

/**
 * Exports each recovery of a watch as one trace, once it is over, until the watch ends. The log is the queue, and a
 * mark says how far it was exported. So a recovery is whole although souffleur was killed in it. A collector that
 * refuses a trace gets no other try of it. It returns at once where no collector is named.
 */
export const traceTeller = Effect.fn("traceTeller")(function* (id: string) {
  const target = yield* TraceCollector
  if (target === null) return
  const log = yield* EventLog
  const cursor = yield* Cursor
  const mark = `${id}/traced`
  // Few watches have a collector, and the others need no module that speaks to one.
  const { sendTraces } = yield* Effect.promise(() => import("./OtlpExport.ts"))
  const tell = Effect.gen(function* () {
    const exported = yield* cursor.position(mark)
    const newest = (yield* load(id)).revision
    const { before, events } = yield* partAfter(id, newest, exported)
    for (const recovery of dueTraces(events, exported, before)) {
      yield* sendTraces(target, yield* traceOf(id, recovery)).pipe(
        Effect.tapError(({ message }) => Effect.logDebug(`a trace is not exported: ${message}`)),
        Effect.retry({ schedule: untilTaken, while: ({ final }) => !final }),
        Effect.ignore
      )
      yield* cursor.advance(mark, recovery.revision)
    }
  })
  const { phase, revision } = yield* load(id)
  yield* tell
  if (phase === "Exited") return
  yield* log.changes(id, revision).pipe(
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.filter(({ event }) => !within.has(event._tag)),
    Stream.runForEach(() => tell)
  )
})
