import { Claims } from "@souffleur/domain"
import { Effect, FileSystem, Ref } from "effect"
import { remark } from "../Remark.ts"
import { unfinishedWatches } from "./FindWatch.ts"

/**
 * Returns whether a live souffleur watches a Conductor through this comms.db, so that the row `task-00` is that
 * Conductor's. A conductor of a plan would otherwise beat for it, or end its watch with the word complete. Each watch
 * is reported once. `true` too if the log cannot be read: the row is left alone.
 */
export const watchedElsewhere = Effect.fn("watchedElsewhere")(function* (comms: string) {
  const fs = yield* FileSystem.FileSystem
  const claims = yield* Claims
  const said = yield* Ref.make<ReadonlyArray<string>>([])
  const real = (path: string) => Effect.orElseSucceed(fs.realPath(path), () => path)
  const file = yield* real(comms)
  return Effect.gen(function* () {
    const others = yield* Effect.filter(yield* unfinishedWatches, ({ watch }) =>
      Effect.gen(function* () {
        if (watch.comms === null || watch.owner === undefined) return false
        return (yield* real(watch.comms)) === file && !(yield* claims.isDead(watch.owner))
      })
    )
    const known = yield* Ref.getAndSet(
      said,
      others.map(({ id }) => id)
    )
    for (const { id } of others)
      if (!known.includes(id))
        yield* remark("info", `watch ${id} follows a Conductor by ${file}: its row task-00 is left alone`)
    return others.length > 0
  }).pipe(Effect.orElseSucceed(() => true))
})
