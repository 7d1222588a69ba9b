import type { Zone } from "@souffleur/domain"
import type { JobCounts } from "@souffleur/embed"
import type { FleetHost, FoundJobs, JobSearch, StoreOut } from "@souffleur/fleet"
import { pageSecretOf } from "@souffleur/process"
import { Cache, Clock, Effect, type Layer, Option, Redacted, Stream } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { doorScript } from "../asset/DoorScript.ts"
import { pageIcon } from "../asset/PageIcon.ts"
import { pageScript } from "../asset/PageScript.ts"
import { pageStyle } from "../asset/PageStyle.ts"
import { written } from "../Html.ts"
import { type Asked, askedPart, listEvery } from "../Asked.ts"
import { type FeedEvent, makeFeeds } from "../LiveFeed.ts"
import { formed, hardened, letIn, wasLed } from "../PageGate.ts"
import { framed, withFailures } from "../PageWorld.ts"
import { doorPage, tokenForm } from "../view/DoorPage.ts"
import { looks } from "../view/Links.ts"
import { jobsOnPage } from "../view/ListPage.ts"
import { fleetList, fleetPart, type FleetPart } from "./FleetListPage.ts"

/** A fleet, as its page asks its hub for it. */
export interface FleetSight {
  readonly find: (asked: JobSearch) => Effect.Effect<FoundJobs, StoreOut>
  readonly counts: Effect.Effect<JobCounts, StoreOut>
  readonly hosts: Effect.Effect<ReadonlyArray<FleetHost>, StoreOut>
  /** Lets a browser in by a token, and returns its word; `None`: the hub does not know the token. */
  readonly enter: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Redacted.Redacted>, StoreOut>
  /** Returns the name behind the word of a browser; `None`: its token was revoked, or there never was one. */
  readonly guestOf: (word: Redacted.Redacted) => Effect.Effect<Option.Option<string>, StoreOut>
}

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
 * The routes of the page of a fleet, beside those of its hub. A person enters with a token, and gets a cookie for it
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
      const linksOf = (path: string) => ({ list: `${path}/`, report: null })
      const guarded = hardened(gate)

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
      const entered = <E, R>(
        answer: (guest: {
          readonly path: string
          readonly stays: Effect.Effect<boolean, StoreOut>
        }) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
      ) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const word = request.cookies["souffleur"] ?? ""
          const path = yield* pathOf(word)
          const stays = Effect.map(sight.guestOf(Redacted.make(word)), Option.isSome)
          const isOfPath = request.url.startsWith(`${path}/`)
          return isOfPath && (yield* stays) ? yield* answer({ path, stays }) : door(wasLed(request))
        })

      const list = entered(({ path }) =>
        Effect.gen(function* () {
          const links = linksOf(path)
          const shown = yield* part(yield* askedPart)
          const { url } = yield* HttpServerRequest.HttpServerRequest
          const live = `${links.list}live${new URL(url, "http://page").search}`
          return framed({ title: "souffleur", live, main: fleetList(shown, links, yield* seen) }, { links })
        })
      )
      const follow = entered(({ path, stays }) =>
        Effect.gen(function* () {
          const wanted = yield* askedPart
          const rows = Effect.gen(function* () {
            const data = fleetPart(yield* part(wanted), linksOf(path), yield* seen)
            return { event: "part", name: "jobs", data } satisfies FeedEvent
          })
          // A feed outlives the token that it was opened with.
          return yield* feed(
            Stream.tick(listEvery).pipe(
              Stream.mapEffect(() => stays),
              Stream.takeWhile((yes) => yes),
              Stream.mapEffect(() => rows)
            )
          )
        })
      ).pipe(
        // A browser asks again after an end, and never after a refusal.
        Effect.catchTag("StoreOut", () => feed(Stream.empty))
      )

      const asset = (path: `/${string}`, text: string, contentType: string) =>
        HttpRouter.route("GET", path, guarded(Effect.succeed(HttpServerResponse.text(text, { contentType }))))
      const failing = withFailures({ links: linksOf("") })
      return [
        HttpRouter.route("GET", "/", guarded(Effect.succeed(door(false)))),
        HttpRouter.route("POST", "/", guarded(failing(enter))),
        HttpRouter.route("GET", "/:door", guarded(failing(list))),
        HttpRouter.route("GET", "/:door/live", guarded(follow)),
        asset(looks.style, pageStyle, "text/css"),
        asset(looks.icon, pageIcon, "image/svg+xml"),
        asset(looks.script, pageScript, "text/javascript"),
        asset(looks.door, doorScript, "text/javascript")
      ]
    })
  )
