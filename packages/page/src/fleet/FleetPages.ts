import { FleetWord, type Zone } from "@souffleur/domain"
import { pageSecretOf } from "@souffleur/process"
import { Cache, Clock, Effect, type Layer, Option, Redacted, Stream } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { doorScript } from "../asset/DoorScript.ts"
import { neededIcon, pageIcon } from "../asset/PageIcon.ts"
import { pageScript } from "../asset/PageScript.ts"
import { pageStyle } from "../asset/PageStyle.ts"
import { written } from "../Html.ts"
import { type Asked, askedPart, listEvery } from "../Asked.ts"
import { type FeedEvent, makeFeeds } from "../LiveFeed.ts"
import { formed, hardened, letIn, wasLed } from "../PageGate.ts"
import { framed, withFailures } from "../PageWorld.ts"
import { doorPage, tokenForm } from "../view/DoorPage.ts"
import { looks, queryOf } from "../view/Links.ts"
import { jobsOnPage } from "../view/ListPage.ts"
import { followRun, showRun } from "../run/RunPages.ts"
import { followWatch, showThen, showWatch } from "../WatchPages.ts"
import { type LetIn, makeFleetJobs } from "./FleetJobPages.ts"
import { fleetList, fleetPart, type FleetPart } from "./FleetListPage.ts"
import type { FleetSight } from "./FleetSight.ts"

/** The page of a fleet. */
export interface FleetPageOptions {
  /** The origin by which people reach it; `null`: it is loopback alone. */
  readonly pageUrl: string | null
  /** The zone of its times. */
  readonly zone: Zone
}

/** The time in which many readers share one look at the store. */
const shared = "1 second"
/** Parts of the list that are kept for that time. */
const maxParts = 256

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Begins each path of a browser, and bounds its cookie. Each browser has its own. */
const pathOf = (word: string) => Effect.map(pageSecretOf("path", word), (digest) => `/${digest.slice(0, 20)}`)

/** Makes the looks at a fleet. */
const makeParts = Effect.fnUntraced(function* ({ counts, find, hosts }: FleetSight) {
  const whole = yield* Effect.cachedWithTTL(Effect.all({ counts, hosts }), shared)
  const parts = yield* Cache.make({
    capacity: maxParts,
    timeToLive: shared,
    lookup: find
  })
  return Effect.fnUntraced(function* (wanted: Asked) {
    const { page, search } = wanted
    const found = yield* Cache.get(parts, { search, from: (page - 1) * jobsOnPage, atMost: jobsOnPage })
    return { ...(yield* whole), ...found, page, search } satisfies FleetPart
  })
})

/**
 * The routes of the page of a fleet, beside the hub's own. A person enters with a token, and gets a cookie for it
 * (spec: fleet#page).
 */
