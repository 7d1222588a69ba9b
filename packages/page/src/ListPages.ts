import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { makeJobPages } from "./JobPages.ts"
import { askedListing, listEvery } from "./Asked.ts"
import type { FeedEvent } from "./LiveFeed.ts"
import { framed, type PageWorld, withFailures } from "./PageWorld.ts"
import { queryOf } from "./view/Links.ts"
import { jobList, jobRows } from "./view/ListPage.ts"

/** Makes the routes of the list of all watches and runs. */
export const makeListPages = Effect.fnUntraced(function* (world: PageWorld) {
  const { feed, links, seen } = world
  const jobs = yield* makeJobPages(world.souffleur)
  const list = Effect.gen(function* () {
    const shown = yield* jobs(yield* askedListing)
    const live = `${links.list}live${queryOf(yield* HttpServerRequest.HttpServerRequest)}`
    const needs = shown.counts["needs you"]
    return framed({ title: "souffleur", needs, live, main: jobList(shown, links, yield* seen) }, world)
  })
  const follow = Effect.gen(function* () {
    const wanted = yield* askedListing
    const part = Effect.gen(function* () {
      const data = jobRows(yield* jobs(wanted), links, yield* seen)
      return { event: "part", name: "jobs", data } satisfies FeedEvent
    })
    return yield* feed(Stream.mapEffect(Stream.tick(listEvery), () => part))
  })
  return [HttpRouter.route("GET", "/", withFailures(world)(list)), HttpRouter.route("GET", "/live", follow)] as const
})
