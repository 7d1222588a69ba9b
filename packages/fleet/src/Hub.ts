import { Context, Duration, Effect, FileSystem, Layer, Redacted, Runtime, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import {
  type Appended,
  BrokenBatch,
  type CopiedLog,
  FleetApi,
  FleetAuthorization,
  type FleetBatch,
  type Introduction,
  LogOfAnother,
  NoSuchLog,
  OtherMark,
  PersonAuthorization,
  QuotaReached,
  StoreOut,
  TokenRefused,
  TooManyLogs
} from "./FleetApi.ts"
import { boundedFetch } from "./bounds/BoundedFetch.ts"
import { ListenerStrange, refuseStrangeListener } from "./bounds/Listener.ts"
import type { LogMark } from "./FleetEvent.ts"
import type { FleetView } from "./FleetView.ts"
import {
  NoSuchWord,
  OperatorOnly,
  type SaidWord,
  type WaitingWord,
  type WordAnswer,
  WordKept,
  type WordStanding
} from "./SaidWord.ts"

/** The hub gives no answer that counts: it cannot be reached, is slow, or its store is out. It may pass. */
export class HubAway extends Schema.TaggedError<HubAway>()("HubAway", { problem: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return `the hub gives no answer: ${this.problem}`
  }
}

/** The words of a hub that do not pass by themselves. */
export type HubRefusal = TokenRefused | LogOfAnother | TooManyLogs

/** The address of a hub, and the token that it gave to this host or to a person. */
export interface HubAddress {
  readonly url: string
  readonly token: Redacted.Redacted
}

/** The most bytes of an answer to a host. The words that wait for it take the most. */
const maxHostAnswer = 100_000
/** The most bytes of an answer to a person. A view has a thousand jobs. */
const maxPersonAnswer = 16_000_000
/** Time for one answer to a small request. */
const answerTimeout = Duration.seconds(10)
/** UTF-16 units that the slowest link brings to the hub in a second. */
const slowestLink = 20_000

/** Time for one answer to a batch. A link that brings a large one slowly still brings it. */
const timeoutOf = ({ events }: FleetBatch) =>
  Duration.sum(answerTimeout, Duration.seconds(events.reduce((sum, event) => sum + event[6].length, 0) / slowestLink))

/** Returns the code with which the certificate of a hub was refused. */
const certificateProblem = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const code = "code" in error && typeof error.code === "string" && /CERT|SIGNATURE/u.test(error.code)
  return code ? String(error.code) : certificateProblem(error.cause)
}

/** Says in a few words why an answer does not count. */
const problemOf = (error: unknown): string => {
  if (error instanceof StoreOut || error instanceof ListenerStrange) return error.message
  if (!HttpClientError.isHttpClientError(error)) return "it takes too long"
  if (error.response !== undefined) return `HTTP status ${error.response.status}`
  if (error.reason._tag !== "TransportError") return "its answer cannot be read"
  const code = certificateProblem(error.reason.cause)
  if (code === undefined) return "it cannot be reached"
  const strange = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/u.test(code)
  const way = strange ? ": NODE_EXTRA_CA_CERTS names the file of an authority of your own" : ""
  return `its certificate does not count here (${code})${way}`
}

const Spoken = Schema.Union([
  TokenRefused,
  OtherMark,
  NoSuchLog,
  LogOfAnother,
  TooManyLogs,
  BrokenBatch,
  QuotaReached,
  OperatorOnly,
  WordKept,
  NoSuchWord
])
const isOfContract = Schema.is(Spoken)

/** HTTP without redirects, and with answers of bounded size. */
const layerFetch = (maxBytes: number) =>
  FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, boundedFetch(maxBytes)))
  )

/**
 * Speaks to a hub with a token. No redirect is followed, because the token is for one server. Before each request over
 * plain http it is seen whose port that is.
 */
