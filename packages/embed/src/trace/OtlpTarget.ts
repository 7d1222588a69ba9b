import type { Variables } from "@souffleur/domain"
import { Context, Effect, Layer, Result } from "effect"
import { Installation } from "../world/Installation.ts"

/** The kinds of data that a collector takes. */
export type OtlpSignal = "traces" | "metrics"

/** A collector of one signal, and how it is spoken to. */
export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly gzip: boolean
  /** Milliseconds for one answer. */
  readonly timeout: number
  /** Milliseconds from one export of numbers to the next. */
  readonly interval: number
  readonly service: string
  /** The further attributes of the resource. */
  readonly attributes: Readonly<Record<string, string>>
}

/** The default of OpenTelemetry: a collector on this host. */
const defaultEndpoint = "http://localhost:4318"

/** The defaults of OpenTelemetry, in milliseconds. */
const [defaultTimeout, defaultInterval] = [10_000, 60_000]

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads `key=value,key2=value2`, as OTEL_RESOURCE_ATTRIBUTES and the headers have it. */
const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at <= 0 ? [] : [[decoded(pair.slice(0, at).trim()), decoded(pair.slice(at + 1).trim())]]
    })
  )

/** Returns the address of a signal; `undefined`: it is none. */
const addressOf = (signal: OtlpSignal, own: string, shared: string): string | undefined => {
  const base = own === "" ? `${(shared === "" ? defaultEndpoint : shared).replace(/\/$/u, "")}/v1/${signal}` : own
  return URL.canParse(base) && /^https?:$/u.test(new URL(base).protocol) ? base : undefined
}

/**
 * Reads the variables of OpenTelemetry for one signal (spec: command-line#traces). `null`: they ask for none of it.
 * `asked`: a person asks for it now. Fails with a sentence where they cannot be used.
 */
export const otlpTarget = (
  variables: Variables,
  signal: OtlpSignal,
  asked = false
): Result.Result<OtlpTarget | null, string> => {
  const word = (name: string) => (variables[`OTEL_${name}`] ?? "").trim()
  const prefix = `EXPORTER_OTLP_${signal.toUpperCase()}_`
  const own = (name: string) => word(`${prefix}${name}`) || word(`EXPORTER_OTLP_${name}`)
  const exporter = word(`${signal.toUpperCase()}_EXPORTER`).toLowerCase()
  // A CI names its collector for other programs too, which says nothing of souffleur.
  const ofSouffleur = (variables["SOUFFLEUR_OTEL"] ?? "").trim() === "1"
  const wanted = asked || (ofSouffleur && (exporter === "otlp" || own("ENDPOINT") !== ""))
  if (!wanted || word("SDK_DISABLED").toLowerCase() === "true") return Result.succeed(null)
  if (exporter !== "" && exporter !== "otlp") return Result.succeed(null)
  const url = addressOf(signal, word(`${prefix}ENDPOINT`), word("EXPORTER_OTLP_ENDPOINT"))
  if (url === undefined) return Result.fail("OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL")
  const protocol = own("PROTOCOL") || "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json")
    return Result.fail("OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf or http/json here, and the port of both is 4318")
  const { "service.name": named, ...attributes } = pairs(word("RESOURCE_ATTRIBUTES"))
  const millis = (text: string, usual: number) => {
    const number = Number(text || usual)
    return Number.isSafeInteger(number) && number > 0 ? number : usual
  }
  return Result.succeed({
    url,
    headers: pairs(own("HEADERS")),
    protocol,
    gzip: own("COMPRESSION") === "gzip",
    timeout: millis(own("TIMEOUT"), defaultTimeout),
    interval: millis(word("METRIC_EXPORT_INTERVAL"), defaultInterval),
    service: word("SERVICE_NAME") || named || "souffleur",
    attributes
  })
}

/** The collector of the recoveries of a watch; `null`: there is none. */
export const TraceCollector = Context.Reference<OtlpTarget | null>("@souffleur/embed/TraceCollector", {
  defaultValue: () => null
})

/** The collector of the numbers of a log; `null`: there is none. */
export const MetricsCollector = Context.Reference<OtlpTarget | null>("@souffleur/embed/MetricsCollector", {
  defaultValue: () => null
})

const collectorOf = (signal: OtlpSignal) =>
  Effect.flatMap(Installation, ({ variables }) =>
    Result.match(otlpTarget(variables, signal), {
      onSuccess: Effect.succeed,
      onFailure: (problem) => Effect.as(Effect.logWarning(`no ${signal} are exported: ${problem}`), null)
    })
  )

/** Reads the collectors from the environment. An unusable one is a warning, and hinders no watch. */
export const layer = Layer.merge(
  Layer.effect(TraceCollector, collectorOf("traces")),
  Layer.effect(MetricsCollector, collectorOf("metrics"))
)
