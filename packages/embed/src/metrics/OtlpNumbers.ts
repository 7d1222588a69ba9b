import { plain } from "@souffleur/domain"
import { type OtlpMetrics, OtlpResource } from "effect/observability"
import type { OtlpTarget } from "../trace/OtlpTarget.ts"
import type { Family, Sample } from "@souffleur/domain"

type Metric = OtlpMetrics.MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number]

/** The code of OTLP for numbers that count from a begin on. */
const cumulative = 2

/** A path stays on its host: a project is its folder's name, as in a notice to a server. */
const told = (key: string, text: string) => plain(key === "project" ? text.slice(text.lastIndexOf("/") + 1) : text)
const attributesOf = (labels: Sample["labels"]) =>
  Object.entries(labels).flatMap(([key, text]) =>
    key === "le" ? [] : [{ key, value: { stringValue: told(key, text) } }]
  )

/** The times of a point. The begin of its count is not known, which is 0 in OTLP. */
const timesOf = (at: number) => ({ startTimeUnixNano: "0", timeUnixNano: `${at}000000` })

/** Returns the points of a histogram: its samples by their labels. A bucket of OTLP does not hold those below it. */
const histogramPoints = (samples: ReadonlyArray<Sample>, at: number) =>
  [...Map.groupBy(samples, ({ labels }) => JSON.stringify(attributesOf(labels))).values()].map((own) => {
    const numberOf = (suffix: Sample["suffix"]) => own.find((one) => one.suffix === suffix)?.value ?? 0
    const buckets = own.filter(({ suffix }) => suffix === "_bucket")
    return {
      attributes: attributesOf(own[0]!.labels),
      ...timesOf(at),
      count: numberOf("_count"),
      sum: numberOf("_sum"),
      bucketCounts: buckets.map(({ value }, n) => value - (buckets[n - 1]?.value ?? 0)),
      explicitBounds: buckets.slice(0, -1).map(({ labels }) => Number(labels["le"]))
    }
  })

const metricOf = ({ help: description, name, samples, type }: Family, at: number): Metric => {
  const metric = { name, description, unit: "" }
  if (type === "histogram")
    return {
      ...metric,
      histogram: { aggregationTemporality: cumulative, dataPoints: histogramPoints(samples, at) }
    }
  const dataPoints = samples.map(({ labels, value }) => ({
    attributes: attributesOf(labels),
    ...timesOf(at),
    asDouble: value
  }))
  return type === "gauge"
    ? { ...metric, gauge: { dataPoints } }
    : { ...metric, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }
}

/** Returns numbers of a time (epoch ms) as OTLP has them, with the resource that they are of. */
export const metricsData = (
  { attributes, service }: Pick<OtlpTarget, "attributes" | "service">,
  families: ReadonlyArray<Family>,
  at: number
): OtlpMetrics.MetricsData => ({
  resourceMetrics: [
    {
      resource: OtlpResource.make({ serviceName: service, attributes }),
      scopeMetrics: [{ scope: { name: "souffleur" }, metrics: families.map((family) => metricOf(family, at)) }]
    }
  ]
})
