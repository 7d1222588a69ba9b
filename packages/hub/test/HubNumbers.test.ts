import { assert, describe, it } from "@effect/vitest"
import { noMark } from "@souffleur/fleet"
import { fleetNumbers, HubPeople, HubProjection, HubStore, HubWords, layerHub, type LogStanding } from "@souffleur/hub"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"

const standing = (change: Partial<LogStanding>): LogStanding => ({
  enrolledHost: "one",
  revoked: false,
  log: "a",
  host: "h",
  machine: null,
  mark: { ...noMark, position: 10 },
  lastSeenAgo: 1000,
  skew: -250,
  forked: false,
  away: false,
  takesWords: true,
  full: false,
  ...change
})

/** Returns the numbers by their names and labels. */
const numbersOf = (...of: Parameters<typeof fleetNumbers>) =>
  Object.fromEntries(
    fleetNumbers(...of)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))])
  )

describe("fleet#numbers", () => {
  it("the numbers of a fleet are sums of each host, which is as its newest log", () => {
    const numbers = numbersOf(
      [
        standing({}),
        standing({ log: "b", lastSeenAgo: 90_000, forked: true, skew: 5 }),
        standing({ enrolledHost: 'two"', log: "c", lastSeenAgo: 31_000, away: true }),
        standing({ enrolledHost: "gone", log: "d", revoked: true })
      ],
      [
        { log: "a", state: "working", count: 2 },
        { log: "b", state: "working", count: 1 },
        { log: "c", state: "needs you", count: 4 },
        { log: "d", state: "working", count: 9 }
      ]
    )
    assert.deepInclude(numbers, {
      'souffleur_fleet_jobs{host="one",state="working"}': 3,
      'souffleur_fleet_jobs{host="one",state="needs you"}': 0,
      'souffleur_fleet_jobs{host="two\\"",state="needs you"}': 4,
      'souffleur_fleet_host_silent{host="one"}': 0,
      'souffleur_fleet_host_silent{host="two\\""}': 1,
      'souffleur_fleet_host_away{host="one"}': 0,
      'souffleur_fleet_host_away{host="two\\""}': 1,
      'souffleur_fleet_host_last_word_seconds{host="one"}': 1,
      'souffleur_fleet_host_skew_seconds{host="one"}': -0.25,
      'souffleur_fleet_forked_logs{host="one"}': 1,
      'souffleur_fleet_events_total{host="one"}': 20
    })
    assert.isFalse(Object.keys(numbers).some((name) => name.includes("gone")))
  })

  it.live("the numbers are for who has a token, as text", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const url = `${HttpServer.formatAddress(server.address)}/v1/fleet/metrics`
      const asked = (authorization: string) => Effect.promise(() => fetch(url, { headers: { authorization } }))
      assert.strictEqual((yield* asked("Bearer other")).status, 401)
      const answer = yield* asked("Bearer token")
      assert.deepStrictEqual([answer.status, answer.headers.get("content-type")], [200, "text/plain; version=0.0.4"])
      assert.include(yield* Effect.promise(() => answer.text()), 'souffleur_fleet_events_total{host="one"} 10\n')
    }).pipe(
      Effect.provide(
        layerHub.pipe(
          Layer.provide(
            Layer.mock(HubStore)({
              logs: Effect.succeed([standing({})])
            })
          ),
          Layer.provide(
            Layer.mock(HubPeople)({
              personOf: (token) =>
                Effect.succeed(
                  Redacted.value(token) === "token"
                    ? Option.some({ name: "anna", role: "viewer", since: "" })
                    : Option.none()
                )
            })
          ),
          Layer.provide(Layer.mock(HubWords)({})),
          Layer.provide(Layer.mock(HubProjection)({ rules: "a", counts: Effect.succeed([]) })),
          Layer.provideMerge(LoopbackServer.layer({ port: 0 }))
        )
      )
    )
  )
})
