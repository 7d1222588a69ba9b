import { Processes, Settings } from "@souffleur/domain"
import { endTree, isGone, treeOf } from "@souffleur/process"
import { Clock, Duration, Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import type { Assignment } from "../run/Run.ts"

/** How often a running agent is looked at. */
const lookEvery = "200 millis"

export type Launched = NonNullable<Assignment["launch"]>

/** What an agent of a run started (spec: behaviour#stop); any other agent is none of it. */
const agentTree = ({ sessionId }: Assignment, { launchId, process }: Launched) =>
  treeOf({ root: process, sessionIds: [sessionId], launchId }, (sessions) =>
    Effect.succeed(sessions.map(({ pid }) => pid))
  )

/**
 * Until an agent has ended, at most until its time is over. Where something of it runs then, that it is to be ended is
 * in the log before anybody is signalled; `null`: nothing does.
 */
export const awaitEnding = Effect.fn("awaitEnding")(function* (
  turn: Assignment,
  started: Launched,
  limit: Duration.Duration
) {
  const processes = yield* Processes
  const { finishing, ref } = yield* PlanContext
  const millis = Duration.toMillis(limit)
  // A clock that was set back gives nobody more than the whole.
  const left = Math.min(millis, Math.max(0, started.at + millis - (yield* Clock.currentTimeMillis)))
  const gone = isGone(processes, started.process)
  const inTime = yield* Effect.andThen(
    Effect.timeoutOption(processes.untilOver(started.process, lookEvery), left),
    gone
  )
  const others = (yield* agentTree(turn, started)).map(({ identity }) => identity.pid)
  // What a finishing command has started is the user's own, and nobody comes after it.
  if (inTime && (others.length === 0 || (turn.role === "finisher" && finishing !== null))) return null
  const cause = inTime ? ("left running" as const) : ("timeout" as const)
  return (
    (yield* ref.dispatch({ _tag: "EndAgent", token: turn.token, cause, limit: millis, others })).turn?.ending ?? null
  )
})

/** Whether an agent that is to end, or anything that it started, is still there. */
export const isLeft = Effect.fn("AgentEnd.isLeft")(function* (turn: Assignment, started: Launched) {
  if (!(yield* isGone(yield* Processes, started.process))) return true
  return (yield* agentTree(turn, started)).length > 0
})

/**
 * Ends an agent and all that it started: nobody may write beside the next one. Each signal is this turn's own, of a run
 * that is ours.
 */
export const endAgent = Effect.fn("endAgent")(function* (turn: Assignment, started: Launched) {
  const { stopGrace } = yield* Settings
  const { ref } = yield* PlanContext
  const granted = ref.granted((run) => run.turn?.token === turn.token && run.turn.ending !== null)
  return yield* endTree(started.process, agentTree(turn, started), stopGrace, granted)
})
