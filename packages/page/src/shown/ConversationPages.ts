import type { ConversationAsked, ConversationPart } from "@souffleur/embed"
import { Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type Html, html } from "../Html.ts"
import type { FeedEvent } from "../LiveFeed.ts"
import { framed, idInPath, numberOf, type PageWorld, queried, stateEvery, withFailures } from "../PageWorld.ts"
import { needsYou, type StandingNow, stateNow } from "../view/StateBadge.ts"
import { conversationPart, noConversation, partIsLeftOut, sessionBegins } from "./ConversationPage.ts"
import { saidItems } from "./SaidItems.ts"
import { viewAddress, watchHead } from "./WatchTabs.ts"

/** Reads a place of a session file, in bytes. */
const byteOf = (word: string): number | undefined => (/^\d{1,15}$/u.test(word) ? Number(word) : undefined)

/** Writes the place after a part, and reads it again. */
const placeAfter = ({ session, to }: Pick<ConversationPart, "session" | "to">) => `${session}-${to}`
const placeOf = (word: string) => {
  const [, session, after] = /^(\d{1,6})-(\d{1,15})$/u.exec(word) ?? []
  return session === undefined ? undefined : { session: Number(session), after: Number(after) }
}

/** A conversation as its page asks for it. */
export interface SaidView<E> {
  /** The name of its page. */
  readonly title: string
  readonly head: Html
  readonly address: string
  /** The folder of its agent. */
  readonly project: string
  /** The state of its job now. */
  readonly state: Effect.Effect<StandingNow, E>
  readonly part: (asked: ConversationAsked) => Effect.Effect<Option.Option<ConversationPart>, E>
  /** Whether something may be said yet in the session of a part. */
  readonly isOpen: (part: ConversationPart) => boolean
  /** Streams what is said after a place, to its end. */
  readonly news: (from: { readonly session: number; readonly after: number }) => Stream.Stream<ConversationPart, E>
}

/** Answers with a part of a conversation. */
export const showSaid = Effect.fnUntraced(function* <E>(world: PageWorld, spoken: SaidView<E>) {
  const word = yield* queried
  const { address, head, project, title } = spoken
  const [session, before] = [numberOf(word("session")), byteOf(word("before"))]
  const part = yield* spoken.part({
    ...(session === undefined ? {} : { session: session - 1 }),
    ...(before === undefined ? {} : { place: { before } })
  })
  const seen = yield* world.seen
  const state = yield* spoken.state
  const main = Option.match(part, {
    onNone: () => noConversation("There is no session file that can be read. Reload once its agent has begun."),
    onSome: (part) => conversationPart({ part, address, project, past: before !== undefined }, seen)
  })
  // What is said now comes to the page that shows the newest part alone.
  const live = Option.filter(part, (one) => before === undefined && spoken.isOpen(one))
  return framed(
    {
      title: `${title} · souffleur`,
      needs: Number(needsYou(state)),
      live: Option.getOrNull(Option.map(live, (one) => `${address}/live?from=${placeAfter(one)}`)),
      main: html`${head} ${stateNow(state)} ${main}`
    },
    world
  )
})

/** Follows a conversation from the place that the page has. */
export const followSaid = Effect.fnUntraced(function* <E>(world: PageWorld, spoken: SaidView<E>) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const from = placeOf(headers["last-event-id"] ?? "") ?? placeOf((yield* queried)("from"))
  if (from === undefined) return yield* world.feed(Stream.succeed({ event: "over" }))
  const said = spoken.news(from).pipe(
    Stream.mapAccumEffect(
      () => ({ session: from.session, to: from.after }),
      Effect.fnUntraced(function* (before, part) {
        const begins =
          part.session === before.session ? part.from > before.to && partIsLeftOut(part) : sessionBegins(part)
        const data = [...(begins === false ? [] : [begins]), ...saidItems(part, spoken.project, yield* world.seen)]
        const event: FeedEvent = { event: "said", id: placeAfter(part), data }
        return [part, [event]] as const
      })
    ),
    Stream.concat(Stream.succeed<FeedEvent>({ event: "over" }))
  )
  const state = Effect.map(spoken.state, (now): FeedEvent => ({ event: "part", name: "state", data: stateNow(now) }))
  const moving = Stream.mapEffect(Stream.tick(stateEvery), () => state)
  return yield* world.feed(Stream.merge(said, moving, { haltStrategy: "left" }))
})

const ofWatch = Effect.fnUntraced(function* ({ links, souffleur }: PageWorld) {
  const found = yield* souffleur.find(yield* idInPath)
  const { id, watch } = found
  return {
    title: `${id}: conversation`,
    head: watchHead(found, "conversation", links),
    address: viewAddress(links, id, "conversation"),
    project: watch.project,
    state: Effect.map(Effect.flatMap(souffleur.find(id), souffleur.status), ({ job }) => job),
    part: (asked: ConversationAsked) => souffleur.conversation(id, asked),
    isOpen: ({ session }: ConversationPart) => watch.sessions[session] === watch.sessionId,
    news: (from: { readonly session: number; readonly after: number }) => souffleur.conversationNews(id, from)
  }
})

/** Returns the routes of the conversation of one watch. */
export const conversationPages = (world: PageWorld) => {
  const failing = withFailures(world)
  const spoken = ofWatch(world)
  return [
    HttpRouter.route(
      "GET",
      "/watches/:id/conversation",
      failing(Effect.flatMap(spoken, (one) => showSaid(world, one)))
    ),
    HttpRouter.route(
      "GET",
      "/watches/:id/conversation/live",
      failing(Effect.flatMap(spoken, (one) => followSaid(world, one)))
    )
  ] as const
}
