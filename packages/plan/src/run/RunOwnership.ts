import { AlreadyWatched, Claims, isMeant, isSeen } from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { Effect, Ref } from "effect"
import { refuseLeftAgent, refuseOtherConductor } from "./Neighbours.ts"
import type { Run } from "./Run.ts"
import type { Chosen } from "./RunEvent.ts"
import { loadRun, makeRunRef, runsIn, dispatchRun } from "./RunLog.ts"
import type { RunRef } from "./RunRef.ts"

/** How often the claim is made again: an emptied folder of claims took it along. */
const claimInterval = "1 minute"

/** Fails with `Refused` after another process has claimed the work tree: this conductor says and does nothing more. */
const unlessLost = Effect.fnUntraced(function* (lost: Ref.Ref<string | undefined>) {
  const why = yield* Ref.get(lost)
  if (why !== undefined) return yield* new Refused({ reason: "fenced", message: why })
})

/**
 * Takes a person's word that the last conductor of a run is gone, where it cannot be seen from here. Fails with
 * `Refused` where it is of this machine.
 */
export const moveRunHere = Effect.fn("moveRunHere")(function* (id: string) {
  const { forget, isDead, self } = yield* Claims
  const { owner } = yield* loadRun(id)
  if (owner === null || isSeen(owner, self) || (yield* isDead(owner)))
    return yield* new Refused({
      reason: "not now",
      message: `the conductor of run ${id} was on this machine: conduct it as it is`
    })
  yield* dispatchRun(id, { _tag: "Move", from: owner, host: self.host }, { _tag: "Operator" })
  yield* forget(owner)
})

/**
 * Owns a run under a new fence until the scope closes (spec: behaviour#one-owner). A live owner is never overtaken, and
 * an owner that is not provably dead is alive. Fails with `AlreadyWatched` if another souffleur conducts the run or
 * another one of the work tree, and with `ClaimFailed` if the claim cannot be made. The run keeps `chosen`.
 *
 * The owner of a watch continues without a claim, and tells it. The owner of a run says nothing more once its claim is
 * lost, since two conductors would mix their commits in one work tree.
 */
export const ownRun = Effect.fn("ownRun")(function* (id: string, chosen?: Chosen) {
  const claims = yield* Claims
  const run = yield* loadRun(id)
  if (run.owner !== null && !(yield* claims.isDead(run.owner))) {
    const { host, process } = run.owner
    return yield* new AlreadyWatched({
      owner: run.owner,
      ...(isSeen(run.owner, claims.self) ? {} : { unseen: true as const }),
      problem: `souffleur with pid ${process.pid} on ${host} conducts run ${id}`
    })
  }
  const project = run.workTree
  // Another state folder has another log, and may conduct in the same work tree.
  yield* Effect.acquireRelease(claims.claim({ project }), () => claims.release({ project }))
  const take = {
    _tag: "Take",
    owner: claims.self,
    over: run.fence,
    ...(chosen === undefined ? {} : { chosen })
  } as const
  const { fence } = yield* dispatchRun(id, take, { _tag: "Operator" })
  const ref = yield* makeRunRef(id, { _tag: "Owner", fence })
  const granted = (so: (run: Run) => boolean) =>
    Effect.flatMap(ref.state, (run) => {
      if (run.fence !== fence) return new Refused({ reason: "fenced", message: "another souffleur conducts this run" })
      return so(run) ? Effect.void : new Refused({ reason: "not now", message: "the run goes on otherwise by now" })
    })
  const lost = yield* Ref.make<string | undefined>(undefined)
  const warned = yield* Ref.make(false)
  yield* Effect.sleep(claimInterval).pipe(
    Effect.andThen(claims.claim({ project })),
    Effect.andThen(Ref.set(warned, false)),
    Effect.catchTag("ClaimFailed", ({ message }) =>
      Effect.flatMap(Ref.getAndSet(warned, true), (before) =>
        before
          ? Effect.void
          : Effect.logWarning(`${message}. Until then a run of another state folder could begin in ${project}`)
      )
    ),
    Effect.forever,
    Effect.catchTag("AlreadyWatched", ({ problem }) => Ref.set(lost, problem)),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer((exit) => (isMeant(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void))
  // Of two plans that began at once the later one sees the other here. Perhaps each sees the other.
  const runs = yield* runsIn(project)
  yield* refuseOtherConductor(runs, id)
  yield* refuseLeftAgent(runs, id)
  return {
    ...ref,
    granted: (so) => Effect.andThen(unlessLost(lost), granted(so)),
    dispatch: (intent) => Effect.andThen(unlessLost(lost), ref.dispatch(intent))
  } satisfies RunRef
})
