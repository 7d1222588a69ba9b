import {
  AlreadyWatched,
  claimedIfPossible,
  Claims,
  claimsOf,
  EventLog,
  type FleetWordIntent,
  isMeant,
  isOfAnotherMachine,
  isSeen,
  Launcher,
  load,
  makeWatchRef,
  type Owner,
  type PhoneIntent,
  Processes,
  Settings,
  dispatch,
  type Watch,
  watches,
  type WatchEvent,
  type WatchIntent
} from "@souffleur/domain"
import { forgetHandoffFile, isGone } from "@souffleur/process"
import { Refused } from "@souffleur/eventlog"
import { Clock, Effect, Equal, Option, Result } from "effect"
import { forgetIntent, intentOf } from "./RestoreIntent.ts"

const operator = { _tag: "Operator" } as const

/**
 * Dispatches an operator's command, from any process. It outranks recovery and needs no fence
 * (spec: behaviour#one-owner).
 */
export const command = Effect.fn("Watch.command")(function* (id: string, intent: WatchIntent, from?: Watch) {
  return yield* dispatch(id, { ...intent, now: yield* Clock.currentTimeMillis, by: operator }, from)
})

/** Settles the newest launch: it has run, or it never will. */
const settleLast = Effect.fnUntraced(function* (id: string, { cycles, firstLaunch, revision }: Watch) {
  if (cycles === 0 && firstLaunch === undefined) return
  const isLaunch = ({ _tag }: WatchEvent) => _tag === "LaunchPrepared"
  const launch = (yield* watches.tail(id, revision, (events) => events.some(isLaunch))).findLast(isLaunch)
  if (launch?._tag === "LaunchPrepared") yield* (yield* Launcher).settle(launch.launchId)
})

/**
 * Removes the launch file of an ended watch, with its environment, and the kept words of its agent. Nothing is launched
 * for such a watch.
 */
export const forget = Effect.fnUntraced(function* ({ firstLaunch, handoff }: Watch) {
  if (firstLaunch !== undefined) yield* (yield* Launcher).forget(firstLaunch.launchId)
  if (handoff !== undefined) yield* forgetHandoffFile((yield* Settings).stateDir, handoff.request)
})

/** Settles and forgets the launches of a watch that has ended. */
const settledEnd = Effect.fnUntraced(function* (id: string, watch: Watch) {
  yield* settleLast(id, watch)
  yield* forget(watch)
  return watch
})

/**
 * Ends a watch; the Conductor lives on. After this returns, a launch without a receipt never becomes a Conductor. That
 * holds while its souffleur has not heard of the release, and after the souffleur died
 * (spec: behaviour#launch-at-most-once).
 */
export const release = Effect.fn("Watch.release")(function* (id: string) {
  return yield* settledEnd(id, yield* command(id, { _tag: "Release" }))
})

/**
 * Has the Conductor stopped and the watch ended (spec: behaviour#stop-by-a-person), which whoever keeps the watch
 * carries out. After this returns, a launch without a receipt never becomes a Conductor, as after a release.
 */
export const stop = Effect.fn("Watch.stop")(function* (id: string, reason?: string) {
  const watch = yield* command(id, { _tag: "Stop", reason })
  yield* settleLast(id, watch)
  return watch
})

/**
 * Ends a watch as complete, together with a running recovery. Its launch never becomes a Conductor, as after a release
 * (spec: behaviour#ends).
 */
export const finish = Effect.fn("Watch.finish")(function* (id: string, saidBy: "agent" | "operator") {
  return yield* settledEnd(id, yield* command(id, { _tag: "Finish", saidBy }))
})

/** Events that are searched for a word that was taken. A hub may name any revision, and a word lasts an hour. */
const maxSearched = 5000

