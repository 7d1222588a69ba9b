import type { ConversationPart } from "@souffleur/embed"
import { Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { html } from "../Html.ts"
import type { FeedEvent } from "../LiveFeed.ts"
import { framed, idInPath, numberOf, type PageWorld, queried, stateEvery, withFailures } from "../PageWorld.ts"
import { needsYou, stateNow } from "../view/StateBadge.ts"
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

const show = Effect.fnUntraced(function* (world: PageWorld) {
  const { links, souffleur } = world
  const word = yield* queried
  const found = yield* souffleur.find(yield* idInPath)
  const [session, before] = [numberOf(word("session")), byteOf(word("before"))]
  const part = yield* souffleur.conversation(found.id, {
    ...(session === undefined ? {} : { session: session - 1 }),
    ...(before === undefined ? {} : { place: { before } })
  })
  const seen = yield* world.seen
  const status = yield* souffleur.status(found)
  const address = viewAddress(links, found.id, "conversation")
  const main = Option.match(part, {
    onNone: () => noConversation("There is no session file that can be read. Reload once its agent has begun."),
    onSome: (part) =>
      conversationPart({ part, address, project: found.watch.project, past: before !== undefined }, seen)
  })
  // What is said now comes to the page that shows the newest part alone.
  const { sessionId, sessions } = found.watch
  const live = Option.filter(part, (one) => before === undefined && sessions[one.session] === sessionId)
  return framed(
    {
      title: `${found.id}: conversation · souffleur`,
      needs: Number(needsYou(status)),
      live: Option.getOrNull(Option.map(live, (one) => `${address}/live?from=${placeAfter(one)}`)),
      main: html`${watchHead(found, "conversation", links)} ${stateNow(status)} ${main}`
    },
    world
  )
})

const follow = Effect.fnUntraced(function* (world: PageWorld) {
  const { souffleur } = world
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const found = yield* souffleur.find(yield* idInPath)
  const from = placeOf(headers["last-event-id"] ?? "") ?? placeOf((yield* queried)("from"))
  if (from === undefined) return yield* world.feed(Stream.succeed({ event: "over" }))
  const said = souffleur.conversationNews(found.id, from).pipe(
    Stream.mapAccumEffect(
      () => ({ session: from.session, to: from.after }),
      Effect.fnUntraced(function* (before, part) {
        const begins =
          part.session === before.session ? part.from > before.to && partIsLeftOut(part) : sessionBegins(part)
        const data = [...(begins === false ? [] : [begins]), ...saidItems(part, found.watch.project, yield* world.seen)]
        const event: FeedEvent = { event: "said", id: placeAfter(part), data }
        return [part, [event]] as const
      })
    ),
    Stream.concat(Stream.succeed<FeedEvent>({ event: "over" }))
  )
  const state = Effect.gen(function* () {
    const data = stateNow(yield* souffleur.status(yield* souffleur.find(found.id)))
    return { event: "part", name: "state", data } satisfies FeedEvent
  })
  const moving = Stream.mapEffect(Stream.tick(stateEvery), () => state)
  return yield* world.feed(Stream.merge(said, moving, { haltStrategy: "left" }))
})

/** Returns the routes of the conversation of one watch. */
export const conversationPages = (world: PageWorld) => {
  const failing = withFailures(world)
  return [
    HttpRouter.route("GET", "/watches/:id/conversation", failing(show(world))),
    HttpRouter.route("GET", "/watches/:id/conversation/live", failing(follow(world)))
  ] as const
}
