import { Bounds, Words } from "@souffleur/domain"
import { isBetween } from "@souffleur/eventlog"
import { Context, Effect, Runtime, Schema } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity
} from "effect/http-api"
import { ChainDigest, FleetEvent, LogMark, LogName, maxDataLength } from "./FleetEvent.ts"
import { FleetView } from "./FleetView.ts"
import {
  maxWaiting,
  NoSuchWord,
  OperatorOnly,
  type FleetRole,
  SaidWord,
  WaitingWord,
  WordAnswer,
  WordId,
  WordKept,
  WordStanding
} from "./SaidWord.ts"
import { storableText } from "./bounds/StorableText.ts"

/** The most events of one batch. */
export const maxBatchEvents = 500

/**
 * The most bytes of a request. JSON takes six at most for a character. The events of a batch together have no more
 * characters than the largest event.
 */
export const maxRequestBytes = 6 * maxDataLength + 8_000_000

/** Events that follow the mark `after`, with the chain digests before and after them. Without events it is a beat. */
export const FleetBatch = Schema.Struct({
  after: LogMark,
  digest: ChainDigest,
  events: Schema.Array(FleetEvent).check(
    Schema.isMaxLength(maxBatchEvents),
    Schema.makeFilter((events) => events.reduce((sum, event) => sum + event[6].length, 0) <= maxDataLength)
  ),
  /** The clock of the host, epoch ms. No decision uses it. */
  now: isBetween(0, Number.MAX_SAFE_INTEGER),
  /** The host says goodbye, so its silence after this is expected. An earlier hub does not hear it. */
  away: Schema.optionalKey(Schema.Boolean)
})
export type FleetBatch = typeof FleetBatch.Type

/** A host, as it presents itself when it begins to ship. `machine`: a hash, or `null` where it has no identity. */
export const Introduction = Schema.Struct({
  host: storableText(256),
  machine: Schema.NullOr(storableText(64)),
  /** The host takes words of the operators of the fleet. A host of an earlier version takes none. */
  takesWords: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})
export type Introduction = typeof Introduction.Type

/** The answer to a batch: the mark of the hub. `words`: some wait there for this log. An earlier hub has none. */
export const Appended = Schema.Struct({
  ...LogMark.fields,
  words: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})
export type Appended = typeof Appended.Type

/**
 * How the hub has a log. `name`: the name of its host there; `null`: an earlier hub does not say it. `lastSeenAgo`: ms
 * since its host last spoke, by the clock of the hub.
 */
export const CopiedLog = Schema.Struct({
  mark: LogMark,
  name: Schema.NullOr(Bounds.words(64)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  forked: Schema.Boolean,
  lastSeenAgo: isBetween(0, Number.MAX_SAFE_INTEGER)
})
export type CopiedLog = typeof CopiedLog.Type

/** The token is missing, unknown or revoked. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {}, { httpApiStatus: 401 }) {
  override get message(): string {
    return "the hub does not know this token, or has revoked it"
  }
}

/** The hub has this log up to another place, or holds it for forked. */
export class OtherMark extends Schema.TaggedError<OtherMark>()(
  "OtherMark",
  { mark: LogMark, forked: Schema.Boolean },
  { httpApiStatus: 409 }
) {
  override get message(): string {
    return `the hub has this log up to position ${this.mark.position}${this.forked ? ", and another one of its name" : ""}`
  }
}

/** A log of this name belongs to another enrolled host, or to another machine. */
export class LogOfAnother extends Schema.TaggedError<LogOfAnother>()("LogOfAnother", {}, { httpApiStatus: 403 }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return 'the hub has this log of another host or machine. Where this state folder is a copy, or the machine has a new identity, "souffleur fleet rename" gives the log a name of its own'
  }
}

/** The hub has no log of this name: it was not begun, or the hub lost it. */
export class NoSuchLog extends Schema.TaggedError<NoSuchLog>()("NoSuchLog", {}, { httpApiStatus: 404 }) {
  override get message(): string {
    return 'the hub has no such log: "souffleur fleet ship" begins it'
  }
}

/** The host has begun too many logs. */
export class TooManyLogs extends Schema.TaggedError<TooManyLogs>()("TooManyLogs", {}, { httpApiStatus: 403 }) {
  override get message(): string {
    return "this host has too many logs at the hub"
  }
}

/** The batch contradicts itself: its digest does not match its events. */
export class BrokenBatch extends Schema.TaggedError<BrokenBatch>()("BrokenBatch", {}, { httpApiStatus: 422 }) {
  override get message(): string {
    return "the hub refuses a batch that contradicts itself"
  }
}

