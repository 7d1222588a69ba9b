import { AlreadyWatched, Claims, isMeant, type LogError, Refused } from "@souffleur/domain"
import { Effect, Ref } from "effect"
import { nobodyAtWork, nobodyElse } from "./Neighbours.ts"
import { initialRun, type Run } from "./Run.ts"
import type { RunIntent } from "./RunDecider.ts"
import { loadRun, RunLog, runsIn, tellRun } from "./RunLog.ts"

/** One run as whoever conducts it sees it. */
export interface RunRef {
  readonly id: string
  /** Read from the log, never remembered. */
  readonly state: Effect.Effect<Run, LogError>
  readonly tell: (intent: RunIntent) => Effect.Effect<Run, Refused | LogError>
  /** Right before an act that cannot be taken back: fails unless this conductor owns the run still, and `so` is true of it (spec §4). */
  readonly granted: (so: (run: Run) => boolean) => Effect.Effect<void, Refused | LogError>
}

/** Folds each event once, however often it is asked. */
const makeRunRef = Effect.fnUntraced(function* (id: string, fence: number) {
  const log = yield* RunLog
  const known = yield* Ref.make<Run>(initialRun)
  const remember = (run: Run) => Ref.update(known, (before) => (before.revision > run.revision ? before : run))
  const withLog = Effect.provideService(RunLog, log)
  const state = Ref.get(known).pipe(
    Effect.flatMap((from) => loadRun(id, from)),
    Effect.tap(remember),
    withLog
  )
  return {
    id,
    state,
    granted: (so) =>
      Effect.flatMap(state, (run) =>
        run.fence === fence && so(run) ? Effect.void : new Refused({ why: "fenced", detail: "another souffleur conducts this run" })
      ),
    tell: (intent) =>
      Ref.get(known).pipe(
        Effect.flatMap((from) => tellRun(id, intent, { _tag: "Owner", fence }, from)),
        Effect.tap(remember),
        withLog
      )
  } satisfies RunRef
})

/**
 * Owns a run under a new fence until the scope closes (spec §4, One owner): a live owner is never overtaken, and one that is not
 * provably dead is alive.
 */
export const ownRun = Effect.fn("Run.own")(function* (id: string) {
  const claims = yield* Claims
  const run = yield* loadRun(id)
  if (run.owner !== null && !(yield* claims.isDead(run.owner))) {
    const { host, process } = run.owner
    return yield* new AlreadyWatched({ owner: run.owner, why: `souffleur with pid ${process.pid} on ${host} conducts run ${id}` })
  }
  const project = run.workTree
  // Another state folder has another log, and may conduct in the same work tree.
  yield* Effect.acquireRelease(claims.claim({ project }), () => claims.release({ project }))
  const { fence } = yield* tellRun(id, { _tag: "Take", owner: claims.self, over: run.fence }, { _tag: "Operator" })
  const ref = yield* makeRunRef(id, fence)
  yield* Effect.addFinalizer((exit) => (isMeant(exit) ? Effect.ignore(ref.tell({ _tag: "Leave" })) : Effect.void))
  // Of two plans that began at once the later one sees the other here, and perhaps each does.
  const runs = yield* runsIn(project)
  yield* nobodyElse(runs, id)
  yield* nobodyAtWork(runs, id)
  return ref
})