/** Returns whether this very word was taken after the revision that its speaker saw. */
const wasTaken = Effect.fnUntraced(function* ({ revision }: Watch, watch: string, { id, seen }: FleetWordIntent) {
  if (revision <= seen) return false
  const since = yield* (yield* EventLog).read(watches.streamOf(watch), Math.max(seen, revision - maxSearched))
  return since.some(({ event }) => event._tag === "FleetWordTaken" && event.id === id)
})

/**
 * Takes a word that a person said at the hub of a fleet (spec: fleet#words). A word that was taken already is taken,
 * and changes nothing. Fails with `Refused` where the host does not take it.
 */
export const takeFleetWord = Effect.fn("Watch.takeFleetWord")(function* (id: string, word: FleetWordIntent) {
  const watch = yield* Effect.catchTag(
    command(id, { _tag: "TakeFleetWord", ...word }),
    "Refused",
    Effect.fnUntraced(function* (refused) {
      const now = yield* load(id)
      return (yield* wasTaken(now, id, word)) ? now : yield* refused
    })
  )
  if (watch.phase === "Exited") return yield* settledEnd(id, watch)
  if (watch.recovery?.purpose === "stop") yield* settleLast(id, watch)
  return watch
})

/** Dispatches what concerns the buttons of a watch's notices, as an operator (spec: behaviour#answers-from-a-phone). */
export const takePress = Effect.fn("Watch.takePress")(function* (id: string, intent: PhoneIntent) {
  const watch = yield* command(id, intent)
  return watch.phase === "Exited" ? yield* settledEnd(id, watch) : watch
})

/**
 * Makes a process the Conductor and ends a running recovery, whose launch never becomes a Conductor
 * (spec: behaviour#adopt). Fails with `Refused` when that launch has already started a live process: two agents would
 * work at once. A launch that is prepared in the same moment is settled too, before the word counts.
 */
export const adopt = Effect.fn("Watch.adopt")(function* (
  id: string,
  adopted: Omit<Extract<WatchIntent, { readonly _tag: "Adopt" }>, "_tag" | "settled">
) {
  const launchOf = ({ recovery, undecided }: Watch) => recovery?.launch?.launchId ?? undecided
  for (;;) {
    const launchId = launchOf(yield* load(id))
    const ran = launchId === undefined ? Option.none() : yield* (yield* Launcher).settle(launchId)
    const started = Option.exists(ran, Equal.equals(adopted.conductor))
    if (Option.isSome(ran) && !started && !(yield* isGone(yield* Processes, ran.value)))
      return yield* new Refused({
        reason: "not now",
        message: `the running recovery has started process ${ran.value.pid}: let it go on, adopt that process, or end it first`
      })
    const settled = launchId === undefined ? undefined : { launchId, started }
    const said = yield* Effect.result(command(id, { _tag: "Adopt", ...adopted, settled }))
    if (Result.isSuccess(said)) {
      // An earlier recovery may have failed closed before its launch was decided.
      yield* settleLast(id, said.success)
      return said.success
    }
    if (said.failure._tag !== "Refused" || launchOf(yield* load(id)) === launchId) return yield* said.failure
  }
})

/** Describes the owner. From another machine, boot or pid namespace its process cannot be seen. */
const watchesIt = (watch: string, owner: Owner, self: Owner) => {
  const who = `souffleur with pid ${owner.process.pid} on ${owner.host} watches ${watch}`
  if (isSeen(owner, self)) return new AlreadyWatched({ owner, watch, problem: who })
  const where = isOfAnotherMachine(owner, self) ? "on another machine" : "where its processes cannot be seen from here"
  return new AlreadyWatched({ owner, watch, unseen: true, problem: `${who}, and may be alive ${where}` })
}

/**
 * Fails with `AlreadyWatched` while the owner is alive, or not provably dead. It also fails where the last owner left
 * on another machine. This state folder is a copy then, and the agent may run there (spec: behaviour#one-owner).
 */
