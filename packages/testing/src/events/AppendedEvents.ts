import { EventLog, type WatchEvent } from "@souffleur/domain"
import { Duration, Effect, Stream } from "effect"
import { passesUntil } from "../FakeTime.ts"

/** Reads the events of a watch so far, in their order. Fails with the error of the log. */
export const eventsOf = Effect.fn("eventsOf")(function* (watch: string) {
  const log = yield* EventLog
  const recorded = yield* log.read(watch, 0)
  return recorded.map(({ event }) => event)
})

/**
 * Moves time on, with everything that is due in it, to the moment at which a watch gets its next event with that tag,
 * and returns the event. After `within` (an hour by default) the test dies, naming the events that came instead.
 *
 * @example
 * ```ts
 * import { untilEvent } from "@souffleur/testing"
 * import { Effect } from "effect"
 *
 * const successor = Effect.gen(function* () {
 *   const { conductor, provider } = yield* untilEvent("remindly-3f2a", "ConductorRelaunched", { within: "5 minutes" })
 *   return `${provider} launched process ${conductor?.pid}`
 * })
 * ```
 */
export const untilEvent = Effect.fn("untilEvent")(function* <Tag extends WatchEvent["_tag"]>(
  watch: string,
  tag: Tag,
  { within = "1 hour" }: { readonly within?: Duration.Input } = {}
) {
  type Found = Extract<WatchEvent, { readonly _tag: Tag }>
  const isFound = (event: WatchEvent): event is Found => event._tag === tag
  const log = yield* EventLog
  const before = (yield* eventsOf(watch)).length
  const comes = Stream.runHead(Stream.filter(log.changes(watch, before), ({ event }) => isFound(event)))
  yield* passesUntil(comes, within)
  const since = (yield* eventsOf(watch)).slice(before)
  return (
    since.find(isFound) ??
    (yield* Effect.die(
      new Error(
        `no ${tag} within ${Duration.toSeconds(within)} s, but ${since.map(({ _tag }) => _tag).join(", ") || "no event"}`
      )
    ))
  )
})