export const layerFleetPages = (
  sight: FleetSight,
  { pageUrl, zone }: FleetPageOptions
): Layer.Layer<never, never, HttpRouter.HttpRouter | HttpServer.HttpServer> =>
  HttpRouter.addAll(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const gate = { port: address._tag === "UnixPathAddress" ? 0 : address.port, pageUrl }
      const feed = yield* makeFeeds
      const part = yield* makeParts(sight)
      const seen = Effect.map(Clock.currentTimeMillis, (now) => ({ now, zone }))
      const linksOf = (path: string) => ({ list: `${path}/`, listName: "Fleet", report: null })
      const guarded = hardened(gate)
      const pagesOf = yield* makeFleetJobs({ sight, gate, linksOf, seen })

      const door = (again: boolean, refused = false) =>
        HttpServerResponse.html(written(doorPage({ again, main: tokenForm(refused) }))).pipe(
          HttpServerResponse.setStatus(401)
        )
      const enter = formed(gate)((field) =>
        Effect.gen(function* () {
          const word = yield* sight.enter(Redacted.make(field("token")))
          if (Option.isNone(word)) return door(false, true)
          const cookie = Redacted.value(word.value)
          return letIn(gate, yield* HttpServerRequest.HttpServerRequest, { cookie, path: yield* pathOf(cookie) })
        })
      )
      /** Answers a browser whose cookie has a token behind it, and is for this path. */
      const entered = <E, R>(answer: (browser: LetIn) => Answer<E, R>) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const word = request.cookies["souffleur"] ?? ""
          const path = yield* pathOf(word)
          const found = sight.guestOf(Redacted.make(word))
          const guest = request.url.startsWith(`${path}/`) ? yield* found : Option.none()
          if (Option.isNone(guest)) return door(wasLed(request))
          return yield* answer({
            path,
            guest: guest.value,
            secret: yield* pageSecretOf("form", word),
            // A feed outlives the token that it was opened with.
            feed: (events) =>
              feed(
                Stream.takeWhileEffect(events, () => Effect.map(found, Option.isSome)),
                guest.value.name
              )
          })
        })

      const list = entered(({ path }) =>
        Effect.gen(function* () {
          const links = linksOf(path)
          const shown = yield* part(yield* askedPart)
          const live = `${links.list}live${queryOf(yield* HttpServerRequest.HttpServerRequest)}`
          return framed(
            { title: "souffleur", needs: shown.counts["needs you"], live, main: fleetList(shown, links, yield* seen) },
            { links }
          )
        })
      )
      const follow = entered(({ feed, path }) =>
        Effect.gen(function* () {
          const wanted = yield* askedPart
          const rows = Effect.gen(function* () {
            const data = fleetPart(yield* part(wanted), linksOf(path), yield* seen)
            return { event: "part", name: "jobs", data } satisfies FeedEvent
          })
          return yield* feed(Stream.mapEffect(Stream.tick(listEvery), () => rows))
        })
      )
      /** Ends a feed whose store is out. A browser asks again after an end, and never after a refusal. */
      const live = <E extends { readonly _tag: string }, R>(answer: Answer<E, R>) =>
        Effect.catch(answer, (error) => (error._tag === "StoreOut" ? feed(Stream.empty) : Effect.fail(error)))

      const asset = (path: `/${string}`, text: string, contentType: string) =>
        HttpRouter.route("GET", path, guarded(Effect.succeed(HttpServerResponse.text(text, { contentType }))))
      const failing = withFailures({ links: linksOf("") })
      type Pages = ReturnType<typeof pagesOf>
      /** Answers with a page of the log that the address names. */
      const ofLog = <E, R>(answer: (pages: Pages) => Answer<E, R>) =>
        entered((browser) => Effect.flatMap(HttpRouter.params, ({ log = "" }) => answer(pagesOf(browser, log))))
      return [
        HttpRouter.route("GET", "/", guarded(Effect.succeed(door(false)))),
        HttpRouter.route("POST", "/", guarded(failing(enter))),
        HttpRouter.route("GET", "/:door", guarded(failing(list))),
        HttpRouter.route("GET", "/:door/live", guarded(failing(live(follow)))),
        HttpRouter.route("GET", "/:door/:log/watches/:id", guarded(failing(ofLog(({ watch }) => showWatch(watch))))),
        HttpRouter.route(
          "GET",
          "/:door/:log/watches/:id/then",
          guarded(failing(ofLog(({ watch }) => showThen(watch))))
        ),
        HttpRouter.route(
          "GET",
          "/:door/:log/watches/:id/live",
          guarded(failing(live(ofLog(({ watch }) => followWatch(watch)))))
        ),
        HttpRouter.route("GET", "/:door/:log/runs/:id", guarded(failing(ofLog(({ run }) => showRun(run))))),
        HttpRouter.route(
          "GET",
          "/:door/:log/runs/:id/live",
          guarded(failing(live(ofLog(({ run }) => followRun(run)))))
        ),
        ...FleetWord.literals.map((word) =>
          HttpRouter.route("POST", `/:door/:log/watches/:id/${word}`, guarded(failing(ofLog(({ say }) => say(word)))))
        ),
        asset(looks.style, pageStyle, "text/css"),
        asset(looks.icon, pageIcon, "image/svg+xml"),
        asset(looks.needed, neededIcon, "image/svg+xml"),
        asset(looks.script, pageScript, "text/javascript"),
        asset(looks.door, doorScript, "text/javascript")
      ]
    })
  )