export const refuseOwned = Effect.fn("refuseOwned")(function* (id: string, { left, owner }: Watch) {
  const claims = yield* Claims
  if (owner !== undefined && !(yield* claims.isDead(owner))) return yield* watchesIt(id, owner, claims.self)
  if (left !== undefined && isOfAnotherMachine(left, claims.self))
    return yield* new AlreadyWatched({
      owner: left,
      watch: id,
      unseen: true,
      problem: `this state folder comes from another machine (${left.host}), and the agent may be alive there`
    })
})

/**
 * Takes a person's word that the last owner of a watch is gone, where it cannot be seen from here. The watch can be
 * owned here after that (spec: behaviour#one-owner). Fails with `Refused` where the owner is of this machine.
 */
export const moveHere = Effect.fn("Watch.moveHere")(function* (id: string) {
  const { forget, isDead, self } = yield* Claims
  const { left, owner } = yield* load(id)
  const elsewhere =
    owner === undefined
      ? left !== undefined && isOfAnotherMachine(left, self)
      : !isSeen(owner, self) && !(yield* isDead(owner))
  const from = owner ?? left
  if (from === undefined || !elsewhere)
    return yield* new Refused({
      reason: "not now",
      message: `the souffleur of watch ${id} was on this machine: it is resumed as it is`
    })
  const moved = yield* command(id, { _tag: "Move", from, host: self.host })
  // Its claims came along with a home folder.
  yield* forget(from)
  return moved
})

/** Fails with `AlreadyWatched`, as another souffleur took the watch first (exit code 3; spec: behaviour#one-owner). */
const overtaken = Effect.fnUntraced(function* <E>(id: string, refused: E) {
  const { owner } = yield* load(id)
  if (owner === undefined) return yield* Effect.fail(refused)
  return yield* new AlreadyWatched({
    owner,
    problem: `souffleur with pid ${owner.process.pid} on ${owner.host} took it in the same moment`
  })
})

/**
 * Owns a watch under a new fence until the scope closes (spec: behaviour#one-owner). A scope that a defect closes does
 * not record that the owner left. Fails with `AlreadyWatched` when the owner is alive, or left on another machine. An
 * owner is alive unless it is provably dead.
 *
 * A killed souffleur leaves its owner mark and its claims behind, and the next one sees that it is dead. A restoration
 * may have killed it before it could be counted. It is counted first.
 *
 * @example
 * ```ts
 * import { own } from "@souffleur/supervisor"
 * import { Effect } from "effect"
 *
 * // Another souffleur that lives keeps its watch.
 * const phase = own("remindly-3f2a").pipe(
 *   Effect.flatMap(({ ref }) => ref.state),
 *   Effect.map(({ phase }) => phase),
 *   Effect.catchTag("AlreadyWatched", ({ message }) => Effect.as(Effect.logInfo(message), "watched")),
 *   Effect.scoped
 * )
 * ```
 */
export const own = Effect.fn("Ownership.own")(function* (id: string) {
  const claims = yield* Claims
  const watch = yield* load(id)
  yield* refuseOwned(id, watch)
  for (const claimable of claimsOf(watch))
    yield* Effect.acquireRelease(claimedIfPossible(claims.claim(claimable)), () => claims.release(claimable))
  const intended = yield* intentOf(id, watch.fence)
  if (Option.isSome(intended))
    yield* Effect.catchTag(command(id, { _tag: "Restore", ...intended.value }), "Refused", () => Effect.void)
  yield* forgetIntent(id)
  const mine = yield* command(id, { _tag: "TakeOwnership", owner: claims.self, over: watch.fence }, watch).pipe(
    Effect.catchIf(
      (error) => error._tag === "Refused" && error.reason === "owned",
      (refused) => overtaken(id, refused)
    )
  )
  const { fence } = mine
  const ref = yield* makeWatchRef(id, { _tag: "Owner", fence }, mine)
  yield* Effect.addFinalizer((exit) => (isMeant(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void))
  return { fence, ref }
})
