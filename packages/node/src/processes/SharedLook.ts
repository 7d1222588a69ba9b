import { Effect, Exit } from "effect"
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
  let waiting: Array<(look: Exit.Exit<Look>) => void> = []
  const look = () => {
    const all = waiting
    waiting = []
    let found: Exit.Exit<Look>
    try {
      found = Exit.succeed({ table: source.table(), carries: source.environments() })
    } catch (error) {
      found = Exit.die(error)
    }
    for (const resume of all) resume(found)
  }
  return Effect.callback<Look>((resume) => {
    if (waiting.push(resume) === 1) setImmediate(look)
  })
}
