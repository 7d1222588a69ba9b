import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { RunLog } from "@souffleur/plan"
import { FakeWorld } from "@souffleur/testing"
import { Effect, Layer, Result, Schedule } from "effect"
import { numbersTeller, tellNumbers } from "../src/metrics/MetricsTeller.ts"
import { metricsData } from "../src/metrics/OtlpNumbers.ts"
import { MetricsCollector, otlpTarget } from "../src/trace/OtlpTarget.ts"
import { type Collected, collector, TracedNight } from "./TracedNight.ts"

const services = Layer.mergeAll(EventLog.layerMemory, RunLog.layerMemory, new FakeWorld().processes.layer)
const variablesOf = (url: string) => ({
  SOUFFLEUR_OTEL: "1",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/v1/metrics`,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_METRIC_EXPORT_INTERVAL: "1"
})
const collectedBy = (variables: Readonly<Record<string, string>>) =>
  Effect.provideService(MetricsCollector, Result.getOrThrow(otlpTarget(variables, "metrics")))

const metricsIn = ({ body }: Collected): ReadonlyArray<{ readonly name: string; readonly sum: unknown }> =>
  JSON.parse(body.toString()).resourceMetrics[0].scopeMetrics[0].metrics

describe("command-line#numbers-by-otlp", () => {
  it("a counter, a gauge and a histogram are those of OTLP, whose buckets hold no other", () => {
    const histogram = {
      type: "histogram",
      name: "seconds",
      help: "h",
      samples: [
        { suffix: "_bucket", labels: { outcome: "taken", le: "1" }, value: 2 },
        { suffix: "_bucket", labels: { outcome: "taken", le: "5" }, value: 3 },
        { suffix: "_bucket", labels: { outcome: "taken", le: "+Inf" }, value: 7 },
        { suffix: "_sum", labels: { outcome: "taken" }, value: 99.5 },
        { suffix: "_count", labels: { outcome: "taken" }, value: 7 },
        { suffix: "_count", labels: { outcome: "lost" }, value: 0 }
      ]
    } as const
    const { resourceMetrics } = metricsData(
      { service: "night", attributes: { host: "opera" } },
      [
        { type: "gauge", name: "jobs", help: "j", samples: [{ labels: { project: "/p\n" }, value: 1.5 }] },
        { type: "counter", name: "deaths_total", help: "d", samples: [{ labels: {}, value: 4 }] },
        histogram
      ],
      1234
    )
    const [gauge, counter, last] = resourceMetrics[0]!.scopeMetrics[0]!.metrics
    const time = { startTimeUnixNano: "0", timeUnixNano: "1234000000" }
    const text = (key: string, stringValue: string) => [{ key, value: { stringValue } }]
    assert.deepStrictEqual(gauge?.gauge?.dataPoints, [
      { ...time, attributes: text("project", "p\\u000a"), asDouble: 1.5 }
    ])
    assert.deepInclude(counter?.sum, { isMonotonic: true, aggregationTemporality: 2 })
    assert.deepStrictEqual(counter?.sum?.dataPoints, [{ ...time, attributes: [], asDouble: 4 }])
    assert.deepStrictEqual(last?.histogram?.dataPoints, [
      {
        ...time,
        attributes: text("outcome", "taken"),
        count: 7,
        sum: 99.5,
        bucketCounts: [2, 1, 4],
        explicitBounds: [1, 5]
      },
      { ...time, attributes: text("outcome", "lost"), count: 0, sum: 0, bucketCounts: [], explicitBounds: [] }
    ])
    assert.deepInclude(resourceMetrics[0]!.resource.attributes, {
      key: "service.name",
      value: { stringValue: "night" }
    })
  })
  it.live("the numbers of the log are exported again and again, also after a collector was out", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector(503, 200)
      yield* EventLog.use((log) => log.append("opera-1507", 0, TracedNight.events))
      const both = Effect.repeat(Effect.void, { until: () => got.length >= 2, schedule: Schedule.spaced("5 millis") })
      yield* Effect.raceFirst(numbersTeller, both).pipe(collectedBy(variablesOf(url)))
      assert.strictEqual(got[1]!.url, "/v1/metrics")
      const deaths = metricsIn(got[1]!).find(({ name }) => name === "souffleur_deaths_total")
      assert.include(JSON.stringify(deaths?.sum), '"asDouble":1')
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live("a collector that is down or not named costs nothing, and one of Protobuf gets bytes", () =>
    Effect.gen(function* () {
      yield* tellNumbers
      yield* numbersTeller
      const gone = yield* Effect.scoped(collector())
      yield* collectedBy(variablesOf(gone.url))(tellNumbers)
      const { got, url } = yield* collector()
      yield* collectedBy({ SOUFFLEUR_OTEL: "1", OTEL_EXPORTER_OTLP_ENDPOINT: url })(tellNumbers)
      assert.deepStrictEqual([got[0]?.url, got[0]?.headers["content-type"]], ["/v1/metrics", "application/x-protobuf"])
      assert.include(got[0]?.body.toString("latin1"), "souffleur_jobs")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it("a number that leaves this host names a project by its folder's name alone", () => {
    const family = {
      type: "gauge",
      name: "n",
      help: "h",
      samples: [{ labels: { watch: "w", project: "/home/me/secret/opera" }, value: 1 }]
    } as const
    const data = metricsData({ service: "night", attributes: {} }, [family], 1)
    const [point] = data.resourceMetrics[0]!.scopeMetrics[0]!.metrics[0]!.gauge!.dataPoints
    assert.deepStrictEqual(point?.attributes.at(-1), { key: "project", value: { stringValue: "opera" } })
  })
  it("OTEL_METRICS_EXPORTER=none asks for no numbers, and its interval is that of OpenTelemetry", () => {
    const url = "http://collector:4318"
    const target = (more: Readonly<Record<string, string>>) =>
      Result.getOrThrow(otlpTarget({ SOUFFLEUR_OTEL: "1", OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more }, "metrics"))
    assert.deepInclude(target({}), { url: `${url}/v1/metrics`, interval: 60_000 })
    assert.strictEqual(target({ OTEL_METRIC_EXPORT_INTERVAL: "5000" })?.interval, 5000)
    assert.isNull(target({ OTEL_METRICS_EXPORTER: "none" }))
    assert.isNull(Result.getOrThrow(otlpTarget({ SOUFFLEUR_OTEL: "1", OTEL_TRACES_EXPORTER: "otlp" }, "metrics")))
  })
})
