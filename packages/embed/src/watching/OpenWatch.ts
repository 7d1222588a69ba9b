import { Agent, AlreadyWatched, Claims, isOver, type Pin, Processes, type Target, type Watch } from "@souffleur/domain"
import { command, refuseSession, refuseTarget } from "@souffleur/supervisor"
import { Effect, FileSystem, Option } from "effect"
import { newId, unfinishedWatches } from "./FindWatch.ts"

/** A watch that is asked for. */
export interface OpenOrder {
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  readonly pin: Pin
  /** Decides and logs, and never kills or launches. */
  readonly observe: boolean
  /** The process is the Conductor, though evidence says that it is another. */
  readonly forced: boolean
  /** Another process will watch, which outlives this one. */
  readonly detaching: boolean
}

/** Returns whether two paths lead to one file. A file that is gone is the same by its path alone. */
const isSameFile = Effect.fnUntraced(function* (one: string, other: string) {
  if (one === other) return true
  const fs = yield* FileSystem.FileSystem
  const [a, b] = yield* Effect.all([Effect.option(fs.stat(one)), Effect.option(fs.stat(other))])
  return Option.isSome(a) && Option.isSome(b) && a.value.dev === b.value.dev && Option.isSome(a.value.ino)
    ? Option.contains(b.value.ino, a.value.ino.value)
    : false
})

/** Returns whether the Conductor is provably gone, and no launch of a successor is under way. */
const isConductorGone = Effect.fnUntraced(function* ({ conductor, mode, named, recovery }: Watch) {
  const processes = yield* Processes
  if (mode === "heartbeat-only" || recovery?.launch !== undefined) return false
  const known = conductor ?? named
  return known === null || isOver(yield* processes.condition(known))
})

/**
 * Returns the unfinished watches of a comms file that yield to another one: their Conductor and their souffleur are
 * gone (spec: behaviour#claims). Fails with `AlreadyWatched` where one of them is not.
 */
const yieldingIn = Effect.fn("yieldingIn")(function* (comms: string) {
  const claims = yield* Claims
  const yielding: Array<string> = []
  for (const { id, watch } of yield* unfinishedWatches) {
    if (watch.comms === null || !(yield* isSameFile(watch.comms, comms))) continue
    const { left, owner } = watch
    const isOwned = owner !== undefined && !(yield* claims.isDead(owner))
    if (!isOwned && (yield* isConductorGone(watch))) {
      yielding.push(id)
      continue
    }
    const { pid } = owner?.process ?? { pid: 0 }
    const who = isOwned
      ? `souffleur (pid ${pid}) lives`
      : watch.conductor === undefined
        ? "Conductor may live"
        : `Conductor (pid ${watch.conductor.pid}) lives`
    return yield* new AlreadyWatched({
      owner: owner ?? left ?? claims.self,
      problem: `${comms} belongs to watch ${id}, whose ${who}`,
      watch: id
    })
  }
  return yielding
})

/**
 * Opens a watch, and returns its id. It refuses the pids that no watch may have. Bootstrap checks whether the process
 * is alive. Fails with `BadTarget` for such a pid, with `AlreadyWatched` where another souffleur has the process, the
 * session or the comms file.
 */
export const openWatch = Effect.fn("openWatch")(function* (target: Target, { detaching, ...order }: OpenOrder) {
  const agent = yield* Agent
  const claims = yield* Claims
  const processes = yield* Processes
  yield* refuseTarget(target.pid, detaching)
  yield* refuseSession(target.sessionId)
  yield* Effect.catchTag(agent.sessionFile(target.sessionId), "SessionNotFound", (error) =>
    error.reason === "missing" ? Effect.void : Effect.fail(error)
  )
  const found = yield* processes.find(target.pid)
  const yielding = order.comms === null ? [] : yield* yieldingIn(order.comms)
  // The claim comes before any event, so that the second of two simultaneous starts leaves no trace.
  if (order.comms !== null) yield* claims.claim({ comms: order.comms })
  if (Option.isSome(found)) yield* claims.claim(found.value.identity)
  yield* claims.claim({ session: target.sessionId })
  const id = yield* newId(order.project)
  const process = Option.getOrNull(Option.map(found, ({ identity }) => identity))
  yield* command(id, { _tag: "Open", ...order, ...target, process })
  // A watch that came to its end by itself meanwhile yields too.
  for (const old of yielding) yield* Effect.ignore(command(old, { _tag: "Release", to: id }))
  return id
})
