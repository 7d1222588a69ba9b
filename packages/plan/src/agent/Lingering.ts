import { isRest, isSessionKnown, Launcher, type ProcessInfo, Processes, Settings, untraced } from "@souffleur/domain"
import { Clock, Duration, Effect, Option } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { type Assignment, assignmentOf } from "../run/Run.ts"
import { assignedAgent, type RunningLaunch } from "./AssignedAgent.ts"

/** How often an agent whose turn may be over is looked at. */
const lookInterval = "10 seconds"

/** Since when an agent whose turn is over rests, epoch ms, and the processor ticks that it had used by then. */
interface Rest {
  readonly since: number
  readonly used: number
}

/** Returns when an agent wrote the end of its turn in this assignment, epoch ms; `undefined`: it works, or may. */
export const turnOver = Effect.fnUntraced(function* ({ askedAt, ...assignment }: Assignment, output: string) {
  const { sessionId } = assignment
  if (!isSessionKnown(sessionId)) return undefined
  const agent = yield* assignedAgent(assignment)
  const signs = Option.getOrUndefined(yield* agent.signs(sessionId, output))
  if (signs?.turn?._tag !== "Finished" || signs.turn.at < askedAt) return undefined
  // Its subagents work on, or its own tasks in the background do.
  const busy = (yield* agent.sessions).some((one) => one.sessionId === sessionId && one.status === "busy")
  return busy ? undefined : Math.max(signs.writtenAt, signs.turn.at)
})

/**
 * Waits until an agent lingers: its turn is over by its records, and neither it nor what it started has done anything
 * for a stall, but its process does not end (spec: behaviour#agents-of-a-run). `tree`: what it started.
 */
export const untilLingering = Effect.fn("untilLingering")(function* <E, R>(
  asked: Assignment,
  { launchId, process }: RunningLaunch,
  tree: (assignment: Assignment) => Effect.Effect<ReadonlyArray<ProcessInfo>, E, R>
) {
  const { ref } = yield* PlanContext
  const { outputPath } = yield* Launcher
  const processes = yield* Processes
  const { stallAfter } = yield* Settings
  const stall = Duration.toMillis(stallAfter ?? (yield* assignedAgent(asked)).stall)
  const used = Effect.fnUntraced(function* (assignment: Assignment) {
    const started = yield* tree(assignment)
    return started.reduce((sum, { processor = 0 }) => sum + processor, (yield* processes.processorTime(process)) ?? 0)
  })
  const look = Effect.fnUntraced(function* (before: Rest | undefined) {
    const assignment = assignmentOf(yield* ref.state, asked.token) ?? asked
    const over = yield* turnOver(assignment, outputPath(launchId))
    if (over === undefined) return undefined
    const now = yield* Clock.currentTimeMillis
    const seen = yield* used(assignment)
    if (before === undefined) return { since: over, used: seen }
    return isRest(seen - before.used, now - before.since)
      ? { ...before, since: Math.max(before.since, over) }
      : { since: now, used: seen }
  })
  for (let rest: Rest | undefined; ;) {
    yield* Effect.sleep(lookInterval)
    rest = yield* untraced(look(rest))
    if (rest !== undefined && (yield* Clock.currentTimeMillis) - rest.since > stall) return
  }
})
