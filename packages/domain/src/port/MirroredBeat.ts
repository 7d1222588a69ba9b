import { Beats } from "@souffleur/eventlog"
import { Clock, Effect } from "effect"
import { Comms } from "./Comms.ts"

/**
 * A role of a watch says that it lives: in our own store first, since a locked comms must not look like a dead
 * watchdog, then in the row of comms, which is its mirror (spec: behaviour#beats). Whether comms took it.
 */
export const beatMirrored = Effect.fn("Beats.beatMirrored")(function* (watch: string, by: string) {
  const at = yield* Clock.currentTimeMillis
  const beats = yield* Beats
  const comms = yield* Comms
  yield* beats.beat(watch, { by, at })
  return yield* comms.beat(at).pipe(
    Effect.as(true),
    Effect.catchTag("CommsUnavailable", (error) =>
      Effect.as(Effect.logDebug("the beat is not mirrored", error.reason), false)
    )
  )
})
