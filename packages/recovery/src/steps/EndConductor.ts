import { Agent, type AgentSession, Processes, type ProcessIdentity, Settings, type Watch } from "@souffleur/domain"
import { endTree, isGone, type Stopped, StopFailed, taskAgentsOf, treeOf } from "@souffleur/process"
import { Offspring } from "@souffleur/eventlog"
import { Effect, Equal } from "effect"
import { startedByItself } from "./Holder.ts"

/**
 * Finds a live process that souffleur launched, when the Conductor turned out to be another one. Two must never be at
 * work.
 */
const launchedBeside = Effect.fnUntraced(function* ({ conductor, launched }: Watch) {
  if (launched === undefined || Equal.equals(launched, conductor)) return undefined
  return (yield* isGone(yield* Processes, launched)) ? undefined : launched
})

/**
 * Lists the tree of a watch's Conductor. An agent below its wrapper belongs to it: it holds the session in the
 * wrapper's place.
 */
export const conductorTree = Effect.fnUntraced(function* (
  watch: Watch,
  conductor: ProcessIdentity,
  seen: ReadonlyArray<ProcessIdentity> = []
) {
  const { launchId, sessions: sessionIds } = watch
  const known = [...(yield* (yield* Offspring).recall(conductor)), ...seen]
  const beside = yield* launchedBeside(watch)
  const holds = ({ sessionId }: AgentSession) => sessionIds.includes(sessionId)
  const tasks = yield* taskAgentsOf(watch)
  return yield* treeOf(
    { root: conductor, sessionIds, launchId, known, tasks },
    Effect.fnUntraced(function* (sessions) {
      // A listing of all processes takes milliseconds. Without a holder it would be for nothing.
      const own = sessions.some(holds) ? yield* startedByItself(watch, conductor, sessions, known) : []
      return sessions
        .filter((session) => !(holds(session) && own.includes(session.pid)) && session.pid !== beside?.pid)
        .map(({ pid }) => pid)
    })
  )
})

/**
 * Ends the recorded Conductor, only if it still is that process, and its tree with it. It reads the tree before the
 * first signal, while parents are known, and once more later. Tools run in sessions of their own and outlive a kill. It
 * checks `granted` right before each signal, and sends none once that fails. A process that a person named against the
 * evidence gets no signal, nor does its tree. Fails with `StopFailed`.
 */
export const endConductor = Effect.fn("endConductor")(function* <E = never, R = never>(
  watch: Watch,
  granted: Effect.Effect<void, E, R> = Effect.void
) {
  const { stopGrace } = yield* Settings
  const { conductor } = watch
  if (conductor === undefined) return yield* new StopFailed({ message: "the process of the Conductor is not known" })
  if (watch.forced && !(yield* isGone(yield* Processes, conductor)))
    return yield* new StopFailed({
      message: `process ${conductor.pid} was named with --force, against the evidence, and souffleur only follows it: end it yourself, then type "souffleur retry"`
    })
  const stopped: Stopped = watch.forced
    ? { ended: "already gone", others: 0 }
    : yield* endTree(conductor, (seen) => conductorTree(watch, conductor, seen), stopGrace, granted)
  const beside = yield* launchedBeside(watch)
  if (beside === undefined) return stopped
  const { ended, others } = yield* endTree(beside, (seen) => conductorTree(watch, beside, seen), stopGrace, granted)
  return { ...stopped, others: stopped.others + others + (ended === "already gone" ? 0 : 1) }
})

/**
 * Returns whether the Conductor is gone with all of its tree. After a crash inside the stop, the stop is repeated if it
 * is not.
 */
export const isStopped = Effect.fn("Recovery.isStopped")(function* (watch: Watch) {
  const processes = yield* Processes
  if (watch.conductor === undefined || !(yield* isGone(processes, watch.conductor))) return false
  if ((yield* launchedBeside(watch)) !== undefined) return false
  return (yield* conductorTree(watch, watch.conductor)).length === 0
})

/**
 * Says in a sentence what else holds the session (spec: behaviour#one-writer). It is a live agent process, or a
 * leftover of the old tree. A session of an earlier generation counts too, because its work is the same. `undefined`:
 * no process does.
 */
export const otherWriter = Effect.fn("Recovery.otherWriter")(function* (watch: Watch) {
  const agent = yield* Agent
  const left = watch.conductor === undefined ? [] : yield* conductorTree(watch, watch.conductor)
  // Checked last: leftovers do not come back, but a person may come at any moment.
  const holder = (yield* agent.sessions).find((session) => watch.sessions.includes(session.sessionId))
  if (holder !== undefined) return `process ${holder.pid} holds the session`
  const beside = yield* launchedBeside(watch)
  if (beside !== undefined) return `process ${beside.pid}, which souffleur launched for this watch, still runs`
  return left.length === 0
    ? undefined
    : `processes that it started still run: ${left.map((info) => info.identity.pid).join(", ")}`
})
