import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog, type WatchEvent } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { Effect, Fiber, Layer, Result } from "effect"
import { recoveriesOf } from "../src/timeline/Recoveries.ts"
import { watchChanges } from "../src/timeline/WatchChange.ts"
import { otlpTarget, TraceCollector } from "../src/trace/OtlpTarget.ts"
import { traceIdOf } from "../src/trace/RecoveryTrace.ts"
import { dueTraces, traceTeller } from "../src/trace/TraceTeller.ts"
import { type Collected, collector, TracedNight } from "./TracedNight.ts"

const id = "opera-1507"
const { events, recorded } = TracedNight
const released = Event.WatchReleased.make({ at: 10_000, exportPath: null })
const services = Layer.merge(EventLog.layerMemory, Cursor.layerMemory)

const append = (after: number, more: ReadonlyArray<WatchEvent>) => EventLog.use((log) => log.append(id, after, more))
const telling = (url: string, more: Readonly<Record<string, string>> = {}) => {
  const variables = {
    SOUFFLEUR_OTEL: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    ...more
  }
  return Effect.provideService(traceTeller(id), TraceCollector, Result.getOrThrow(otlpTarget(variables, "traces")))
}
const own = traceIdOf(id, recoveriesOf(watchChanges(recorded))[0]!)
const spansIn = ({ body }: Collected) =>
  JSON.parse(body.toString()).resourceSpans[0].scopeSpans[0].spans as ReadonlyArray<{ readonly traceId: string }>

describe("command-line#traces", () => {
  it.live("a recovery is exported once, whole, by the souffleur that goes on with it", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      yield* append(0, events.slice(0, 5))
      const first = yield* Effect.forkChild(telling(url))
      yield* Effect.yieldNow
      // souffleur is killed in the middle of the recovery.
      yield* Fiber.interrupt(first)
      yield* append(5, events.slice(5))
      yield* append(events.length, [released])
      yield* telling(url)
      assert.lengthOf(got, 1)
      assert.strictEqual(got[0]!.url, "/v1/traces")
      const spans = spansIn(got[0]!)
      assert.lengthOf(spans, 3)
      assert.deepStrictEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([yield* own]))
      yield* telling(url)
      assert.lengthOf(got, 1)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it("a recovery that runs waits for its end, and an exported one is not exported again", () => {
    const due = (count: number, told: number) => dueTraces(recorded.slice(0, count), told).map(({ cycle }) => cycle)
    assert.deepStrictEqual([due(9, 0), due(10, 0), due(10, 3), due(10, 4)], [[], [1], [1], []])
  })
  it.live("a recovery is exported while its watch goes on, and a collector that is busy is asked again", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector(503, 200)
      yield* append(0, events.slice(0, 5))
      const following = yield* Effect.forkChild(telling(url))
      yield* append(5, events.slice(5))
      yield* append(events.length, [released])
      yield* Fiber.join(following)
      assert.lengthOf(got, 2)
      assert.deepStrictEqual(got[0]!.body, got[1]!.body)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live("a collector that refuses gets a trace once, and a missing one delays no watch", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector(400)
      yield* append(0, [...events, released])
      yield* telling(url)
      yield* telling(url)
      assert.lengthOf(got, 1)
      const gone = yield* Effect.scoped(collector())
      yield* Effect.provide(
        Effect.andThen(
          append(0, [...events, released]),
          Effect.gen(function* () {
            const waits = yield* Effect.forkChild(telling(gone.url))
            yield* Effect.yieldNow
            yield* Fiber.interrupt(waits)
            assert.strictEqual(yield* Cursor.use((cursor) => cursor.position(`${id}/traced`)), 0)
          })
        ),
        Layer.fresh(services)
      )
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live("a trace is sent in the form, with the headers and the packing that the variables name", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      yield* append(0, [...events, released])
      yield* telling(url, {
        OTEL_EXPORTER_OTLP_PROTOCOL: "",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret",
        OTEL_SERVICE_NAME: "night",
        // Little is sent as it is.
        OTEL_RESOURCE_ATTRIBUTES: `long=${"x".repeat(2000)}`
      })
      const [{ body, headers }] = got as [Collected]
      assert.strictEqual(headers["content-type"], "application/x-protobuf")
      assert.strictEqual(headers["content-encoding"], "gzip")
      assert.strictEqual(headers["x-key"], "secret")
      assert.isTrue(body.includes(Buffer.from(yield* own, "hex")))
      assert.isTrue(body.includes("night"))
      assert.isUndefined(headers["traceparent"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  it.effect("a watch is followed by no teller where no collector is named", () =>
    traceTeller(id).pipe(Effect.provide(services))
  )
})
