import {
  type Claims,
  EventLog,
  evolve,
  type Hooks,
  load,
  type Processes,
  type ResolvedSettings,
  type Target,
  type Watch
} from "@souffleur/domain"
import { type Beats, type Cursor, type Offspring, Refused } from "@souffleur/eventlog"
import type { NamedRun, RunLog } from "@souffleur/plan"
import type { TrustedFiles } from "@souffleur/process"
import { command, finish, moveHere, release, stop as stopWatch, takeFleetWord } from "@souffleur/supervisor"
import { Context, Effect, type FileSystem, Option, type Path, Scope, Stream } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { answerRun } from "./conducting/AnswerRun.ts"
import { conductPlan } from "./conducting/ConductPlan.ts"
import type { PlanName } from "./conducting/FindPlan.ts"
import { stopPlan } from "./conducting/StopPlan.ts"
import { type ConversationAsked, conversationNews, conversationOf, pastOf } from "./sight/JobConversation.ts"
import { watchChanges } from "./sight/JobChanges.ts"
import { planChanges, planConversation, planConversationNews } from "./sight/PlanWork.ts"
import { endedJobs, livingJobs } from "./jobs/JobList.ts"
import { outputOf, type OutputOptions } from "./jobs/JobOutput.ts"
import { resultOf, wordsOfJob } from "./jobs/JobResult.ts"
import { keeperApart, keeperHere } from "./keeping/Keeper.ts"
import { takeRestored } from "./keeping/Restored.ts"
import { overviewOf, sessions, statusNow, statusOfRun, tasksOfWatch } from "./LookNow.ts"
import { makeSouffleurLog } from "./MakeSouffleurLog.ts"
import { logMetrics } from "./metrics/LogMetrics.ts"
import { trustPrograms } from "./conducting/PlanPrograms.ts"
import { previewPlan } from "./preview/PlanPreview.ts"
import type { Period } from "./report/Report.ts"
import { report } from "./report/ReportLook.ts"
import type {
  ConductOptions,
  DetachOptions,
  FleetWordOrder,
  PlanOrder,
  ResumeOptions,
  RetryOptions,
  PlanAnswer,
  RunOptions,
  WatchOptions,
  WatchOrder
} from "./SouffleurOptions.ts"
import { adoptProcess } from "./watching/AdoptProcess.ts"
import { beginRun, beginWatch, goOn } from "./watching/BeginWatch.ts"
import { handoverTo } from "./watching/HandOver.ts"
import { findWatch, type NamedWatch, watchById, type WatchName } from "./watching/FindWatch.ts"
import { settling } from "./watching/Settling.ts"
import { ownSpans, ownSpansOfStream, spanOf, spansOf } from "./trace/OwnSpans.ts"
import { trustProject } from "./trust/TrustProject.ts"
import { Parts } from "./world/Parts.ts"

/** The ports of {@link Souffleur.layer}. The others differ between projects, and {@link Parts} makes them. */
export type SouffleurNeeds =
  | Beats
  | ChildProcessSpawner.ChildProcessSpawner
  | Claims
  | Cursor
  | EventLog
  | FileSystem.FileSystem
  | Hooks
  | Offspring
  | Parts
  | Path.Path
  | Processes
  | RunLog
  | TrustedFiles

const watch = Effect.fn("Souffleur.watch")(function* (options: WatchOptions) {
  yield* spanOf({ project: options.project })
  const begun = yield* beginWatch(options, yield* keeperHere(options))
  yield* spanOf({ project: options.project, watch: begun.id })
  return begun
})

const run = Effect.fn("Souffleur.run")(function* (options: RunOptions) {
  yield* spanOf({ project: options.project })
  const begun = yield* beginRun(options, yield* keeperHere(options))
  yield* spanOf({ project: options.project, watch: begun.id })
  return begun
})

const resume = Effect.fn("Souffleur.resume")(function* (name: WatchName, options: ResumeOptions = {}) {
  const known = yield* findWatch(name)
  yield* spanOf({ project: known.watch.project, watch: known.id })
  const keeper = yield* keeperHere(options)
  return yield* goOn(known, Effect.void, {
    ...keeper,
    take: (found) => Effect.andThen(takeRestored(found.id, options.restored, found.project), keeper.take(found))
  })
})

/**
 * Carries out a person's stop: by whoever keeps the watch, else here. Returns the watch once it has ended or stands by.
 */
const stopped = Effect.fnUntraced(function* (id: string) {
  const log = yield* EventLog
  const over = ({ recovery }: Watch) => recovery?.purpose !== "stop"
  const settled = Effect.gen(function* () {
    const now = yield* load(id)
    if (over(now)) return now
    const last = log.changes(id, now.revision).pipe(
      Stream.mapAccum(
        () => now,
        (before, { event }) => {
          const after = evolve(before, event)
          return [after, [after]] as const
        }
      ),
      Stream.takeUntil(over),
      Stream.runLast
    )
    return Option.getOrElse(yield* last, () => now)
  })
  return yield* resume(id).pipe(
    Effect.flatMap((running) => Effect.raceFirst(running.ended, settled)),
    Effect.scoped,
    Effect.catchTag("AlreadyWatched", () => settled),
    // Another souffleur may have carried it out since.
    Effect.catch((error) => Effect.flatMap(load(id), (now) => (over(now) ? Effect.succeed(now) : Effect.fail(error))))
  )
})

