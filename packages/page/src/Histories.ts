import type { Souffleur } from "@souffleur/embed"
import type { Recorded } from "@souffleur/domain"
import { Cache, Effect, Ref } from "effect"

/** Watches whose events are kept between two looks, and how long after the first look. */
const [kept, keptFor] = [8, "5 minutes"] as const

/**
 * Makes the reading of all events of a watch. Its readers share it, and a further look reads only what is new. Fails as
 * `history` does.
 */
export const makeHistories = Effect.fnUntraced(function* (souffleur: Pick<Souffleur["Service"], "history">) {
  const known = yield* Cache.make<string, Ref.Ref<ReadonlyArray<Recorded>>>({
    capacity: kept,
    timeToLive: keptFor,
    lookup: () => Ref.make<ReadonlyArray<Recorded>>([])
  })
  return Effect.fnUntraced(function* (id: string) {
    const events = yield* Cache.get(known, id)
    const before = yield* Ref.get(events)
    const fresh = yield* souffleur.history(id, { after: before.length })
    // Another reader may have read the same meanwhile.
    return yield* Ref.updateAndGet(events, (now) => [...now, ...fresh.filter(({ revision }) => revision > now.length)])
  })
})
/** Reads all events of a watch by its id; {@link makeHistories} makes it. */
export type Histories = Effect.Success<ReturnType<typeof makeHistories>>
