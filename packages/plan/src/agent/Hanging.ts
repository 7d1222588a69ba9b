import { Agent, isSessionKnown, Launcher, momentNow, Settings, type TurnState, untraced } from "@souffleur/domain"
import { freshMemory, type Memory, readAgentProcess, readAgentSigns, remember } from "@souffleur/watcher"
import { Duration, Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { type Assignment, assignmentOf } from "../run/Run.ts"
import { assignedAgent, type RunningLaunch } from "./AssignedAgent.ts"

/**
 * Waits until an agent hangs, by the evidence and the verdict of a watch (spec: behaviour#verdicts). While a person
 * holds the run, none is given up. Returns the ms of its silence.
 */
export const untilHung = Effect.fn("untilHung")(function* (
  asked: Assignment,
  { at, launchId, process }: RunningLaunch
) {
  const { ref } = yield* PlanContext
  const { outputPath } = yield* Launcher
  const { stallAfter, watcherInterval } = yield* Settings
  const agent = yield* assignedAgent(asked)
  const stall = Duration.toMillis(stallAfter ?? agent.stall)
  // A record of an earlier turn is of a process before. This one has asked the model since. Once the clock was set
  // back, nothing tells the records of the two apart.
  let since = asked.askedAt
  const turnNow = (turn: TurnState | undefined): TurnState | undefined =>
    turn === undefined || turn.at >= since ? turn : { _tag: "Asked", at }
  const look = Effect.fnUntraced(function* (before: Memory) {
    const run = yield* ref.state
    const { sessionId } = assignmentOf(run, asked.token) ?? asked
    const sessions = isSessionKnown(sessionId) ? [sessionId] : []
    const begun = yield* momentNow
    if (begun.wall < since) since = 0
    const { condition, pids, processorTime } = yield* readAgentProcess(process)
    const observed = { conductor: process, print: true, sessionId, sessions }
    const { signs, tree } = yield* readAgentSigns(observed, outputPath(launchId), turnNow)
    // Any program may be an agent, and wait for what it started. Only the pid file tells that this one is no such.
    const isKnown = (yield* agent.sessions).some(({ pid }) => pids.includes(pid))
    const session = signs.session && (isKnown ? signs.session : { ...signs.session, idles: true })
    const ended = yield* momentNow
    const { memory, verdict } = remember(
      before,
      {
        begun,
        ended,
        due: Duration.toMillis(watcherInterval),
        comms: undefined,
        processorTime,
        tree,
        signs: {
          ...signs,
          session,
          process: condition,
          turnEnded: false,
          hook: undefined,
          beat: undefined,
          now: ended.wall
        }
      },
      stall
    )
    return { memory, silentFor: verdict._tag === "Hung" && run.held === null ? verdict.silentFor : undefined }
  })
  const now = yield* momentNow
  for (let memory = freshMemory(now, now.wall); ;) {
    yield* Effect.sleep(watcherInterval)
    const seen = yield* untraced(Effect.provideService(look(memory), Agent, agent))
    memory = seen.memory
    if (seen.silentFor !== undefined) return seen.silentFor
  }
})
