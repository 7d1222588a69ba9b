import { serverUrl } from "@souffleur/domain"
import { type HeardPresses, listen, Listening } from "./Hearing.ts"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"

/** One notice for one server, as the process that sends it reads it. */
export const Delivery = Schema.Struct({
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String,
  /** True if it is sent once, without another try. */
  once: Schema.Boolean
})
export type Delivery = typeof Delivery.Type

/** How a delivery ended. `problem` has no word of the server and no address. `null`: the server took it. */
export const Outcome = Schema.Struct({ tries: Schema.Int, problem: Schema.NullOr(Schema.String) })
export type Outcome = typeof Outcome.Type

/** The pauses between tries: five tries in about eight minutes. */
const pauses: ReadonlyArray<Duration.Input> = ["5 seconds", "30 seconds", "2 minutes", "5 minutes"]
/** The longest pause that a server may ask for. */
const maxPause = Duration.minutes(5)
/** Time for one answer. */
const answerTimeout = "10 seconds"

/** The answer of one try. `later`: milliseconds that the server asks for; `null`: another try would be in vain. */
type Answer = { readonly problem: string | null; readonly later: number | null }

const taken: Answer = { problem: null, later: null }

const meanings: Readonly<Record<number, string>> = {
  400: "the request is refused, such as for an unknown chat",
  401: "the token is missing or refused",
  403: "the token is missing or refused",
  404: "there is no such topic, webhook or bot",
  410: "the webhook is gone",
  413: "the text is too long",
  429: "too many requests"
}

/** Reads the seconds or the date of `Retry-After`, in milliseconds from now. */
const retryAfter = (text: string | undefined, now: number): number => {
  const value = text?.trim() ?? ""
  const isDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/u.test(value)
  const millis = /^\d{1,9}$/u.test(value) ? Number(value) * 1000 : isDate ? Date.parse(value) - now : 0
  return Number.isFinite(millis) ? Math.min(Math.max(0, millis), Duration.toMillis(maxPause)) : 0
}

/** Reads the status alone: no byte of the body is read, and no redirect is followed. */
const answerOf = (status: number, after: number): Answer => {
  if (status >= 200 && status < 300) return taken
  const meaning = meanings[status] ?? (status < 400 ? "a redirect is not followed" : undefined)
  const problem = `the server answered ${status}${meaning === undefined ? "" : `: ${meaning}`}`
  return { problem, later: status === 408 || status === 425 || status === 429 || status >= 500 ? after : null }
}

const unreachable: Answer = { problem: "the server could not be reached", later: 0 }
const silent: Answer = { problem: "the server did not answer within 10 seconds", later: 0 }

const attempt = Effect.fn("attempt")(
  function* ({ body, headers, url }: Delivery) {
    if (serverUrl(url) === undefined) return { problem: "its address is no https URL", later: null } satisfies Answer
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeaders(headers),
      HttpClientRequest.bodyText(body, "application/json")
    )
    const response = yield* Effect.timeoutOption(client.execute(request), answerTimeout)
    if (Option.isNone(response)) return silent
    const { headers: answered, status } = response.value
    return answerOf(status, retryAfter(answered["retry-after"], yield* Clock.currentTimeMillis))
  },
  Effect.orElseSucceed(() => unreachable)
)

/** Sends a notice, again after growing pauses, or after that which the server asks for. It never fails. */
export const send = Effect.fn("send")(function* (delivery: Delivery) {
  for (let tries = 1; ; tries++) {
    const { later, problem } = yield* attempt(delivery)
    const pause = delivery.once ? undefined : pauses[tries - 1]
    if (problem === null || later === null || pause === undefined) return { tries, problem } satisfies Outcome
    yield* Effect.sleep(Duration.max(Duration.fromInputUnsafe(pause), Duration.millis(later)))
  }
})

/** Time for all tries, with the longest pauses. The process that sends ends then. */
export const deliveryTimeout = Duration.minutes(25)

const read = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union([Delivery, Listening])))

/** Answers the line of an order with that of its outcome. It is the own side of the process that sends or listens. */
export const deliver = (line: string): Effect.Effect<string> =>
  Effect.orDie(read(line)).pipe(
    Effect.flatMap((order): Effect.Effect<Outcome | HeardPresses, never, HttpClient.HttpClient> =>
      "topic" in order ? listen(order) : send(order)
    ),
    Effect.timeoutOrElse({
      duration: deliveryTimeout,
      orElse: () => Effect.succeed<Outcome>({ tries: 0, problem: "it took too long" })
    }),
    Effect.catchDefect(() => Effect.succeed<Outcome>({ tries: 0, problem: "its process had a defect" })),
    Effect.map((outcome) => JSON.stringify(outcome)),
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
