import { Agent, lookAtLogin, sleepUntil, untraced } from "@souffleur/domain"
import { Effect, Schedule, Stream } from "effect"
import { assignedAgent } from "./agent/AssignedAgent.ts"
import { PlanContext } from "./PlanContext.ts"
import type { Run } from "./run/Run.ts"
import { isPersons } from "./run/RunFields.ts"
import { RunLog, streamOf } from "./run/RunLog.ts"

/** Waits for any new event of a run. */
export const changed = Effect.fnUntraced(function* ({ revision }: Run) {
  const log = yield* RunLog
  const { ref } = yield* PlanContext
  yield* Stream.runDrain(Stream.take(log.changes(streamOf(ref.id), revision), 1))
})

/** How often the file of the login that the service refused is looked at, and how often its agent is asked. */
const [writtenInterval, saidInterval] = [Schedule.spaced("10 seconds"), Schedule.spaced("5 minutes")]

/** Waits until the login that the service refused is renewed. */
const loginRenewed = Effect.fnUntraced(function* (wait: NonNullable<Run["wait"]>) {
  if (!isPersons(wait.kind)) return yield* Effect.never
  const { said, writtenSince } = yield* Effect.provideService(
    lookAtLogin(wait.sessionId),
    Agent,
    yield* assignedAgent(wait)
  )
  const until = (isRenewed: boolean) => isRenewed
  yield* Effect.raceFirst(
    Effect.repeat(untraced(writtenSince(wait.since)), { schedule: writtenInterval, until }),
    Effect.repeat(untraced(said), { schedule: saidInterval, until })
  )
})

/** Waits until agents may be asked again: by time, by a login, or by a person's word. */
export const waitedOut = Effect.fnUntraced(function* (run: Run, wait: NonNullable<Run["wait"]>) {
  const { ref } = yield* PlanContext
  const over = yield* Effect.raceAllFirst([
    Effect.as(sleepUntil(wait), { renewed: false }),
    Effect.as(loginRenewed(wait), { renewed: true }),
    Effect.as(changed(run), undefined)
  ])
  return over === undefined ? yield* ref.state : yield* ref.dispatch({ _tag: "EndWait", ...over })
})
