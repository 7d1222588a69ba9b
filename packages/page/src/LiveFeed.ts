import { Effect, Ref, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import { type Html, html, written } from "./Html.ts"
import { refusal } from "./PageGate.ts"

/** Feeds that are open at once. A browser has one for each open page. */
const maxFeeds = 64
/** Of these, the ones of one person of a fleet: the others keep theirs. */
const maxFeedsOfOne = 16

/** The interval of a sign of life, in which a dead connection shows. A server drops a reader that takes none. */
const signEvery = "15 seconds"

/** Something that a feed sends. A browser gives the newest `id` back when it comes again. */
export type FeedEvent =
  /** It takes the place of the part with this name, which is the `id` of its element. */
  | {
      readonly event: "part"
      readonly name: string
      readonly data: Html
      /** True if it says that a person is needed. Absent: it does not. */
      readonly needs?: boolean
    }
  /** These rows come first in the list, the last one above. */
  | { readonly event: "rows"; readonly id: string; readonly data: ReadonlyArray<Html> }
  /** These come last in the conversation, the last one below. */
  | { readonly event: "said"; readonly id: string; readonly data: ReadonlyArray<Html> }
  /** Nothing follows. */
  | { readonly event: "over" }

/** A part of a page that moves. */
export type MovingPart = Extract<FeedEvent, { readonly event: "part" }>

/** Returns how many of these parts say that a person is needed. */
export const neededBy = (parts: ReadonlyArray<MovingPart>): number => parts.filter(({ needs }) => needs === true).length

/** Writes an event as a browser reads it. */
export const sent = (one: FeedEvent): string =>
  Sse.encoder.write({
    _tag: "Event",
    id: "id" in one ? one.id : undefined,
    event: one.event,
    data: "data" in one ? written(html`${one.data}`) : "over"
  })

/** How long ago something was: a browser tells that itself as the time goes on. */
const agoWords = /(<time [^>]*\bdata-ago\b[^>]*>)[^<]*/gu

/** Leaves out a part that is as it was. */
const changed = <E>(events: Stream.Stream<FeedEvent, E>): Stream.Stream<FeedEvent, E> =>
  Stream.suspend(() => {
    const parts = new Map<string, string>()
    return Stream.filter(events, (one) => {
      if (one.event !== "part") return true
      const now = written(one.data).replaceAll(agoWords, "$1")
      const before = parts.get(one.name)
      parts.set(one.name, now)
      return now !== before
    })
  })

/** Makes the answers that follow something, and counts them. */
export const makeFeeds = Effect.gen(function* () {
  const open = yield* Ref.make<ReadonlyArray<string | undefined>>([])
  const counted = (person: string | undefined) =>
    Effect.acquireRelease(
      Ref.update(open, (people) => [...people, person]),
      () => Ref.update(open, (people) => people.toSpliced(people.indexOf(person), 1))
    )
  /**
   * Answers with a feed, or refuses one too many. A feed that fails ends, and its browser asks again.
   * `person`: who reads in a fleet. A host's own page has one person alone.
   */
  return Effect.fnUntraced(function* <E>(events: Stream.Stream<FeedEvent, E>, person?: string) {
    const people = yield* Ref.get(open)
    if (people.length >= maxFeeds) return refusal(503, "Too many pages are open.")
    if (person !== undefined && people.filter((one) => one === person).length >= maxFeedsOfOne)
      return refusal(503, `You have ${maxFeedsOfOne} pages open. Close one.`)
    const signs = Stream.map(Stream.tick(signEvery), () => ": here\n\n")
    const lines = changed(events).pipe(
      Stream.map(sent),
      Stream.merge(signs, { haltStrategy: "left" }),
      Stream.encodeText,
      Stream.catchCause(() => Stream.empty)
    )
    return HttpServerResponse.stream(Stream.unwrap(Effect.as(counted(person), lines)), {
      contentType: "text/event-stream"
    })
  })
})
/** The live feeds of all open pages. */
export type Feeds = Effect.Success<typeof makeFeeds>
