import { type Audience, type Hindrance, isHindrance, outcry } from "@souffleur/plan"
import { Effect, Ref, Schedule } from "effect"
import { remark } from "../Remark.ts"

/** The time between two tries to resume a run. */
const again = Schedule.spaced("2 seconds")

/**
 * Begins a run once that is possible. Under a watch an end would only lead to another start. So a hindrance is told
 * once, and waited for.
 */
export const oncePossible = Effect.fnUntraced(function* <A, E, R>(
  id: string,
  audience: Audience,
  begins: Effect.Effect<A, E, R>
) {
  const said = yield* Ref.make(false)
  const tell = (error: Hindrance) =>
    Effect.andThen(
      remark("info", `run ${id} cannot go on: ${error.message}; it waits for that`),
      outcry(id, audience, error.message)
    )
  return yield* begins.pipe(
    Effect.tapError((error) =>
      isHindrance(error)
        ? Effect.flatMap(Ref.getAndSet(said, true), (before) => (before ? Effect.void : tell(error)))
        : Effect.void
    ),
    Effect.retry({ while: isHindrance, schedule: again })
  )
})
