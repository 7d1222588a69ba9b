import type { SessionPast } from "@souffleur/domain"
import { Cache, Effect, Option, Ref } from "effect"

/** Sessions that are known between two looks, and how long after the first look. */
const [kept, keptFor] = [8, "1 hour"] as const
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
  const sessions = yield* Cache.make<string, Ref.Ref<SessionPast | null>>({
    capacity: kept,
    timeToLive: keptFor,
    lookup: () => Ref.make<SessionPast | null>(null)
  })
  const read: Pasts<E> = Effect.fn("Pasts.read")(function* ({ id, sessionId }) {
    const ref = yield* Cache.get(sessions, `${id} ${sessionId}`)
    const before = yield* Ref.get(ref)
    const found = Option.getOrNull(yield* source.past(id, before === null ? first : further))
    // An agent that tells its list change by change tells the rest of it further up.
    const isPart = before?.todos != null && found?.todos != null && found.todos.length < before.todos.length
    const fresh = isPart ? Option.getOrNull(yield* source.past(id, first)) : found
    const now = before === null || fresh === null ? (fresh ?? before) : joined(before, fresh)
    yield* Ref.set(ref, now)
    return now
  })
  return read
})
