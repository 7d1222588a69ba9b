import { EventLogSql, type Log, makeAggregate, memoryLog, type NamedState } from "@souffleur/eventlog"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { isRunOver, type Run } from "./Run.ts"
import { runFold, runKey } from "./RunFold.ts"
import { decideRun } from "../decide/RunDecider.ts"
import { runCodec, type RunEvent } from "./RunEvent.ts"
import type { RunCommand, RunIntent } from "./RunIntent.ts"

/** The runs in the event log: streams named `run/<id>`, which watches do not see. */
export class RunLog extends Context.Service<RunLog, Log<RunEvent>>()("@souffleur/plan/RunLog") {
  static readonly layerMemory = Layer.effect(RunLog, memoryLog<RunEvent>())
  static readonly layerSql = Layer.effect(RunLog, EventLogSql.logOf(runCodec))
}

const aggregate = makeAggregate<Run, RunEvent, RunIntent, RunCommand["by"], RunLog>({
  fold: runFold,
  decide: decideRun,
  log: RunLog,
  prefix: "run/"
})
export const { load: loadRun, ref: makeRunRef, streamOf } = aggregate

/** A run of the log, with its id and its place. */
export interface NamedRun extends Omit<NamedState<Run>, "state"> {
  /** The run, as far as its log can be read. */
  readonly run: Run
}

const namedRun = ({ state: run, ...named }: NamedState<Run>): NamedRun => ({ ...named, run })

/** Every run of the log, oldest first. A run that cannot be read hides no other. */
export const allRuns = Effect.map(aggregate.all, (all) => all.map(namedRun))

/** The runs that are not over, and those that cannot be read, oldest first. */
export const unfinishedRuns = Effect.map(aggregate.living, (all) =>
  all.map(namedRun).filter(({ run, unreadable }) => unreadable !== undefined || !isRunOver(run))
)

/**
 * Returns the wanted runs that ended last, the last one first, `limit` at most. `count`: the number of all such runs. A
 * run that is over is one of them, also where its conductor died before it said goodbye.
 */
export const endedRuns = Effect.fn("endedRuns")(function* (limit: number, wanted?: (one: NamedRun) => boolean) {
  const isWanted = wanted && ((one: NamedState<Run>) => wanted(namedRun(one)))
  const { count, last } = yield* aggregate.ended(limit, isWanted)
  const held = (yield* aggregate.living).filter(
    (one) => one.unreadable === undefined && isRunOver(one.state) && (isWanted?.(one) ?? true)
  )
  const latest = [...held, ...last].toSorted((a, b) => b.state.lastEventAt - a.state.lastEventAt)
  return { count: count + held.length, last: latest.slice(0, limit).map(namedRun) }
})

/** Finds a run by its id; `None`: there is none. Fails with `UnreadableEvent` where it cannot be read. */
export const runById = (id: string) => Effect.map(aggregate.one(id), Option.map(namedRun))

const first = <E, R>(newest: Effect.Effect<ReadonlyArray<NamedState<Run>>, E, R>) =>
  Effect.map(newest, ([run]) => Option.map(Option.fromUndefinedOr(run), namedRun))

/** Returns the newest run of a project; `None`: there is none. */
export const newestRun = (project: string) => first(aggregate.newest(runKey.project(project), 1))

/** Returns the newest run of a plan in a project; `None`: there is none. */
export const runOfPlan = (project: string, plan: string) => first(aggregate.newest(runKey.plan(project, plan), 1))

/** Returns runs for a decision. Fails where one of them cannot be read. */
const readable = Effect.fnUntraced(function* (runs: ReadonlyArray<NamedRun>) {
  const torn = runs.find(({ unreadable }) => unreadable !== undefined)
  return torn?.unreadable === undefined ? runs : yield* torn.unreadable
})

/** Returns the runs of a project. Fails with `UnreadableEvent` where one of them cannot be read. */
export const runsOf = (project: string) =>
  Effect.flatMap(aggregate.having(runKey.project(project)), (all) => readable(all.map(namedRun)))

/**
 * Returns the runs that may have a conductor or an agent at work in a git work tree. They may be in any folders of it.
 * The commits of their agents would mix. Fails with `UnreadableEvent` where one of them cannot be read.
 */
export const runsIn = (workTree: string) =>
  Effect.flatMap(aggregate.living, (all) => readable(all.map(namedRun).filter(({ run }) => run.workTree === workTree)))

/** Dispatches an intent to a run, with the time of the Clock. Fails with `Refused` or a `LogError`. */
export const dispatchRun = Effect.fn("dispatchRun")(function* (id: string, intent: RunIntent, by: RunCommand["by"]) {
  return yield* aggregate.dispatch(id, { ...intent, now: yield* Clock.currentTimeMillis, by })
})
