import { digestOf } from "@souffleur/domain"
import { Effect } from "effect"
import type { FleetEvent, LogMark } from "./FleetEvent.ts"

/** The mark before the first event of a log. */
export const noMark: LogMark = { position: 0, digest: "0".repeat(64) }

/**
 * Returns the mark after more events of a log. Each digest holds the one before it and the whole event. So two logs
 * with the same digest have the same events (spec: fleet#chain).
 */
export const markAfter = (mark: LogMark, events: ReadonlyArray<FleetEvent>): Effect.Effect<LogMark> =>
  Effect.reduce(
    events,
    () => mark,
    ({ digest }, event) =>
      Effect.map(digestOf(`${digest}${JSON.stringify(event)}`), (digest) => ({ position: event[0], digest }))
  )
