import { Agent, Claims, type Pin, Processes, type Target } from "@souffleur/domain"
import { command, refuseSession, refuseTarget } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { yieldingIn } from "./CommsTaken.ts"
import { newId } from "./FindWatch.ts"

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
