import type { SessionPast } from "@souffleur/domain"
import { Cache, Effect, Option } from "effect"

/** Sessions that are known between two looks, and how long after the first look. */
const [kept, keptFor] = [8, "1 hour"] as const
/** The time in which readers share one look. It is shorter than the time between two of one reader. */
const shared = "3 seconds"
/** Bytes of the first look at a session, and of each further one. */
const [first, further] = [16 << 20, 1 << 20] as const

/** Reads the past of the session that a watch has now; `null`: there is none. {@link makePasts} makes it. */
export type Pasts<E> = (watch: {
  readonly id: string
  readonly sessionId: string
}) => Effect.Effect<SessionPast | null, E>

const joined = (before: SessionPast, { points, todos }: SessionPast): SessionPast => {
  const since = points.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  return { points: [...before.points.filter(({ at }) => at < since), ...points], todos: todos ?? before.todos }
}

/** Makes the reading of pasts. Readers share it, and a further look reads the end of the session file alone. */
export const makePasts = Effect.fnUntraced(function* <E>(source: {
  readonly past: (id: string, bytes: number) => Effect.Effect<Option.Option<SessionPast>, E>
}) {
  const sessions = yield* Cache.make({
    capacity: kept,
    timeToLive: keptFor,
    lookup: Effect.fnUntraced(function* ({ id }: Parameters<Pasts<E>>[0]) {
      let before: SessionPast | null = null
      const look = Effect.gen(function* () {
        const found = Option.getOrNull(yield* source.past(id, before === null ? first : further))
        // An agent that tells its list change by change tells the rest of it further up.
        const isPart = before?.todos != null && found?.todos != null && found.todos.length < before.todos.length
        const fresh = isPart ? Option.getOrNull(yield* source.past(id, first)) : found
        before = before === null || fresh === null ? (fresh ?? before) : joined(before, fresh)
        return before
      })
      return yield* Effect.cachedWithTTL(look, shared)
    })
  })
  const read: Pasts<E> = Effect.fn("Pasts.read")(function* (watch) {
    return yield* yield* Cache.get(sessions, watch)
  })
  return read
})
