import { EventLog, type WatchEvent } from "@souffleur/domain"
import { Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { settle } from "./FakeTime.ts"

/** Reads the events of a watch so far, in their order. Fails with the error of the log. */
export const eventsOf = Effect.fn("eventsOf")(function* (watch: string) {
  const log = yield* EventLog
  const recorded = yield* log.read(watch, 0)
  return recorded.map(({ event }) => event)
})

/**
 * Moves time second by second until a watch gets its next event with that tag, and returns the event. After `within`
 * (an hour by default) the test dies, naming the events that came instead.
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
  const before = (yield* eventsOf(watch)).length
  const seconds = Math.ceil(Duration.toSeconds(within))
  yield* settle
  for (let second = 0; ; second++) {
    const since = (yield* eventsOf(watch)).slice(before)
    const found = Option.fromUndefinedOr(since.find((event): event is Found => event._tag === tag))
    if (Option.isSome(found)) return found.value
    if (second >= seconds)
      return yield* Effect.die(
        new Error(`no ${tag} within ${seconds} s, but ${since.map(({ _tag }) => _tag).join(", ") || "no event"}`)
      )
    yield* TestClock.adjust("1 second")
  }
})
