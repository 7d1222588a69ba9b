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
  assignment: Assignment,
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
  const others = (yield* agentTree(assignment, started)).map(({ identity }) => identity.pid)
  // What a finishing command has started is the user's own, and nobody comes after it.
  if (inTime && (others.length === 0 || (assignment.role === "finisher" && finishing !== null))) return null
  const cause = inTime ? ("left running" as const) : ("timeout" as const)
  return (
    (yield* ref.dispatch({ _tag: "EndAgent", token: assignment.token, cause, limit: millis, others })).assignment
      ?.ending ?? null
  )
})

/** Whether an agent that is to end, or anything that it started, is still there. */
export const isLeft = Effect.fn("AgentEnd.isLeft")(function* (assignment: Assignment, started: Launched) {
  if (!(yield* isGone(yield* Processes, started.process))) return true
  return (yield* agentTree(assignment, started)).length > 0
})

/**
 * Ends an agent and all that it started: nothing may write beside the next one. Each signal is this assignment's, of a
 * run that is ours.
 */
export const endAgent = Effect.fn("endAgent")(function* (assignment: Assignment, started: Launched) {
  const { stopGrace } = yield* Settings
  const { ref } = yield* PlanContext
  const granted = ref.granted((run) => run.assignment?.token === assignment.token && run.assignment.ending !== null)
  return yield* endTree(started.process, agentTree(assignment, started), stopGrace, granted)
})
