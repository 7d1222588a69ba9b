import { EventLogSql, type Log, type LogError, memoryLog, untilAppended } from "@souffleur/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { initialRun, type Run } from "./Run.ts"
import { decideRun, type RunCommand, type RunIntent } from "./RunDecider.ts"
import { runCodec, type RunEvent } from "./RunEvent.ts"
import { foldRun } from "./RunEvolution.ts"

/** The runs in the event log: streams named `run/<id>` beside those of the watches, which do not see them. */
export class RunLog extends Context.Service<RunLog, Log<RunEvent>>()("@souffleur/conductor/RunLog") {
  static readonly layerMemory = Layer.effect(RunLog, memoryLog<RunEvent>())
  static readonly layerSql = Layer.effect(RunLog, EventLogSql.logOf(runCodec))
}

export const streamOf = (id: string): string => `run/${id}`

/** The run as its log says, `from` a state that is known already. */
export const loadRun = Effect.fnUntraced(function* (id: string, from: Run = initialRun) {
  const log = yield* RunLog
  return foldRun(
    (yield* log.read(streamOf(id), from.revision)).map(({ event }) => event),
    from
  )
})

export interface NamedRun {
  readonly id: string
  readonly run: Run
}

/** Every run of the log, oldest first. */
export const allRuns = Effect.gen(function* () {
  const log = yield* RunLog
  return yield* Effect.forEach(yield* log.streams, (stream) => {
    const id = stream.slice(streamOf("").length)
    return Effect.map(loadRun(id), (run) => ({ id, run }))
  })
})

/** Read, decide, append; again when somebody appended first. */
export const tellRun = Effect.fn("Run.tell")(function* (id: string, intent: RunIntent, by: RunCommand["by"], from: Run = initialRun) {
  const log = yield* RunLog
  const append = Effect.fnUntraced(function* (run: Run) {
    const events = yield* Effect.fromResult(decideRun(run, { ...intent, now: yield* Clock.currentTimeMillis, by }))
    yield* log.append(streamOf(id), run.revision, events)
    return foldRun(events, run)
  })
  return yield* untilAppended(streamOf(id), from, (state) => loadRun(id, state), append)
})

export type RunLogError = LogError
