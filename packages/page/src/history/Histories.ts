import type { RecordedAs } from "@souffleur/eventlog"
import type { RunEvent } from "@souffleur/plan"
import { Cache, Effect, Ref } from "effect"

/** Runs whose events are kept between two looks, and how long after the first look. */
const [kept, keptFor] = [8, "1 hour"] as const

type Events = ReadonlyArray<RecordedAs<RunEvent>>

/** Makes a thing of all events of a run once, until more of them come. Its readers share it. */
export const madeOnce = <A>(make: (events: Events) => A) => {
  const made = new WeakMap<Events, A>()
  return (events: Events): A => {
    const known = made.get(events) ?? make(events)
    made.set(events, known)
    return known
  }
}

/** Reads all events of a run by its id; {@link makeHistories} makes it. */
export type Histories<E> = (id: string) => Effect.Effect<Events, E>

/**
 * Makes the reading of all events of a run. Its readers share it, and a further look reads only what is new. Without
 * news it returns the same array. Fails as `planHistory` does.
 */
export const makeHistories = Effect.fnUntraced(function* <E>(source: {
  readonly planHistory: (id: string, from: { readonly after: number }) => Effect.Effect<Events, E>
}) {
  const known = yield* Cache.make<string, Ref.Ref<Events>>({
    capacity: kept,
    timeToLive: keptFor,
    lookup: () => Ref.make<Events>([])
  })
  const histories: Histories<E> = Effect.fnUntraced(function* (id) {
    const events = yield* Cache.get(known, id)
    const before = yield* Ref.get(events)
    const fresh = yield* source.planHistory(id, { after: before.length })
    return yield* Ref.updateAndGet(events, (now) => {
      // Another reader may have read the same meanwhile.
      const news = fresh.filter(({ revision }) => revision > now.length)
      return news.length === 0 ? now : [...now, ...news]
    })
  })
  return histories
})
