import { Beats } from "@souffleur/eventlog"
import { Clock, Effect } from "effect"
import { Comms } from "./Comms.ts"

/**
 * Writes the beat of a role, and returns whether comms took it. souffleur's own store comes first, since a locked comms
 * must not look like a dead watchdog. The row in comms is a mirror (spec: behaviour#beats).
 */
export const beatMirrored = Effect.fnUntraced(function* (watch: string, by: string) {
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
