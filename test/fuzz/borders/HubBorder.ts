import {
  type FleetEvent,
  FleetJob,
  type FleetView,
  longestWord,
  maxBatchEvents,
  noMark,
  type SaidWord
} from "@souffleur/fleet"
import {
  fleetNumbers,
  HubPeople,
  HubProjection,
  HubStore,
  HubWords,
  type KnownPerson,
  layerHub,
  type LogStanding
} from "@souffleur/hub"
import { HostServices } from "@souffleur/node"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"
import { examples as ofRuns } from "../../../packages/plan/test/fixtures/events/RunExamples.ts"
import { examples as ofWatches } from "../../../packages/domain/test/fixtures/events/Examples.ts"
import { fleetJobs } from "../../../packages/cli/src/fleet/FleetJobs.ts"
import { fleetNotice } from "../../../packages/cli/src/fleet/FleetNotice.ts"
import { printView } from "../../../packages/cli/src/fleet/FleetTable.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds } from "../Border.ts"
import { printsWell, saidBy, say } from "../CommandLine.ts"
import { isPlain } from "../FuzzPlain.ts"
import { alike, bent, bytes, mangled, number, some, torn, uuid, word } from "../Hostile.ts"
import { type Row, streamOf } from "../LogFile.ts"
import { headerOf, type RawRequest, sendRaw } from "../RawRequest.ts"
import { ran } from "../Settle.ts"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"
const [watches, runs] = [Object.values(ofWatches), Object.values(ofRuns)]

/** Tokens that the hub knows: of two hosts, and of two people. */
const hosts: Readonly<Record<string, string>> = { ["1".repeat(64)]: "build1", ["2".repeat(64)]: "build2" }
const people: Readonly<Record<string, Omit<KnownPerson, "revoked">>> = {
  ["3".repeat(64)]: { name: "anna", role: "operator", since: "then" },
  ["4".repeat(64)]: { name: "vera", role: "viewer", since: "then" }
}

const eventsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<FleetEvent> =>
  rows.map(({ at, data, revision, stream, tag, version }, n) => [n + 1, stream, revision, tag, version, at, data])

const rowsOf = (seed: Seed): ReadonlyArray<Row> => [
  ...streamOf(seed, seed.pick(["opera-0001", word(seed)]), ofWatches.WatchOpened, watches, 14),
  ...(seed.chance(0.4) ? streamOf(seed, `run/${seed.pick(["opera-1", word(seed)])}`, ofRuns.RunOpened, runs, 14) : [])
]

/** The requests of the contract, each with a body that it takes. */
const asked: ReadonlyArray<
  (seed: Seed) => { readonly to: string; readonly method: string; readonly payload: unknown }
> = [
  () => ({
    method: "PUT",
    to: `/v1/logs/${log}`,
    payload: { host: "build1.example", machine: "m1", takesWords: true }
  }),
  () => ({ method: "GET", to: `/v1/logs/${log}`, payload: undefined }),
  (seed) => ({
    method: "POST",
    to: `/v1/logs/${log}/events`,
    payload: { after: noMark, digest: "0".repeat(64), events: eventsOf(rowsOf(seed)), now: number(seed), away: false }
  }),
  (seed) => ({
    method: "POST",
    to: `/v1/logs/${log}/events`,
    payload: {
      after: noMark,
      digest: "0".repeat(64),
      events: some(seed, 600, (n) => [n + 1, word(seed), 1, word(seed), 1, 0, word(seed)]),
      now: 0
    }
  }),
  () => ({ method: "POST", to: `/v1/logs/${log}/fork`, payload: noMark }),
  () => ({ method: "GET", to: `/v1/logs/${log}/words`, payload: undefined }),
  (seed) => ({
    method: "POST",
    to: `/v1/logs/${log}/words/${uuid(seed)}`,
    payload: { reason: seed.pick([null, word(seed)]), note: null }
  }),
  () => ({ method: "GET", to: "/v1/fleet", payload: undefined }),
  () => ({ method: "GET", to: "/v1/fleet/metrics", payload: undefined }),
  (seed) => ({
    method: "PUT",
    to: `/v1/fleet/words/${uuid(seed)}`,
    payload: {
      log,
      watch: seed.pick(["opera-0001", word(seed)]),
      word: seed.pick(["retry", "hold", word(seed)]),
      seen: seed.pick([3, number(seed)]),
      until: longestWord
    }
  }),
  (seed) => ({ method: "GET", to: `/v1/fleet/words/${uuid(seed)}`, payload: undefined })
]

