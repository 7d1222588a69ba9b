import { EventLogSql, type Log, type LogError, memoryLog, type UnreadableEvent, untilAppended } from "@souffleur/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { initialRun, type Run } from "./Run.ts"
import { decideRun } from "./RunDecider.ts"
import { runCodec, type RunEvent } from "./RunEvent.ts"
import { foldRun } from "./RunEvolution.ts"
import type { RunCommand, RunIntent } from "./RunIntent.ts"

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
  /** As far as its log can be read. */
  readonly run: Run
  /** Its first event that cannot be read; nothing is decided on what came before it. */
  readonly unreadable?: UnreadableEvent
}

/** Every run of the log, oldest first: one that cannot be read hides no other. */
export const allRuns = Effect.gen(function* () {
  const log = yield* RunLog
  const upTo = Effect.fnUntraced(function* (id: string, unreadable: UnreadableEvent) {
    const events = yield* log.read(streamOf(id), 0, unreadable.revision - 1)
    return { id, unreadable, run: foldRun(events.map(({ event }) => event)) } satisfies NamedRun
  })
  return yield* Effect.forEach(yield* log.streams, (stream) => {
    const id = stream.slice(streamOf("").length)
    return loadRun(id).pipe(
      Effect.map((run): NamedRun => ({ id, run })),
      Effect.catchTag("UnreadableEvent", (error) => upTo(id, error))
    )
  })
})

/** Runs on which something is decided: fails where one of them cannot be read. */
const readable = Effect.fnUntraced(function* (isOne: (run: Run) => boolean) {
  const found = (yield* allRuns).filter(({ run }) => isOne(run))
  const torn = found.find(({ unreadable }) => unreadable !== undefined)
  return torn?.unreadable === undefined ? found : yield* torn.unreadable
})

/** The runs of a project. */
export const runsOf = (project: string) => readable((run) => run.project === project)

/** The runs of a git work tree, in whatever folders of it: their agents' commits would mix. */
export const runsIn = (workTree: string) => readable((run) => run.workTree === workTree)

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
