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

/** Waits until a person stops the run with its agent at work. */
export const untilStopped = Effect.fnUntraced(function* () {
  const { ref } = yield* PlanContext
  for (;;) {
    const run = yield* ref.state
    if (run.stop?.now === true) return
    yield* changed(run)
  }
})

/** How often the login that the service refused is looked at. */
const loginInterval = Schedule.spaced("10 seconds")

/** Waits until the login that the service refused is renewed. */
const loginRenewed = Effect.fnUntraced(function* ({ kind, since, ...refused }: NonNullable<Run["wait"]>) {
  if (!isPersons(kind)) return yield* Effect.never
  const look = yield* Effect.provideService(lookAtLogin(refused.sessionId), Agent, yield* assignedAgent(refused))
  yield* Effect.repeat(untraced(look(since)), { schedule: loginInterval, until: (isRenewed) => isRenewed })
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
