import { personsZone, type StateWord } from "@souffleur/domain"
import { HubBrowsers, HubJobs, HubProjection, HubWords, type JobCount } from "@souffleur/hub"
import { layerFleetPages } from "@souffleur/page"
import { Effect, Layer } from "effect"

const sumsOf = (all: ReadonlyArray<JobCount>) => {
  const sum = (word: StateWord) =>
    all.filter(({ state }) => state === word).reduce((total, { count }) => total + count, 0)
  return {
    "needs you": sum("needs you"),
    idle: sum("idle"),
    recovering: sum("recovering"),
    working: sum("working"),
    ended: sum("ended")
  }
}

/** The routes of the page of a fleet. `pageUrl`: its origin; `null`: it is loopback alone. */
export const layerHubPage = (pageUrl: string | null) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { counts, find, hosts } = yield* HubProjection
      const { enter, guestOf } = yield* HubBrowsers
      const { events, job } = yield* HubJobs
      const { now, say, toWatch } = yield* HubWords
      const sight = { counts: Effect.map(counts, sumsOf), enter, events, find, guestOf, hosts, job, now, say, toWatch }
      return layerFleetPages(sight, { pageUrl, zone: yield* personsZone })
    })
  )
