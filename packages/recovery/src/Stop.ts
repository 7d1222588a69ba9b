import {
  Agent,
  type NotPermitted,
  Processes,
  type ProcessIdentity,
  type ProcessInfo,
  Settings,
  type Signal,
  type Watch
} from "@souffleur/domain"
import { type Duration, Effect, Schema } from "effect"
import { killedWithin, untilGone } from "./RecoverySchedule.ts"

/** Not provably gone: nothing may be launched (spec §2, Stop). */
export class StopFailed extends Schema.TaggedError<StopFailed>()("StopFailed", { why: Schema.String }) {}

/** How the old Conductor ended, and how many processes of its tree had to be ended besides. */
export const Stopped = Schema.Struct({
  ended: Schema.Literals(["already gone", "SIGTERM", "SIGKILL"]),
  others: Schema.Int
})
export type Stopped = typeof Stopped.Type

const isGone = (processes: Processes["Service"], identity: ProcessIdentity) =>
  Effect.map(processes.condition(identity), (condition) => condition === "gone" || condition === "zombie")

/** The Conductor's tree: what it started, by parent and by tag, without what is protected. */
const treeOf = Effect.fnUntraced(function* (watch: Watch, conductor: ProcessIdentity) {
  const [agent, processes] = [yield* Agent, yield* Processes]
  const sessions = yield* agent.sessions
  // Who has the pid of a Conductor that is gone, and its session too, marks its tools as that one did: they cannot be told apart.
  const reused = sessions.some(({ pid }) => pid === conductor.pid) && (yield* isGone(processes, conductor))
  const tags = [
    ...(reused ? [] : watch.sessions.flatMap((sessionId) => agent.tags({ pid: conductor.pid, sessionId }))),
    ...(watch.launchId === undefined ? [] : [{ environment: { SOUFFLEUR_LAUNCH_ID: watch.launchId } }])
  ]
  return yield* processes.tree(
    conductor,
    tags,
    sessions.map((session) => session.pid).filter((pid) => reused || pid !== conductor.pid)
  )
})

const notPermitted = ({ pid }: NotPermitted) => new StopFailed({ why: `process ${pid} belongs to somebody else: not allowed to signal it` })

/** SIGTERM, grace, SIGKILL, each only to that very process and while it is granted; `undefined` when it is still there. */
export const end = Effect.fnUntraced(function* <E>(identity: ProcessIdentity, grace: Duration.Input, granted: Effect.Effect<void, E>) {
  const processes = yield* Processes
  const gone = isGone(processes, identity)
  const waitFor = (limit: Duration.Input) =>
    Effect.repeat(gone, { schedule: untilGone, until: (yes) => yes }).pipe(Effect.timeoutOption(limit), Effect.andThen(gone))
  const signal = (name: Signal) => Effect.andThen(granted, Effect.mapError(processes.signal(identity, name), notPermitted))
  if (yield* gone) return "already gone" as const
  yield* signal("SIGTERM")
  if (yield* waitFor(grace)) return "SIGTERM" as const
  yield* signal("SIGKILL")
  return (yield* waitFor(killedWithin)) ? ("SIGKILL" as const) : undefined
})

/**
 * Ends the recorded Conductor, only if it still is that process, and its tree with it. The tree is looked at before the
 * first signal, while parents are known, and again after: tools run in sessions of their own and outlive a kill.
 * `granted` is asked right before each signal: once it fails, none is sent any more.
 */
export const stopConductor = Effect.fn("Recovery.stop")(function* <E = never>(watch: Watch, granted: Effect.Effect<void, E> = Effect.void) {
  const { stopGrace } = yield* Settings
  const { conductor } = watch
  if (conductor === undefined) return yield* new StopFailed({ why: "the process of the Conductor is not known" })
  const before = yield* treeOf(watch, conductor)
  const ended = yield* end(conductor, stopGrace, granted)
  if (ended === undefined) return yield* new StopFailed({ why: `process ${conductor.pid} did not end, not even by SIGKILL` })
  const left = new Map<number, ProcessInfo>()
  for (const info of [...before, ...(yield* treeOf(watch, conductor))]) left.set(info.identity.pid, info)
  const ends = yield* Effect.forEach(left.values(), (info) => end(info.identity, stopGrace, granted), { concurrency: "unbounded" })
  const stubborn = [...left.values()].filter((_, index) => ends[index] === undefined)
  if (stubborn.length > 0)
    return yield* new StopFailed({ why: `processes of its tree did not end: ${stubborn.map((info) => info.identity.pid).join(", ")}` })
  return { ended, others: ends.filter((how) => how !== "already gone").length }
})

/** After a crash inside the stop: gone, with all of its tree, or to be done again. */
export const isStopped = Effect.fn("Recovery.isStopped")(function* (watch: Watch) {
  const processes = yield* Processes
  if (watch.conductor === undefined || !(yield* isGone(processes, watch.conductor))) return false
  return (yield* treeOf(watch, watch.conductor)).length === 0
})

/**
 * Who else holds the session: a live agent process that says so, or a leftover of the old tree (spec §2, one writer). One of an
 * earlier generation counts too: who resumed it by hand goes on with the same work. `undefined`: nobody.
 */
export const otherWriter = Effect.fn("Recovery.otherWriter")(function* (watch: Watch) {
  const agent = yield* Agent
  const holder = (yield* agent.sessions).find((session) => watch.sessions.includes(session.sessionId))
  if (holder !== undefined) return `process ${holder.pid} holds the session`
  const left = watch.conductor === undefined ? [] : yield* treeOf(watch, watch.conductor)
  return left.length === 0 ? undefined : `processes of the old Conductor still run: ${left.map((info) => info.identity.pid).join(", ")}`
})