const client = Effect.fnUntraced(function* ({ token, url }: HubAddress, maxBytes: number) {
  const fs = yield* FileSystem.FileSystem
  const looked = Effect.provideService(refuseStrangeListener(url), FileSystem.FileSystem, fs)
  const withToken: HttpApiMiddleware.HttpApiMiddlewareClient<never, never, never> = ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, Redacted.value(token)))
  const api = yield* HttpApiClient.make(FleetApi, {
    transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(url))
  }).pipe(
    Effect.provide([
      HttpApiMiddleware.layerClient(FleetAuthorization, withToken),
      HttpApiMiddleware.layerClient(PersonAuthorization, withToken),
      layerFetch(maxBytes)
    ])
  )
  /** Keeps the words of the contract. Everything else is no answer that counts. */
  const heard = <A, E>(
    call: Effect.Effect<A, E>,
    timeout = answerTimeout
  ): Effect.Effect<A, Extract<E, typeof Spoken.Type> | HubAway> =>
    Effect.andThen(looked, call).pipe(
      Effect.timeout(timeout),
      Effect.mapError((error) =>
        isOfContract(error) ? (error as Extract<E, typeof Spoken.Type>) : new HubAway({ problem: problemOf(error) })
      )
    )
  return { ...api, heard }
})

/** The hub, as a host speaks to it (spec: fleet#contract). */
export class Hub extends Context.Service<
  Hub,
  {
    /** Says where the hub has the log. The first call binds the log to this host and machine. */
    readonly begin: (log: string, who: Introduction) => Effect.Effect<LogMark, OtherMark | HubRefusal | HubAway>
    /** Says how the hub has the log. The hub does not take it for a sign of life. */
    readonly look: (log: string) => Effect.Effect<CopiedLog, NoSuchLog | HubRefusal | HubAway>
    /** Appends a batch whole, or not at all. */
    readonly append: (
      log: string,
      batch: FleetBatch
    ) => Effect.Effect<Appended, OtherMark | NoSuchLog | BrokenBatch | QuotaReached | HubRefusal | HubAway>
    /** Tells that the log at that mark is another one than the host has. The hub refuses both from now on. */
    readonly fork: (log: string, mark: LogMark) => Effect.Effect<void, NoSuchLog | HubRefusal | HubAway>
    /** Reads the words for the watches of a log that have no answer yet. */
    readonly words: (log: string) => Effect.Effect<ReadonlyArray<WaitingWord>, TokenRefused | HubAway>
    /** Answers a word. The first answer counts. */
    readonly answer: (log: string, word: string, answer: WordAnswer) => Effect.Effect<void, TokenRefused | HubAway>
  }
>()("@souffleur/fleet/Hub") {
  /** The hub over HTTP. */
  static readonly layerHttp = (address: HubAddress): Layer.Layer<Hub, never, FileSystem.FileSystem> =>
    Layer.effect(
      Hub,
      Effect.map(client(address, maxHostAnswer), ({ heard, logs }) =>
        Hub.of({
          begin: (log, payload) => heard(logs.begin({ params: { log }, payload })),
          look: (log) => heard(logs.look({ params: { log } })),
          append: (log, payload) => heard(logs.append({ params: { log }, payload }), timeoutOf(payload)),
          fork: (log, payload) => Effect.asVoid(heard(logs.fork({ params: { log }, payload }))),
          words: (log) => heard(logs.words({ params: { log } })),
          answer: (log, word, payload) => Effect.asVoid(heard(logs.answer({ params: { log, word }, payload })))
        })
      )
    )
}

/** The hub, as a person speaks to it (spec: fleet#people). */
export class FleetDesk extends Context.Service<
  FleetDesk,
  {
    /** Reads the hosts of the fleet, and what lives there. */
    readonly view: Effect.Effect<FleetView, TokenRefused | HubAway>
    /** Says a word. The same word may be said again, and is one. */
    readonly say: (
      id: string,
      word: SaidWord
    ) => Effect.Effect<WordStanding, TokenRefused | OperatorOnly | WordKept | HubAway>
    /** Says what became of a word. */
    readonly word: (id: string) => Effect.Effect<WordStanding, TokenRefused | NoSuchWord | HubAway>
  }
>()("@souffleur/fleet/FleetDesk") {
  /** The hub over HTTP. */
  static readonly layerHttp = (address: HubAddress): Layer.Layer<FleetDesk, never, FileSystem.FileSystem> =>
    Layer.effect(
      FleetDesk,
      Effect.map(client(address, maxPersonAnswer), ({ fleet, heard }) =>
        FleetDesk.of({
          view: heard(fleet.view()),
          say: (word, payload) => heard(fleet.say({ params: { word }, payload })),
          word: (word) => heard(fleet.word({ params: { word } }))
        })
      )
    )
}
