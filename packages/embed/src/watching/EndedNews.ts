import { Cursor } from "@souffleur/eventlog"
import { Effect } from "effect"
import { endedWatches } from "./FindWatch.ts"

/** The most ended watches whose news are told. The others are counted. */
const maxEnded = 20

/** Returns the mark of a person's last look at a watch. */
export const lookedMark = (id: string) => `${id}/looked`

/** Returns those of the last ended watches that have news for a person, oldest first. `more` counts the other ones. */
export const endedNews = Effect.gen(function* () {
  const marks = yield* Cursor
  const { count, last } = yield* endedWatches(maxEnded)
  const ended = yield* Effect.filter(last, ({ id, watch }) =>
    Effect.map(marks.position(lookedMark(id)), (told) => told < watch.revision)
  )
  return { ended: ended.toReversed(), more: count - ended.length }
})