const takeWord = Effect.fn("Souffleur.takeWord")(function* ({ watch, ...word }: FleetWordOrder) {
  // A session may be another watch, and its speaker saw this one.
  if (Option.isNone(yield* watchById(watch)))
    return yield* new Refused({ reason: "no such watch", message: "there is no such watch" })
  const taken = yield* settling(watch, (id, settings) =>
    takeFleetWord(id, { ...word, ceilings: hasCeilings(settings) })
  )
  const of = { project: taken.project, watch }
  yield* spanOf(of)
  return taken.recovery?.purpose === "stop" ? yield* stopped(watch).pipe(spansOf(of)) : taken
})

const stop = Effect.fn("Souffleur.stop")(function* (name: WatchName, { reason }: { readonly reason?: string } = {}) {
  const { id, watch } = yield* findWatch(name)
  const of = { project: watch.project, watch: id }
  yield* spanOf(of)
  return yield* settling(name, () => stopWatch(id, reason)).pipe(Effect.andThen(stopped(id)), spansOf(of))
})

const detach = Effect.fn("Souffleur.detach")(function* (order: WatchOrder, options: DetachOptions) {
  const keeper = keeperApart(options)
  if ("watch" in order) return yield* goOn(yield* findWatch(order.watch), Effect.void, keeper)
  return yield* "command" in order ? beginRun(order, keeper) : beginWatch(order, keeper)
}, Effect.scoped)

/** A person's word renews a ceiling of use. */
const hasCeilings = ({ maxDollars, maxTime, maxTokens }: ResolvedSettings) =>
  [maxTime, maxTokens, maxDollars].some((one) => one !== null)

const retry = Effect.fn("Souffleur.retry")(function* (
  name: WatchName,
  { agent, byAgent = false, ceiling, headless }: RetryOptions = {}
) {
  const { id, watch } = yield* findWatch(name)
  yield* spanOf({ project: watch.project, watch: id })
  const handover = agent === undefined ? undefined : yield* handoverTo(watch, agent, ceiling)
  return yield* settling(name, (id, settings) =>
    command(id, { _tag: "Retry", byAgent, ceilings: hasCeilings(settings), permission: ceiling, handover, headless })
  )
})

/** Makes the methods of the service, closed over the ports in the context. */
export const makeSouffleur = Effect.gen(function* () {
  // The scope of the layer is left out: a watch belongs to the scope of its caller.
  const context = Context.omit(Scope.Scope)(yield* Effect.context<SouffleurNeeds | Scope.Scope>())
  const here = ownSpans(context)
  return {
    ...(yield* makeSouffleurLog),
    watch: (options: WatchOptions) => here(watch(options)),
    run: (options: RunOptions) => here(run(options)),
    resume: (name: WatchName, options?: ResumeOptions) => here(resume(name, options)),
    detach: (order: WatchOrder, options: DetachOptions) => here(detach(order, options)),
    conduct: (options: ConductOptions) => here(conductPlan(options)),
    trustPlan: (...of: Parameters<typeof trustPrograms>) => here(trustPrograms(...of)),
    stopPlan: (...of: Parameters<typeof stopPlan>) => here(stopPlan(...of)),
    answer: (name: PlanName, answer: PlanAnswer) => here(answerRun(name, answer)),
    jobs: here(livingJobs),
    endedJobs: (...of: Parameters<typeof endedJobs>) => here(endedJobs(...of)),
    report: (period: Period) => here(report(period, tasksOfWatch)),
    metrics: here(logMetrics),
    sessions: (project: string) => here(sessions(project)),
    preview: (order: WatchOrder) => here(Parts.use(({ preview }) => preview(order))),
    previewPlan: (order: PlanOrder) => here(previewPlan(order)),
    overview: (project: string) => here(overviewOf(project)),
    status: (named: NamedWatch) => here(statusNow(named)),
    lastWords: (name: WatchName) => here(wordsOfJob(name)),
    conversation: (name: WatchName, asked?: ConversationAsked) => here(conversationOf(name, asked)),
    conversationNews: (...of: Parameters<typeof conversationNews>) =>
      ownSpansOfStream(context)(conversationNews(...of)),
    past: (...of: Parameters<typeof pastOf>) => here(pastOf(...of)),
    changes: (name: WatchName) => here(watchChanges(name)),
    planConversation: (...of: Parameters<typeof planConversation>) => here(planConversation(...of)),
    planConversationNews: (...of: Parameters<typeof planConversationNews>) =>
      ownSpansOfStream(context)(planConversationNews(...of)),
    planChanges: (...of: Parameters<typeof planChanges>) => here(planChanges(...of)),
    output: (name: WatchName, options?: OutputOptions) => ownSpansOfStream(context)(outputOf(name, options)),
    result: (name: WatchName) => here(resultOf(name)),
    planStatus: (named: NamedRun) => here(statusOfRun(named)),
    retry: (name: WatchName, options?: RetryOptions) => here(retry(name, options)),
    adopt: (name: WatchName, target: Target & { readonly force?: boolean }) => here(adoptProcess(name, target)),
    trust: (project: string) => here(trustProject(project)),
    hold: (name: WatchName, { byAgent = false }: { readonly byAgent?: boolean } = {}) =>
      here(settling(name, (id) => command(id, { _tag: "Hold", byAgent }))),
    go: (name: WatchName, { byAgent = false }: { readonly byAgent?: boolean } = {}) =>
      here(settling(name, (id) => command(id, { _tag: "Go", byAgent }))),
    takeWord: (word: FleetWordOrder) => here(takeWord(word)),
    moveHere: (name: WatchName) => here(settling(name, (id) => moveHere(id))),
    stop: (name: WatchName, options?: { readonly reason?: string }) => here(stop(name, options)),
    release: (name: WatchName) => here(settling(name, (id) => release(id))),
    done: (name: WatchName, { by }: { readonly by: "agent" | "operator" } = { by: "operator" }) =>
      here(settling(name, (id) => finish(id, by)))
  }
})
