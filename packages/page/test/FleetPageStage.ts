import { utc, watchCodec, type WatchEvent } from "@souffleur/domain"
import type { FleetEvent, FleetHost, FleetRole, SaidWord, SeenJob, ToldWord } from "@souffleur/fleet"
import { runCodec, type RunEvent, streamOf } from "@souffleur/plan"
import * as LoopbackServer from "@souffleur/node/loopback"
import { type FleetSight, layerFleetPages } from "@souffleur/page"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ask } from "./PageStage.ts"

/** The token of a person, and the word of a browser for it. */
export const [token, word] = ["1".repeat(64), "2".repeat(64)]

/** The name of a log. */
export const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"

export const jobNamed = (id: string, change: Partial<SeenJob> = {}): SeenJob => ({
  kind: "watch",
  id,
  project: "/srv/opera",
  agent: null,
  title: null,
  state: "working",
  standing: "works",
  need: null,
  generation: 1,
  revision: 1,
  at: 1_772_402_400_000,
  host: "build1",
  log,
  takesWords: true,
  away: false,
  lastSeenAgo: 1000,
  ...change
})

export const hostNamed = (name: string, change: Partial<FleetHost> = {}): FleetHost => ({
  name,
  host: name,
  log,
  lastSeenAgo: 1000,
  forked: false,
  revoked: false,
  away: false,
  takesWords: true,
  full: false,
  behind: 0,
  ...change
})

/** The jobs and hosts of a store. They may change. */
export interface Known {
  jobs: ReadonlyArray<SeenJob>
  hosts: ReadonlyArray<FleetHost>
  revoked: boolean
  role?: FleetRole
  /** The events of jobs, by their streams. */
  events?: Readonly<Record<string, ReadonlyArray<FleetEvent>>>
  words?: ReadonlyArray<ToldWord>
  /** The words that were said, and by whom. */
  readonly said?: Array<SaidWord & { readonly by: string }>
}

/** Returns the events of a watch as a host ships them. */
export const copied = (id: string, events: ReadonlyArray<WatchEvent>): ReadonlyArray<FleetEvent> =>
  events.map((event, n) => {
    const { at, data, tag, version } = watchCodec.encode(event)
    return [n + 1, id, n + 1, tag, version, at, data]
  })

/** Returns the events of a run as a host ships them. */
export const copiedRun = (id: string, events: ReadonlyArray<RunEvent>): ReadonlyArray<FleetEvent> =>
  events.map((event, n) => {
    const { at, data, tag, version } = runCodec.encode(event)
    return [n + 1, streamOf(id), n + 1, tag, version, at, data]
  })

/** A clock whose waits take a fiftieth of their time: a page looks at its store every two seconds. */
const hurried = Effect.map(Clock.Clock, (clock): Clock.Clock =>
  Object.assign(Object.create(clock) as typeof clock, {
    sleep: (duration: Duration.Duration) => clock.sleep(Duration.times(duration, 0.02))
  })
)

/** The page of a fleet on a server of its own. */
export const makeFleet = Effect.fnUntraced(function* (known: Known, more: Partial<FleetSight> = {}) {
  const guest = (given: string) =>
    Effect.sync(() =>
      given === word && !known.revoked
        ? Option.some({ name: "anna", role: known.role ?? "operator", since: "now" } as const)
        : Option.none()
    )
  const sight: FleetSight = {
    find: ({ atMost, from }) =>
      Effect.sync(() => ({ jobs: known.jobs.slice(from, from + atMost), found: known.jobs.length })),
    counts: Effect.sync(() => ({ "needs you": 0, idle: 0, recovering: 0, working: known.jobs.length, ended: 0 })),
    hosts: Effect.sync(() => known.hosts),
    enter: (given) =>
      Effect.sync(() =>
        Redacted.value(given) === token && !known.revoked ? Option.some(Redacted.make(word)) : Option.none()
      ),
    guestOf: (given) => guest(Redacted.value(given)),
    job: (log, stream) =>
      Effect.sync(() => {
        // A database fails at such names.
        if (!/^[0-9a-f-]{36}$/u.test(log) || stream.includes("\0") || stream.length > 200) throw new Error("no name")
        return Option.fromUndefinedOr(
          known.jobs.find((job) => job.log === log && (job.kind === "watch" ? job.id : streamOf(job.id)) === stream)
        )
      }),
    events: (_, stream, { after, upTo }) =>
      Effect.sync(() => (known.events?.[stream] ?? []).filter((event) => event[2] > after && event[2] <= upTo)),
    now: Effect.succeed(1_790_000_000_000),
    toWatch: () => Effect.sync(() => known.words ?? []),
    say: (_, { name }, word) =>
      Effect.sync(() => {
        known.said?.push({ ...word, by: name })
        return { outcome: "waiting", reason: null, note: null, left: 1000 }
      }),
    ...more
  }
  const pages = layerFleetPages(sight, { pageUrl: "https://hub.example", zone: utc })
  const server = yield* Layer.build(
    HttpRouter.serve(pages, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provideMerge(LoopbackServer.layer({ port: 0 })),
      Layer.provide(Layer.effect(Clock.Clock, hurried))
    )
  )
  const origin = HttpServer.formatAddress(Context.get(server, HttpServer.HttpServer).address)
  /** Sends a form of a page. */
  const post = (url: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams(fields).toString()
    const own = { origin, "content-type": "application/x-www-form-urlencoded", "content-length": String(body.length) }
    return ask(url, { method: "POST", headers: { ...own, ...headers }, body })
  }
  /** Sends the form of the door. */
  const knock = (given: string, headers: Readonly<Record<string, string>> = {}) =>
    post(`${origin}/`, { token: given }, headers)
  /** Enters, and returns the address of the list with the cookie. */
  const entered = Effect.gen(function* () {
    const { headers } = yield* knock(token)
    const [cookie = ""] = (headers["set-cookie"] ?? [""])[0]!.split(";")
    return { list: `${origin}${headers.location}`, cookie }
  })
  return { entered, knock, origin, post }
})
