import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, type HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import { OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import type { Family } from "@souffleur/domain"
import { metricsData } from "../metrics/OtlpNumbers.ts"
import type { OtlpTarget } from "./OtlpTarget.ts"
import type { Span } from "./RecoveryTrace.ts"

/** A collector did not take data. `final`: another try would be in vain. No word of the collector is in `message`. */
export class OtlpUntaken extends Schema.TaggedError<OtlpUntaken>()("OtlpUntaken", {
  message: Schema.String,
  final: Schema.Boolean
}) {}

/** Returns spans as OTLP has them, with the resource that they are of. */
export const traceData = (
  { attributes, service }: Pick<OtlpTarget, "attributes" | "service">,
  spans: ReadonlyArray<Span>
): OtlpTracer.TraceData => ({
  resourceSpans: [
    {
      resource: OtlpResource.make({ serviceName: service, attributes }),
      scopeSpans: [{ scope: { name: "souffleur" }, spans: [...spans] }]
    }
  ]
})

const unreachable = new OtlpUntaken({ message: "the collector could not be reached", final: false })
const silent = new OtlpUntaken({ message: "the collector did not answer in time", final: false })

/** The answers after which OTLP asks for another try. */
const later: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Sends a body to a collector once. It reads the status alone. Fails with `OtlpUntaken`. */
const sendOtlp = Effect.fn("sendOtlp")(
  function* (target: OtlpTarget, bodyOf: (to: OtlpSerialization.OtlpSerialization["Service"]) => HttpBody.HttpBody) {
    const client = yield* HttpClient.HttpClient
    const plain = HttpClientRequest.post(target.url).pipe(
      HttpClientRequest.setHeaders(target.headers),
      HttpClientRequest.setBody(bodyOf(yield* OtlpSerialization.OtlpSerialization))
    )
    const request = target.gzip ? yield* HttpClientRequest.compressBody(plain, "gzip") : plain
    const { status } = yield* client.execute(request).pipe(
      Effect.mapError(() => unreachable),
      Effect.timeoutOrElse({ duration: target.timeout, orElse: () => Effect.fail(silent) })
    )
    if (status >= 200 && status < 300) return
    return yield* new OtlpUntaken({ message: `the collector answered ${status}`, final: !later.has(status) })
  },
  (sending, { protocol }) =>
    sending.pipe(
      Effect.provide(
        Layer.merge(
          FetchHttpClient.layer,
          protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
        )
      ),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false)
    )
)

/** Sends spans to a collector once. Fails with `OtlpUntaken`. */
export const sendTraces = (target: OtlpTarget, spans: ReadonlyArray<Span>) =>
  sendOtlp(target, ({ traces }) => traces(traceData(target, spans)))

/** Sends numbers of a time (epoch ms) to a collector once. Fails with `OtlpUntaken`. */
export const sendMetrics = (target: OtlpTarget, families: ReadonlyArray<Family>, at: number) =>
  sendOtlp(target, ({ metrics }) => metrics(metricsData(target, families, at)))