const bodyOf = (seed: Seed, payload: unknown): Uint8Array => {
  if (payload === undefined) return seed.chance(0.9) ? new Uint8Array() : bytes(seed, 300)
  const text = JSON.stringify(
    seed.chance(0.5) ? payload : seed.chance(0.5) ? bent(seed, payload) : alike(seed, payload)
  )
  return torn(seed, seed.chance(0.9) ? text : mangled(seed, text))
}

const request = (seed: Seed): RawRequest => {
  const { method, payload, to } = seed.pick(asked)(seed)
  const body = bodyOf(seed, payload)
  const [own, foreign] = to.startsWith("/v1/logs") ? [hosts, people] : [people, hosts]
  const truths = {
    host: "127.0.0.1",
    authorization: `Bearer ${seed.pick(Object.keys(seed.chance(0.9) ? own : foreign))}`,
    "content-type": "application/json",
    "content-length": String(body.length)
  }
  return {
    method: seed.chance(0.95) ? method : seed.pick(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]),
    target: seed.chance(0.85) ? to : mangled(seed, to, 1).replaceAll(/[\r\n ]/gu, ""),
    headers: Object.entries(truths).flatMap(([name, truth]) => {
      const value = headerOf(seed, truth)
      return value === undefined ? [] : [[name, value] as const]
    }),
    body
  }
}

/** What came through the border, to a store that keeps nothing. */
interface Taken {
  readonly by: string
  readonly texts: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<number>
  readonly events: number
  readonly word?: SaidWord
}

const hub = (taken: Array<Taken>, view: FleetView) => {
  const take = (by: string, values: ReadonlyArray<unknown>, more: Partial<Taken> = {}) =>
    Effect.sync(() => {
      const texts = values.filter((value) => typeof value === "string")
      const numbers = values.filter((value) => typeof value === "number")
      taken.push({ by, texts, numbers, events: 0, ...more })
    })
  const standing = { outcome: "waiting", reason: null, note: null, left: 1000 } as const
  return layerHub.pipe(
    Layer.provide(
      Layer.mock(HubStore)({
        hostOf: (token) => Effect.succeed(Option.fromUndefinedOr(hosts[Redacted.value(token)])),
        begin: (by, of, who) => Effect.as(take(by, [of, who.host, who.machine]), noMark),
        look: (by, of) => Effect.as(take(by, [of]), { mark: noMark, name: by, forked: false, lastSeenAgo: 0 }),
        append: (by, of, { after, digest, events, now }) =>
          Effect.as(
            take(by, [of, after.position, after.digest, digest, now, ...events.flat()], { events: events.length }),
            { ...noMark, words: false }
          ),
        fork: (by, of) => Effect.as(take(by, [of]), noMark),
        logs: Effect.succeed([])
      })
    ),
    Layer.provide(
      Layer.mock(HubPeople)({
        personOf: (token) => Effect.succeed(Option.fromUndefinedOr(people[Redacted.value(token)]))
      })
    ),
    Layer.provide(
      Layer.mock(HubWords)({
        say: (id, { name }, word) => Effect.as(take(name, [id, ...Object.values(word)], { word }), standing),
        standing: () => Effect.succeed(standing),
        waiting: (by, of) => Effect.as(take(by, [of]), []),
        answer: (by, of, id, { note, reason }) => take(by, [of, id, note, reason])
      })
    ),
    Layer.provide(Layer.mock(HubProjection)({ rules: "a", counts: Effect.succeed([]), view: Effect.succeed(view) })),
    Layer.provideMerge(LoopbackServer.layer({ port: 0, patience: "2 seconds" })),
    Layer.provide(HostServices.layer)
  )
}

/** The answers of the contract, and those of a server to what is no request. */
const statuses = new Set([0, 200, 204, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 501, 503])

/** Returns whether a database keeps a text as it is. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes("\0")

const isFleetJob = Schema.is(FleetJob)

/** Returns the jobs of some events, as a hub folds them. */
const jobsOf = (events: ReadonlyArray<FleetEvent>) =>
  Map.groupBy(events, ([, stream]) => stream)
    .entries()
    .map(([stream, of]) => fleetJobs.fold(stream, undefined, of).job)
    .toArray()

