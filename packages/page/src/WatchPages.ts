import { describeEvent, FleetWord, type Recorded } from "@souffleur/domain"
import { type NamedWatch, type PartsError, type ReadFailed, watchTimeline } from "@souffleur/embed"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type Html, written } from "./Html.ts"
import { type FeedEvent, type Feeds, type MovingPart, neededBy } from "./LiveFeed.ts"
import { posted, refusal } from "./PageGate.ts"
import {
  framed,
  goesOnAfter,
  stateEvery,
  idInPath,
  numberOf,
  type PageWorld,
  queried,
  withFailures
} from "./PageWorld.ts"
import { bounds, watchAt } from "./history/Excerpt.ts"
import type { Excerpts } from "./history/Excerpts.ts"
import { eventItem, whyPart } from "./view/EventItems.ts"
import type { JobLinks } from "./view/Links.ts"
import { needsYou } from "./view/StateBadge.ts"
import type { Seen } from "./view/Seen.ts"
import { musiciansPart, todoPart } from "./view/TodoPart.ts"
import { useChart } from "./view/UseChart.ts"
import { actsPart, watchActs } from "./view/WatchActs.ts"
import {
  eventsHead,
  eventsOnPage,
  historyPart,
  statePart,
  statesOf,
  thenPart,
  watchPage,
  watchView
} from "./view/WatchPage.ts"
import { watchHead } from "./shown/WatchTabs.ts"

/** A watch as its page asks for it: of this host, or of the copy that a hub has. */
export interface WatchSight<E> {
  readonly links: JobLinks
  readonly seen: Effect.Effect<Seen>
  readonly feed: Feeds
  readonly find: (name: string) => Effect.Effect<NamedWatch, E>
  readonly excerpts: Excerpts<E>
  /** Follows the events after a revision, to the end of the watch. */
  readonly events: (id: string, from: { readonly after: number }) => Stream.Stream<Recorded, E>
  readonly head: (found: NamedWatch) => Html
  /** Returns the parts that move without an event. */
  readonly moving: (found: NamedWatch) => Effect.Effect<ReadonlyArray<MovingPart>, E>
}

/** Answers with the page of a watch. */
export const showWatch = Effect.fnUntraced(function* <E>(sight: WatchSight<E>) {
  const { excerpts, links, seen } = sight
  const word = yield* queried
  const found = yield* sight.find(yield* idInPath)
  const [at, before] = [numberOf(word("at")), numberOf(word("before"))]
  const drawn = yield* excerpts(found.id, at)
  const shown = {
    head: sight.head(found),
    moving: yield* sight.moving(found),
    drawn,
    past: at === undefined ? null : watchAt(drawn, at),
    listed: yield* excerpts(found.id, before),
    below: before ?? null,
    all: word("events") === "all"
  }
  const query = new URLSearchParams({ after: String(drawn.last), events: word("events"), at: word("at") })
  // The newest events come to the page that shows them alone.
  const live = shown.below === null ? `${links.watch(found.id)}/live?${query}` : null
  const main = watchPage(shown, links, yield* seen)
  return framed({ title: `${found.id} · souffleur`, needs: neededBy(shown.moving), live, main }, sight)
})

/** Answers with the states at all revisions of the drawing around a revision, so that the slider moves at once. */
export const showStates = Effect.fnUntraced(function* <E>({ excerpts, find, seen }: WatchSight<E>) {
  const { id } = yield* find(yield* idInPath)
  const drawn = yield* excerpts(id, numberOf((yield* queried)("around")))
  return HttpServerResponse.jsonUnsafe(statesOf(drawn, yield* seen))
})

/** Answers with the state at the revision that the slider names, in the drawing around the revision of the page. */
export const showThen = Effect.fnUntraced(function* <E>({ excerpts, find, seen }: WatchSight<E>) {
  const word = yield* queried
  const at = numberOf(word("at")) ?? 1
  const { id } = yield* find(yield* idInPath)
  const near = yield* excerpts(id, numberOf(word("around")) ?? at)
  const [first, end] = bounds(near)
  const drawn = first <= at && at <= end ? near : yield* excerpts(id, at)
  return HttpServerResponse.html(written(thenPart({ drawn, past: watchAt(drawn, at) }, yield* seen)))
})

