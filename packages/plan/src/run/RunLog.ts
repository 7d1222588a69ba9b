import { EventLogSql, type Log, makeAggregate, memoryLog, type NamedState } from "@souffleur/eventlog"
import { Clock, Context, Effect, Layer } from "effect"
import { initialRun, type Run } from "./Run.ts"
import { decideRun } from "../decide/RunDecider.ts"
import { runCodec, type RunEvent } from "./RunEvent.ts"
import { evolveRun } from "./RunEvolution.ts"
import type { RunCommand, RunIntent } from "./RunIntent.ts"

/** The runs in the event log: streams named `run/<id>`, which watches do not see. */
export class RunLog extends Context.Service<RunLog, Log<RunEvent>>()("@souffleur/plan/RunLog") {
  static readonly layerMemory = Layer.effect(RunLog, memoryLog<RunEvent>())
  static readonly layerSql = Layer.effect(RunLog, EventLogSql.logOf(runCodec))
}

const aggregate = makeAggregate<Run, RunEvent, RunIntent, RunCommand["by"], RunLog>({
  initial: initialRun,
  evolve: evolveRun,
  decide: decideRun,
  log: RunLog,
  prefix: "run/"
})
export const { load: loadRun, ref: makeRunRef, streamOf } = aggregate

export interface NamedRun extends Omit<NamedState<Run>, "state"> {
  /** The run, as far as its log can be read. */
  readonly run: Run
}

/** Every run of the log, oldest first. A run that cannot be read hides no other. */
export const allRuns = Effect.map(aggregate.all, (all) =>
  all.map(({ state: run, ...named }): NamedRun => ({ ...named, run }))
)

/** Returns runs for a decision. Fails where one of them cannot be read. */
const readable = Effect.fnUntraced(function* (isOne: (run: Run) => boolean) {
  const found = (yield* allRuns).filter(({ run }) => isOne(run))
  const torn = found.find(({ unreadable }) => unreadable !== undefined)
  return torn?.unreadable === undefined ? found : yield* torn.unreadable
})

/** Returns the runs of a project. */
export const runsOf = (project: string) => readable((run) => run.project === project)

/** Returns the runs of a git work tree, in whatever folders of it: their agents' commits would mix. */
export const runsIn = (workTree: string) => readable((run) => run.workTree === workTree)

/** Dispatches an intent to a run, with the time of the Clock. Fails with `Refused` or a `LogError`. */
export const dispatchRun = Effect.fn("dispatchRun")(function* (id: string, intent: RunIntent, by: RunCommand["by"]) {
  return yield* aggregate.dispatch(id, { ...intent, now: yield* Clock.currentTimeMillis, by })
})
