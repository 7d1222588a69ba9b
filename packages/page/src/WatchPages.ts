import { describeEvent, evolve, type Recorded } from "@souffleur/domain"
import { reasonsOf } from "@souffleur/embed"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { written } from "./Html.ts"
import type { FeedEvent } from "./LiveFeed.ts"
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
import { bounds, type Excerpt } from "./history/Excerpt.ts"
import { eventItem, whyPart } from "./view/EventItems.ts"
import { eventsOnPage, historyPart, statePart, thenPart, watchPage, watchView } from "./view/WatchPage.ts"

/** Returns the watch as it was at a revision of an excerpt. */
const until = ({ before, events }: Excerpt, at: number) =>
  events.filter(({ revision }) => revision <= at).reduce((watch, { event }) => evolve(watch, event), before)

const page = Effect.fnUntraced(function* (world: PageWorld) {
  const { excerpts, gate, links, seen, souffleur } = world
  const word = yield* queried
  const found = yield* souffleur.find(yield* idInPath)
  const [at, before] = [numberOf(word("at")), numberOf(word("before"))]
  const drawn = yield* excerpts(found.id, at)
  const shown = {
    status: yield* souffleur.status(found),
    drawn,
    past: at === undefined ? null : until(drawn, at),
    listed: yield* excerpts(found.id, before),
    below: before ?? null,
    all: word("events") === "all",
    secret: gate.acts ? gate.secrets.form : null
  }
  const query = new URLSearchParams({ after: String(drawn.last), events: word("events"), at: word("at") })
  // The newest events come to the page that shows them alone.
  const live = shown.below === null ? `${links.watch(found.id)}/live?${query}` : null
  return framed({ title: `${found.id} · souffleur`, live, main: watchPage(shown, links, yield* seen) }, world)
})

/** Returns the state at the revision that the slider names, in the drawing around the revision that the page names. */
const then = Effect.fnUntraced(function* ({ excerpts, seen, souffleur }: PageWorld) {
  const word = yield* queried
  const at = numberOf(word("at")) ?? 1
  const { id } = yield* souffleur.find(yield* idInPath)
  const near = yield* excerpts(id, numberOf(word("around")) ?? at)
  const [first, end] = bounds(near)
  const drawn = first <= at && at <= end ? near : yield* excerpts(id, at)
  return HttpServerResponse.html(written(thenPart({ drawn, past: until(drawn, at) }, yield* seen)))
})

/** Follows a watch from the last event that the page knows. */
const follow = Effect.fnUntraced(function* ({ excerpts, feed, links, seen, souffleur }: PageWorld) {
  const word = yield* queried
  const { id, watch } = yield* souffleur.find(yield* idInPath)
  const after = yield* goesOnAfter(watch.revision)
  const state = Effect.gen(function* () {
    const status = yield* souffleur.status(yield* souffleur.find(id))
    return { event: "part", name: "state", data: statePart(status, yield* seen) } satisfies FeedEvent
  })
  const feedOf = Effect.fnUntraced(function* (fresh: ReadonlyArray<Recorded>) {
    const newest = yield* excerpts(id)
    const view = watchView(newest, links)
    const now = yield* seen
    const wanted = fresh.filter(({ event }) => word("events") === "all" || describeEvent(event).severity !== "detail")
    const last = reasonsOf(newest.events, newest.before).findLast(
      ({ recorded }) => recorded.revision < fresh[0]!.revision
    )
    const parts: ReadonlyArray<FeedEvent> =
      last === undefined
        ? []
        : [{ event: "part", name: `why-${last.recorded.revision}`, data: whyPart(last, view, now) }]
    const rows: FeedEvent = {
      event: "rows",
      id: String(fresh.at(-1)!.revision),
      data: wanted.map((one) => eventItem(one, view, now))
    }
    const data = historyPart({ drawn: newest, past: null }, links, now)
    const history: FeedEvent = { event: "part", name: "history", data }
    return [rows, ...parts, yield* state, ...(word("at") === "" ? [history] : [])]
  })
  const fresh = souffleur
    .events(id, { after })
    .pipe(
      Stream.groupedWithin(eventsOnPage, "200 millis"),
      Stream.mapEffect(feedOf),
      Stream.flattenIterable,
      Stream.concat(Stream.succeed<FeedEvent>({ event: "over" }))
    )
  const over = watch.phase === "Exited" && after >= watch.revision
  return yield* feed(
    over
      ? Stream.succeed({ event: "over" })
      : Stream.merge(
          fresh,
          Stream.mapEffect(Stream.tick(stateEvery), () => state),
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
const say = (world: PageWorld, how: "done" | "release" | "retry") =>
  posted(world.gate)(() =>
    Effect.gen(function* () {
      const { id } = yield* world.souffleur.find(yield* idInPath)
      yield* world.souffleur[how](id)
      return HttpServerResponse.redirect(world.links.watch(id), { status: 303 })
    })
  )

/** Returns the routes of one watch. */
export const watchPages = (world: PageWorld) =>
  [
    HttpRouter.route("GET", "/watches/:id", withFailures(world)(page(world))),
    HttpRouter.route("GET", "/watches/:id/then", withFailures(world)(then(world))),
    HttpRouter.route("GET", "/watches/:id/live", withFailures(world)(follow(world))),
    HttpRouter.route("POST", "/watches/:id/retry", withFailures(world)(say(world, "retry"))),
    HttpRouter.route("POST", "/watches/:id/release", withFailures(world)(say(world, "release"))),
    HttpRouter.route("POST", "/watches/:id/done", withFailures(world)(say(world, "done"))),
    HttpRouter.route("GET", "/watches/:id/export", withFailures(world)(download(world)))
  ] as const
