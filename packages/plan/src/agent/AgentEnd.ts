import { isSessionKnown, Launcher, Processes, type ProcessIdentity, Settings } from "@souffleur/domain"
import { endTree, isGone, treeOf } from "@souffleur/process"
import { Clock, Duration, Effect, Option } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { untilStopped } from "../Waiting.ts"
import { type Assignment, assignmentOf } from "../run/Run.ts"
import { untilHung } from "./Hanging.ts"
import { turnOver, untilLingering } from "./Lingering.ts"
import { reportSession, type RunningLaunch, whileReporting } from "./AssignedAgent.ts"

/** Time between two looks at a running agent. */
const pollInterval = "200 millis"

/** The processes that an agent of a run started (spec: behaviour#stop). Other agents are not among them. */
const agentTree = (
  { sessionId }: Assignment,
  { launchId, process }: RunningLaunch,
  known: ReadonlyArray<ProcessIdentity> = []
) =>
  treeOf({ root: process, sessionIds: isSessionKnown(sessionId) ? [sessionId] : [], launchId, known }, (sessions) =>
    Effect.succeed(sessions.map(({ pid }) => pid))
  )

/**
 * Waits until an agent has ended, hangs, or its time is over, and learns its session meanwhile. Where something of it
 * still runs, the log says that it is to be ended before any signal. Returns that ending; `null`: nothing of it runs.
 */
export const awaitEnding = Effect.fn("awaitEnding")(function* (
  asked: Assignment,
  started: RunningLaunch,
  limit: Duration.Duration
) {
  const processes = yield* Processes
  const { finishing, ref } = yield* PlanContext
  const limitMillis = Duration.toMillis(limit)
  // A clock that was set back gives no more than the whole limit.
  const leftMillis = Math.min(limitMillis, Math.max(0, started.at + limitMillis - (yield* Clock.currentTimeMillis)))
  const gone = isGone(processes, started.process)
  const isCommand = asked.role === "finisher" && finishing !== null
  const tree = (assignment: Assignment) => agentTree(assignment, started)
  const over = Effect.as(processes.untilOver(started.process, pollInterval), {})
  const lingered = Effect.as(untilLingering(asked, started, tree), { lingers: true } as const)
  const hung = Effect.map(untilHung(asked, started), (silentFor) => ({ silentFor }))
  const ofAgent = isCommand ? [] : [lingered, hung]
  const stopped = Effect.as(untilStopped(), {})
  const seen: { readonly lingers?: true; readonly silentFor?: number } | undefined = yield* Effect.raceAllFirst([
    over,
    stopped,
    ...ofAgent
  ]).pipe(Effect.timeoutOption(leftMillis), Effect.map(Option.getOrUndefined), whileReporting(asked, started))
  const inTime = yield* gone
  // Its session marks what it left running, and it may tell the session with its last breath.
  const assignment = yield* reportSession(asked, started)
  const others = (yield* agentTree(assignment, started)).map(({ identity }) => identity.pid)
  // A finishing command's processes are the user's own, and no agent follows it.
  if (inTime && (others.length === 0 || isCommand)) return null
  // Its time may have gone by after its last word, while no conductor lived.
  const isDone = Effect.gen(function* () {
    if (isCommand) return false
    if (seen?.lingers) return true
    return (yield* turnOver(assignment, (yield* Launcher).outputPath(started.launchId))) !== undefined
  })
  const isStopped = (yield* ref.state).stop?.now === true
  const { silentFor } = seen ?? {}
  const late = silentFor === undefined ? "timeout" : "hung"
  const reason = inTime ? "left running" : (yield* isDone) ? "lingering" : isStopped ? "stopped" : late
  const { token } = assignment
  const ending = { token, reason, limit: Math.round(silentFor ?? limitMillis), others } as const
  return assignmentOf(yield* ref.dispatch({ _tag: "EndAgent", ...ending }), token)?.ending ?? null
})

/** Returns whether an agent that is to end, or a process that it started, is still there. */
export const isLeft = Effect.fn("AgentEnd.isLeft")(function* (assignment: Assignment, started: RunningLaunch) {
  if (!(yield* isGone(yield* Processes, started.process))) return true
  return (yield* agentTree(assignment, started)).length > 0
})

/**
 * Ends an agent and all that it started, so that nothing writes beside the next one. Before each signal this souffleur
 * must own the run, and this assignment must be ending. Fails with `StopFailed` where a process stays.
 */
export const endAgent = Effect.fn("endAgent")(function* (assignment: Assignment, started: RunningLaunch) {
  const { stopGrace } = yield* Settings
  const { ref } = yield* PlanContext
  const granted = ref.granted((run) => (assignmentOf(run, assignment.token)?.ending ?? null) !== null)
  return yield* endTree(started.process, (seen) => agentTree(assignment, started, seen), stopGrace, granted)
})
