import { assert, describe, it } from "@effect/vitest"
import type { WatchEvent } from "@souffleur/domain"
import { Effect, Result } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { recoveriesOf } from "../src/timeline/Recoveries.ts"
import { watchChanges } from "../src/timeline/WatchChange.ts"
import { otlpTarget } from "../src/trace/OtlpTarget.ts"
import { recoveryAt, traceIdOf, traceOf } from "../src/trace/RecoveryTrace.ts"
import { TracedNight } from "./TracedNight.ts"

const at = <E extends WatchEvent>(at: number, event: E): E => ({ ...event, at })
const { recorded, taken } = TracedNight
const only = (events: typeof recorded) => recoveriesOf(watchChanges(events))[0]!
const closed = (time: number) => [
  ...recorded.slice(0, 4),
  { ...recorded[3]!, revision: 5, event: at(time, examples.RecoveryFailedClosed) }
]

const target = (variables: Readonly<Record<string, string>>, asked = false) =>
  Result.getOrThrow(otlpTarget({ SOUFFLEUR_OTEL: "1", ...variables }, "traces", asked))

describe("command-line#traces", () => {
  it.effect("a recovery is one trace, whole although souffleur was killed in it, with a span for each attempt", () =>
    Effect.gen(function* () {
      const [root, ...steps] = yield* traceOf("opera-1507", only(recorded))
      assert.deepInclude(root, { name: "recovery", startTimeUnixNano: "5000000000", endTimeUnixNano: "9000000000" })
      assert.deepStrictEqual(root!.status, { code: 1 })
      assert.deepStrictEqual(
        root!.events.map(({ name, timeUnixNano }) => [name, timeUnixNano]),
        [
          ["another souffleur took the watch", "7000000000"],
          ["launched", "8000000000"]
        ]
      )
      assert.deepStrictEqual(
        steps.map(({ endTimeUnixNano, name, startTimeUnixNano, status }) => [
          name,
          startTimeUnixNano,
          endTimeUnixNano,
          status.code
        ]),
        [
          ["trim", "6000000000", "7100000000", 2],
          ["trim", "7100000000", "7500000000", 1]
        ]
      )
      const values = Object.fromEntries(
        root!.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue])
      )
      assert.deepInclude(values, {
        "souffleur.watch": "opera-1507",
        "souffleur.cycle": 1,
        "souffleur.trigger": "pid",
        "souffleur.outcome": "taken",
        "souffleur.context_tokens": 484
      })
      for (const span of [root!, ...steps]) {
        assert.match(span.traceId, /^[\da-f]{32}$/u)
        assert.match(span.spanId, /^[\da-f]{16}$/u)
        assert.strictEqual(span.traceId, root!.traceId)
      }
      assert.deepStrictEqual(new Set(steps.map(({ parentSpanId }) => parentSpanId)), new Set([root!.spanId]))
      assert.strictEqual(new Set([root!, ...steps].map(({ spanId }) => spanId)).size, 3)
    })
  )
  it.effect("the ids of a trace are the same each time, and those of another watch or recovery differ", () =>
    Effect.gen(function* () {
      const recovery = only(recorded)
      const id = yield* traceIdOf("opera-1507", recovery)
      assert.strictEqual(id, yield* traceIdOf("opera-1507", only(recorded)))
      const others = yield* Effect.all([
        traceIdOf("opera-1508", recovery),
        traceIdOf("opera-1507", { ...recovery, revision: 99 }),
        traceIdOf("opera-1507", { ...recovery, from: 1 })
      ])
      assert.strictEqual(new Set([id, ...others]).size, 4)
    })
  )
  it.effect("a recovery that brought nothing back is an error in its trace", () =>
    Effect.gen(function* () {
      const [root] = yield* traceOf("w", only(closed(6000)))
      assert.deepStrictEqual(root!.status, { code: 2, message: "failed closed" })
    })
  )
  it.effect("a clock that went back makes no span that ends before it begins", () =>
    Effect.gen(function* () {
      const [root] = yield* traceOf("w", only(closed(1)))
      assert.strictEqual(root!.endTimeUnixNano, root!.startTimeUnixNano)
    })
  )
  it("a decision belongs to the recovery that it began, or that it was made in", () => {
    assert.strictEqual(recoveryAt(recorded, 5000)?.cycle, 1)
    assert.strictEqual(recoveryAt(recorded, taken)?.cycle, 1)
    assert.isUndefined(recoveryAt(recorded, 4999))
    assert.isUndefined(recoveryAt(recorded, taken + 1))
  })
  it("nothing is exported unless SOUFFLEUR_OTEL and a collector are named, or a person asks", () => {
    assert.isNull(Result.getOrThrow(otlpTarget({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, "traces")))
    for (const other of ["", "0", "no"])
      assert.isNull(target({ OTEL_TRACES_EXPORTER: "otlp", SOUFFLEUR_OTEL: other }), other)
    assert.isNull(target({}))
    assert.isNull(target({ OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://c:4318" }))
    const defaults = {
      url: "http://localhost:4318/v1/traces",
      headers: {},
      protocol: "http/protobuf",
      gzip: false,
      timeout: 10_000,
      interval: 60_000,
      service: "souffleur",
      attributes: {}
    }
    assert.deepStrictEqual(target({ OTEL_TRACES_EXPORTER: "otlp" }), defaults)
    assert.deepStrictEqual(target({}, true), defaults)
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/base/" }
    assert.strictEqual(target(endpoint)?.url, "http://c:4318/base/v1/traces")
    for (const off of [{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }]) {
      assert.isNull(target({ ...endpoint, ...off }))
      assert.isNull(target({ ...endpoint, ...off }, true))
    }
  })
  it("the variables of traces alone outrank those of all signals", () => {
    assert.deepStrictEqual(
      target({
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t/here",
        OTEL_EXPORTER_OTLP_HEADERS: "a=b",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20x, b=c=d",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment=night%20shift",
        OTEL_SERVICE_NAME: "mine"
      }),
      {
        url: "https://t/here",
        headers: { authorization: "Bearer x", b: "c=d" },
        protocol: "http/json",
        gzip: true,
        interval: 60_000,
        timeout: 500,
        service: "mine",
        attributes: { "deployment.environment": "night shift" }
      }
    )
    for (const wrong of [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317" },
      { OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
    ])
      assert.isTrue(Result.isFailure(otlpTarget({ SOUFFLEUR_OTEL: "1", ...wrong }, "traces")), JSON.stringify(wrong))
    const odd = target({
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
      OTEL_EXPORTER_OTLP_HEADERS: "a=%zz,=,b"
    })
    assert.deepStrictEqual([odd?.timeout, odd?.headers], [10_000, { a: "%zz" }])
  })
})