/** Follows a watch from the last event that the page knows. */
export const followWatch = Effect.fnUntraced(function* <E>(sight: WatchSight<E>) {
  const { events, excerpts, feed, find, links, seen } = sight
  const word = yield* queried
  const { id, watch } = yield* find(yield* idInPath)
  const after = yield* goesOnAfter(watch.revision)
  const moving = Effect.flatMap(find(id), sight.moving)
  const feedOf = Effect.fnUntraced(function* (fresh: ReadonlyArray<Recorded>) {
    const newest = yield* excerpts(id)
    const now = yield* seen
    const view = watchView(newest, links, now)
    const all = word("events") === "all"
    const wanted = fresh.filter(({ event }) => all || describeEvent(event).severity !== "detail")
    const last = [...view.reasons.values()].findLast(({ recorded }) => recorded.revision < fresh[0]!.revision)
    const parts: ReadonlyArray<FeedEvent> =
      last === undefined ? [] : [{ event: "part", name: `why-${last.recorded.revision}`, data: whyPart(last, view) }]
    const rows: FeedEvent = {
      event: "rows",
      id: String(fresh.at(-1)!.revision),
      data: wanted.map((one) => eventItem(one, view, now))
    }
    const data = historyPart({ drawn: newest, past: null }, links, now)
    const history: FeedEvent = { event: "part", name: "history", data }
    const head: FeedEvent = { event: "part", name: "events-head", data: eventsHead(newest, { all }, links) }
    return [rows, head, ...parts, ...(yield* moving), ...(word("at") === "" ? [history] : [])]
  })
  const fresh = events(id, { after }).pipe(
    Stream.groupedWithin(eventsOnPage, "200 millis"),
    Stream.mapEffect(feedOf),
    Stream.flattenIterable,
    Stream.concat(Stream.fromIterableEffect(moving)),
    Stream.concat(Stream.succeed<FeedEvent>({ event: "over" }))
  )
  const over = watch.phase === "Exited" && after >= watch.revision
  return yield* feed(
    over
      ? Stream.succeed({ event: "over" })
      : Stream.merge(
          fresh,
          Stream.tick(stateEvery).pipe(
            Stream.mapEffect(() => moving),
            Stream.flattenIterable
          ),
          { haltStrategy: "left" }
        )
  )
})

/** Sends the last export of a watch, piece by piece. It holds the conversation, so it is no page. */
const download = Effect.fnUntraced(function* ({ souffleur }: PageWorld) {
  const { id, watch } = yield* souffleur.find(yield* idInPath)
  if (watch.lastExport === null) return refusal(404, "There is no export.")
  const file = yield* (yield* TrustedFiles).open(watch.lastExport, { own: true, others: "nothing" })
  return HttpServerResponse.stream(piecesOf(file), {
    contentType: "text/markdown; charset=utf-8",
    headers: { "content-disposition": `attachment; filename="${id.replaceAll(/[^\w.-]/gu, "_")}.md"` }
  })
})

/** Says a word of a person about a watch, as the command does, and shows the watch again. */
const say = (world: PageWorld, how: FleetWord) =>
  posted(world.gate)(() =>
    Effect.gen(function* () {
      const { id } = yield* world.souffleur.find(yield* idInPath)
      yield* world.souffleur[how](id)
      return HttpServerResponse.redirect(world.links.watch(id), { status: 303 })
    })
  )

/** Returns how this host shows its watches. */
const sightOf = ({
  excerpts,
  feed,
  gate,
  links,
  pasts,
  seen,
  souffleur
}: PageWorld): WatchSight<ReadFailed | PartsError> => ({
  links,
  seen,
  feed,
  excerpts,
  find: souffleur.find,
  events: souffleur.events,
  head: (found) => watchHead(found, "", links),
  moving: Effect.fnUntraced(function* (found) {
    const { id, watch } = found
    const past = watch.kind === "agent" ? yield* pasts({ id, sessionId: watch.sessionId }) : null
    const drawn = yield* excerpts(id)
    const now = yield* seen
    const timeline = watchTimeline(drawn.events, now.now, drawn.before)
    const form = { address: links.watch(found.id), hidden: { secret: gate.secrets.form } }
    const status = yield* souffleur.status(found)
    return [
      { event: "part", name: "state", data: statePart(status, now), needs: needsYou(status.job) },
      { event: "part", name: "acts", data: actsPart(gate.acts ? watchActs(found.watch, form) : []) },
      { event: "part", name: "musicians", data: musiciansPart(status.tasks) },
      { event: "part", name: "todos", data: todoPart(past?.todos ?? null) },
      { event: "part", name: "use", data: useChart(past?.points ?? [], timeline, now) }
    ]
  })
})

/** Returns the routes of one watch. */
export const watchPages = (world: PageWorld) => {
  const sight = sightOf(world)
  const failing = withFailures(world)
  return [
    HttpRouter.route("GET", "/watches/:id", failing(showWatch(sight))),
    HttpRouter.route("GET", "/watches/:id/then", failing(showThen(sight))),
    HttpRouter.route("GET", "/watches/:id/states", failing(showStates(sight))),
    HttpRouter.route("GET", "/watches/:id/live", failing(followWatch(sight))),
    ...FleetWord.literals.map((word) => HttpRouter.route("POST", `/watches/:id/${word}`, failing(say(world, word)))),
    HttpRouter.route("GET", "/watches/:id/export", failing(download(world)))
  ] as const
}
