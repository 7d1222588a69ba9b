import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { deliver, type Delivery, type Outcome, send } from "../src/Delivery.ts"
import { answering, stubServer } from "./StubServer.ts"

const SECRET = "tk_secret"
const order = (url: string, once = false): Delivery => ({
  url,
  headers: { authorization: `Bearer ${SECRET}` },
  body: '{"topic":"t"}',
  once
})

/** Sends to a server that answers the tries in turn, in no time of its own. Returns the outcome and the times in s. */
const sending = Effect.fnUntraced(function* (...answers: ReadonlyArray<readonly [status: number, after?: string]>) {
  const times: Array<number> = []
  const began = yield* Clock.currentTimeMillis
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const [status, after] = answers[Math.min(times.length, answers.length - 1)]!
      times.push(((yield* Clock.currentTimeMillis) - began) / 1000)
      if (status === 0)
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: new Error(request.url) })
        })
      const headers = after === undefined ? {} : { "retry-after": after }
      return HttpClientResponse.fromWeb(request, new Response(null, { status, headers }))
    })
  )
  const fiber = yield* Effect.forkChild(
    Effect.provideService(send(order("https://push.example/")), HttpClient.HttpClient, client)
  )
  yield* TestClock.adjust("1 hour")
  return { outcome: yield* Fiber.join(fiber), times }
})

const outcomeOf = (delivery: Delivery) =>
  Effect.map(deliver(JSON.stringify(delivery)), (line): Outcome => JSON.parse(line))

describe("behaviour#delivery-of-notices", () => {
  describe("the tries of a notice", () => {
    it.effect("it is sent again after growing pauses, five times in all, and then given up", () =>
      Effect.gen(function* () {
        const { outcome, times } = yield* sending([500])
        assert.deepStrictEqual(times, [0, 5, 35, 155, 455])
        assert.deepStrictEqual(outcome, { tries: 5, problem: "the server answered 500" })
      })
    )
    it.effect("it is sent no more once the server took it", () =>
      Effect.gen(function* () {
        const { outcome, times } = yield* sending([0], [503], [200])
        assert.deepStrictEqual([outcome, times], [{ tries: 3, problem: null }, [0, 5, 35]])
      })
    )
    it.effect("a refusal, a redirect and a wrong address are final", () =>
      Effect.gen(function* () {
        for (const status of [301, 302, 307, 400, 401, 403, 404, 410]) {
          const { outcome } = yield* sending([status])
          assert.strictEqual(outcome.tries, 1, String(status))
          assert.include(outcome.problem ?? "", `the server answered ${status}: `)
        }
      })
    )
    it.effect("a server that asks for a longer pause gets it, up to five minutes", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* sending([429, "60"], [429, "2"], [200])).times, [0, 60, 90])
        assert.deepStrictEqual((yield* sending([429, "999999999"], [200])).times, [0, 300])
        assert.deepStrictEqual((yield* sending([429, "soon"], [503, "-5"], [200])).times, [0, 5, 35])
        yield* TestClock.setTime(Date.UTC(2026, 0, 5, 12))
        assert.deepStrictEqual((yield* sending([503, "Mon, 05 Jan 2026 12:02:00 GMT"], [200])).times, [0, 120])
      })
    )
    it.effect("a server that cannot be reached is told without its address and without the cause's words", () =>
      Effect.gen(function* () {
        const { outcome } = yield* sending([0])
        assert.deepStrictEqual(outcome, { tries: 5, problem: "the server could not be reached" })
      })
    )
  })

  it.effect("a server takes a notice by its status alone", () =>
    Effect.gen(function* () {
      const { received, url } = yield* stubServer(answering(200))
      assert.deepStrictEqual(yield* outcomeOf(order(`${url}/base/`)), { tries: 1, problem: null })
      const [{ body, headers, path }] = received as [(typeof received)[0]]
      assert.deepStrictEqual(
        [path, body, headers.authorization, headers["content-type"], headers["traceparent"]],
        ["/base/", '{"topic":"t"}', `Bearer ${SECRET}`, "application/json", undefined]
      )
    }).pipe(Effect.scoped)
  )
  it.effect("a server that never answers has ten seconds", () =>
    Effect.gen(function* () {
      let asked = () => {}
      const heard = new Promise<void>((resolve) => (asked = resolve))
      const { url } = yield* stubServer(() => asked())
      const fiber = yield* Effect.forkChild(outcomeOf(order(url, true)))
      yield* Effect.promise(() => heard)
      yield* TestClock.adjust(Duration.seconds(10))
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        tries: 1,
        problem: "the server did not answer within 10 seconds"
      })
    }).pipe(Effect.scoped)
  )
  it.effect("a server is on https or on loopback, whatever an order says", () =>
    Effect.gen(function* () {
      for (const url of ["http://push.example/", "file:///etc/passwd", "data:text/plain,x"])
        assert.deepStrictEqual(yield* outcomeOf(order(url)), { tries: 1, problem: "its address is no https URL" })
    })
  )
  it.effect("an order that cannot be read is a defect without a word of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(JSON.parse(yield* deliver(`{"url":"${SECRET}"`)), {
        tries: 0,
        problem: "its process had a defect"
      })
    })
  )
})

describe("security#where-words-go", () => {
  it.effect("a redirect is not followed: the secret goes nowhere else", () =>
    Effect.gen(function* () {
      const other = yield* stubServer(answering(200))
      const { received, url } = yield* stubServer(answering(307, { location: `${other.url}/thief` }))
      assert.deepStrictEqual(yield* outcomeOf(order(url)), {
        tries: 1,
        problem: "the server answered 307: a redirect is not followed"
      })
      assert.deepStrictEqual([received.length, other.received.length], [1, 0])
    }).pipe(Effect.scoped)
  )
  it.effect("a server whose body never ends has answered with its first line", () =>
    Effect.gen(function* () {
      const { url } = yield* stubServer((response) => {
        response.writeHead(200)
        const endless = Readable.from(
          (function* () {
            for (;;) yield "x".repeat(65_536)
          })()
        )
        endless.pipe(response).on("close", () => void endless.destroy())
      })
      assert.deepStrictEqual(yield* outcomeOf(order(url)), { tries: 1, problem: null })
    }).pipe(Effect.scoped)
  )
})