/**
 * The host has shipped its bytes of this day. `quota`: bytes a day. `left`: ms until the next day of the hub. The host
 * keeps what is left, and ships it then.
 */
export class QuotaReached extends Schema.TaggedError<QuotaReached>()(
  "QuotaReached",
  { quota: isBetween(0, Number.MAX_SAFE_INTEGER), left: isBetween(1, 86_400_000) },
  { httpApiStatus: 429 }
) {
  override get message(): string {
    return `the hub takes ${Words.count(this.quota)} bytes of this host in a day, and no more of them for ${Words.duration(this.left)}`
  }
}

/** The store of the hub is out. The host tries again later. */
export class StoreOut extends Schema.TaggedError<StoreOut>()("StoreOut", {}, { httpApiStatus: 503 }) {
  override get message(): string {
    return "the database of the hub is out, or cannot be used: its log says why"
  }
}

/** The enrolled host that a request comes from, by the name that the hub knows it by. */
export class EnrolledHost extends Context.Service<EnrolledHost, string>()("@souffleur/fleet/EnrolledHost") {}

/** Turns the token of a request into the host that was enrolled with it (spec: fleet#tokens). */
export class FleetAuthorization extends HttpApiMiddleware.Service<
  FleetAuthorization,
  { readonly provides: EnrolledHost }
>()("@souffleur/fleet/FleetAuthorization", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: [TokenRefused, StoreOut]
}) {}

/** The person that a request comes from, by the name that the hub knows. */
export class PersonAtHub extends Context.Service<
  PersonAtHub,
  {
    readonly name: string
    readonly role: FleetRole
    /** Names the present token of that person. */
    readonly since: string
  }
>()("@souffleur/fleet/PersonAtHub") {}

/** Turns the token of a request into the person that it was given to (spec: fleet#people). */
export class PersonAuthorization extends HttpApiMiddleware.Service<
  PersonAuthorization,
  { readonly provides: PersonAtHub }
>()("@souffleur/fleet/PersonAuthorization", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: [TokenRefused, StoreOut]
}) {}

const params = { log: LogName }
const wordParams = { word: WordId }

/** The requests of hosts and of people to a hub, and its answers, version 1 (spec: fleet#contract). */
export class FleetApi extends HttpApi.make("souffleur-fleet").add(
  HttpApiGroup.make("fleet")
    .add(
      HttpApiEndpoint.get("view", "/", { success: FleetView, error: [StoreOut] }),
      HttpApiEndpoint.get("metrics", "/metrics", {
        success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4" })),
        error: [StoreOut]
      }),
      HttpApiEndpoint.put("say", "/words/:word", {
        params: wordParams,
        payload: SaidWord,
        success: WordStanding,
        error: [OperatorOnly, WordKept, StoreOut]
      }),
      HttpApiEndpoint.get("word", "/words/:word", {
        params: wordParams,
        success: WordStanding,
        error: [NoSuchWord, StoreOut]
      })
    )
    .middleware(PersonAuthorization)
    .prefix("/v1/fleet"),
  HttpApiGroup.make("logs")
    .add(
      HttpApiEndpoint.put("begin", "/:log", {
        params,
        payload: Introduction,
        success: LogMark,
        error: [OtherMark, LogOfAnother, TooManyLogs, StoreOut]
      }),
      HttpApiEndpoint.get("look", "/:log", {
        params,
        success: CopiedLog,
        error: [NoSuchLog, LogOfAnother, StoreOut]
      }),
      HttpApiEndpoint.post("append", "/:log/events", {
        params,
        payload: FleetBatch,
        success: Appended,
        error: [OtherMark, NoSuchLog, LogOfAnother, BrokenBatch, QuotaReached, StoreOut]
      }),
      HttpApiEndpoint.post("fork", "/:log/fork", {
        params,
        payload: LogMark,
        success: LogMark,
        error: [NoSuchLog, LogOfAnother, StoreOut]
      }),
      HttpApiEndpoint.get("words", "/:log/words", {
        params,
        success: Schema.Array(WaitingWord).check(Schema.isMaxLength(maxWaiting)),
        error: [StoreOut]
      }),
      HttpApiEndpoint.post("answer", "/:log/words/:word", {
        params: { ...params, ...wordParams },
        payload: WordAnswer,
        error: [StoreOut]
      })
    )
    .middleware(FleetAuthorization)
    .prefix("/v1/logs")
) {}