interface Drawn {
  readonly requests: ReadonlyArray<RawRequest>
  readonly events: ReadonlyArray<FleetEvent>
  readonly name: string
  readonly lastSeenAgo: number
  readonly flags: ReadonlyArray<boolean>
}

const viewOf = ({
  events,
  flags: [forked = false, away = false, full = false],
  lastSeenAgo,
  name
}: Drawn): FleetView => ({
  now: 0,
  hosts: [
    { name, host: name, log, lastSeenAgo, forked, revoked: false, away, takesWords: true, full, behind: lastSeenAgo }
  ],
  jobs: jobsOf(events).map((job) => ({ ...job, log })),
  more: 0
})

/** Checks the input of a hub: what hosts ship, what people say, and the names and tokens that they bring. */
export const hubInput = border("hub", {
  share: 2,
  within: 5000,
  draw: (seed): Drawn => ({
    requests: some(seed, 5, () => request(seed)),
    events: eventsOf(rowsOf(seed)),
    name: seed.pick(["build1", word(seed).slice(0, 64) || "a"]),
    lastSeenAgo: Math.max(0, Math.trunc(Math.min(number(seed), Number.MAX_SAFE_INTEGER))),
    flags: [seed.chance(0.2), seed.chance(0.2), seed.chance(0.2)]
  }),
  checks: {
    "requests are answered": async (drawn) => {
      const taken: Array<Taken> = []
      const view = viewOf({ ...drawn, name: "build1" })
      await ran(
        Effect.gen(function* () {
          const { address } = yield* HttpServer.HttpServer
          const port = "port" in address ? address.port : 0
          for (const one of drawn.requests) {
            const { body, status } = yield* Effect.promise(() => sendRaw(port, one))
            holds(statuses.has(status), `it answers with ${status}`, one)
            holds(!/\n\s+at \S+ \(|node_modules/u.test(body), "an answer holds a stack", body)
          }
        }).pipe(Effect.provide(hub(taken, view)))
      )
      for (const { by, events, numbers, texts, word } of taken) {
        holds(
          texts.every(isStorable),
          "a text comes in that no database keeps as it is",
          texts.find((one) => !isStorable(one))
        )
        holds(numbers.every(Number.isSafeInteger), "a number comes in that is no safe integer", numbers)
        holds(events <= maxBatchEvents, "a batch comes in that is too large", events)
        holds(word === undefined || by === "anna", "a word comes in of one who may say none", by)
      }
    },
    "events are folded": ({ events }) => {
      for (const [stream, of] of Map.groupBy(events, ([, stream]) => stream)) {
        const whole = fleetJobs.fold(stream, undefined, of)
        holds(isFleetJob(whole.job), "a job is none", whole.job)
        holds(isPlain(JSON.stringify(whole.job)), "a job has what a terminal obeys", whole.job)
        const parts = of.reduce<string | undefined>(
          (kept, one) => fleetJobs.fold(stream, kept, [one]).folded,
          undefined
        )
        holds(parts === whole.folded, "events one by one make another job than together", stream)
        holds(
          JSON.stringify(fleetJobs.fold(stream, whole.folded, of)) === JSON.stringify(whole),
          "events that come twice make another job",
          stream
        )
      }
    },
    "a fleet is told": async (drawn, place) => {
      const view = viewOf(drawn)
      printsWell(await saidBy(place.folder, printView(view, { asJson: false, speaks: true })))
      const alarms = view.jobs.map(({ id, need }) => ({
        kind: "needs you" as const,
        host: drawn.name,
        job: id,
        why: need?.why ?? "",
        key: { log, stream: id, begun: "" }
      }))
      const { text } = fleetNotice(alarms, 0).notice
      holds(isPlain(text) && !text.includes("\n"), "a notice has what a terminal obeys", text)
      const standing: LogStanding = {
        ...view.hosts[0]!,
        enrolledHost: drawn.name,
        machine: null,
        mark: noMark,
        skew: drawn.lastSeenAgo
      }
      for (const line of fleetNumbers([standing], []).trimEnd().split("\n"))
        holds(/^(?:# (?:HELP|TYPE) \w+ .*|\w+(?:\{.*\})? -?[\d.e+]+)$/u.test(line), "a line is no number", line)
    },
    "names are checked": async ({ name }, place) => {
      const said = await say(place.folder, ["hub", "enrol", "--", name])
      holds(said.code === 2 || /^(?:-h|--help|-v|--version)$/u.test(name), "a name needs no database", said.code)
      printsWell(said)
    }
  }
})
