import { Deferred, Effect } from "effect"
import type { Carries, ProcessSource, Stat } from "./ProcessSource.ts"

/** All processes at one moment. */
interface Look {
  readonly table: ReadonlyMap<number, Stat>
  readonly carries: Carries
}

/**
 * Makes a look at all processes that everyone shares who asks in the same turn of the loop. It comes after each of them
 * has asked, so that it is as fresh as a look of one's own.
 */
export const makeSharedLook = (source: Pick<ProcessSource, "environments" | "table">): Effect.Effect<Look> => {
  let coming: Deferred.Deferred<Look> | undefined
  const look = Effect.sync((): Look => {
    coming = undefined
    return { table: source.table(), carries: source.environments() }
  })
  return Effect.suspend(() => {
    if (coming !== undefined) return Deferred.await(coming)
    const asked = Deferred.makeUnsafe<Look>()
    coming = asked
    // A fiber of its own: whoever asked first may be interrupted.
    const answer = Effect.flatMap(Effect.exit(Effect.andThen(Effect.yieldNow, look)), (exit) =>
      Deferred.done(asked, exit)
    )
    return Effect.andThen(Effect.forkDetach(answer), Deferred.await(asked))
  })
}
