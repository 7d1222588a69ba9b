import { Agent, isSessionKnown, Launcher, parseSessionId, untraced } from "@souffleur/domain"
import { Effect, Option, Result, Schedule } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { type Assignment, assignmentOf } from "../run/Run.ts"

/** The launch of an assignment, once it has a process. */
export type RunningLaunch = NonNullable<Assignment["launch"]>

/** Returns the agent of an assignment alone: no other agent's format is taken for its own. */
export const assignedAgent = Effect.fn("assignedAgent")(function* ({
  agent: program,
  sessionId
}: Pick<Assignment, "agent" | "sessionId">) {
  const agent = yield* Agent
  if (agent.joined === undefined) return agent
  // A session is resumed by the agent that began it.
  return Option.getOrElse(agent.joined.only(program ?? (yield* agent.joined.programOf(sessionId))), () => agent)
})

/**
 * Looks for the session that a launched agent chose, and records it. Returns the assignment as it then is. A report
 * that cannot be a session id does not count.
 */
export const reportSession = Effect.fn("reportSession")(function* (assignment: Assignment, started: RunningLaunch) {
  if (isSessionKnown(assignment.sessionId)) return assignment
  const { sessionOf } = yield* assignedAgent(assignment)
  if (sessionOf === undefined) return assignment
  const { git, ref } = yield* PlanContext
  const { outputPath } = yield* Launcher
  const found = yield* sessionOf({
    process: started.process,
    output: outputPath(started.launchId),
    folder: git.folder,
    since: assignment.askedAt,
    // Its output names the session. The prompt is in no log, and so nothing is told by it.
    asked: () => false
  })
  const sessionId = Option.getOrUndefined(Option.filter(found, (id) => Result.isSuccess(parseSessionId(id))))
  if (sessionId === undefined) return assignment
  const run = yield* ref.dispatch({ _tag: "ReportSession", token: assignment.token, sessionId })
  return assignmentOf(run, assignment.token) ?? assignment
})

/** How often an agent at work is asked for its session. Some have none before their first answer. */
const reportInterval = Schedule.spaced("2 seconds")

/** Looks for the session of an agent until it is known, beside another effect. Ends with that effect. */
export const whileReporting =
  (assignment: Assignment, started: RunningLaunch) =>
  <A, E, R>(works: Effect.Effect<A, E, R>) => {
    const reports = Effect.repeat(untraced(reportSession(assignment, started)), {
      schedule: reportInterval,
      until: ({ sessionId }) => isSessionKnown(sessionId)
    })
    return Effect.raceFirst(works, Effect.andThen(reports, Effect.never))
  }
