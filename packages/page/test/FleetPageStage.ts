import { utc } from "@souffleur/domain"
import type { FleetHost, SeenJob } from "@souffleur/fleet"
import * as LoopbackServer from "@souffleur/node/loopback"
import { type FleetSight, layerFleetPages } from "@souffleur/page"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ask } from "./PageStage.ts"

/** The token of a person, and the word of a browser for it. */
export const [token, word] = ["1".repeat(64), "2".repeat(64)]

export const jobNamed = (id: string, change: Partial<SeenJob> = {}): SeenJob => ({
  kind: "watch",
  id,
  project: "/srv/opera",
  state: "working",
  standing: "works",
  need: null,
  generation: 1,
  revision: 1,
  at: 1_772_402_400_000,
  host: "build1",
  lastSeenAgo: 1000,
  ...change
})

export const hostNamed = (name: string, change: Partial<FleetHost> = {}): FleetHost => ({
  name,
  host: name,
  log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1",
  lastSeenAgo: 1000,
  forked: false,
  revoked: false,
  takesWords: true,
  ...change
})

/** The jobs and hosts of a store. They may change. */
export interface Known {
  jobs: ReadonlyArray<SeenJob>
  hosts: ReadonlyArray<FleetHost>
  revoked: boolean
}

/** The page of a fleet on a server of its own. */
export const makeFleet = Effect.fnUntraced(function* (known: Known, more: Partial<FleetSight> = {}) {
  const guest = (given: string) =>
    Effect.sync(() => (given === word && !known.revoked ? Option.some("me") : Option.none()))
  const sight: FleetSight = {
    find: ({ atMost, from }) =>
      Effect.sync(() => ({ jobs: known.jobs.slice(from, from + atMost), found: known.jobs.length })),
    counts: Effect.sync(() => ({ "needs you": 0, recovering: 0, working: known.jobs.length, ended: 0 })),
    hosts: Effect.sync(() => known.hosts),
    enter: (given) =>
      Effect.sync(() =>
        Redacted.value(given) === token && !known.revoked ? Option.some(Redacted.make(word)) : Option.none()
      ),
    guestOf: (given) => guest(Redacted.value(given)),
    ...more
  }
  const pages = layerFleetPages(sight, { pageUrl: "https://hub.example", zone: utc })
  const server = yield* Layer.build(
    HttpRouter.serve(pages, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provideMerge(LoopbackServer.layer({ port: 0 }))
    )
  )
  const origin = HttpServer.formatAddress(Context.get(server, HttpServer.HttpServer).address)
  /** Sends the form of the door. */
  const knock = (given: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(`${origin}/`, {
      method: "POST",
      headers: {
        origin,
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(`token=${given}`.length),
        ...headers
      },
      body: `token=${given}`
    })
  /** Enters, and returns the address of the list with the cookie. */
  const entered = Effect.gen(function* () {
    const { headers } = yield* knock(token)
    const [cookie = ""] = (headers["set-cookie"] ?? [""])[0]!.split(";")
    return { list: `${origin}${headers.location}`, cookie }
  })
  return { entered, knock, origin }
})
