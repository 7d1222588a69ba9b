import { assert, it } from "@effect/vitest"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Effect, Layer, Tracer } from "effect"
import { Parts, Souffleur } from "../src/index.ts"

it.effect(
  "an app's tracer has the spans of its watch, from the call to the roles, in the trace of its own span",
  () => {
    const conductor = { pid: 4711, sessionId: "s1" }
    const world = new FakeWorld({ conductor })
    const spans = new Array<Tracer.NativeSpan>()
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch({ ...conductor, project: "/p", comms: null }).pipe(Effect.withSpan("job"))
      yield* untilEvent(id, "WatchSettled")
      yield* world.conductor.dies
      yield* untilEvent(id, "ConductorRelaunched")
      const job = spans.find(({ name }) => name === "job")!
      const names = spans.filter(({ traceId }) => traceId === job.traceId).map(({ name }) => name)
      assert.includeMembers(names, [
        "Souffleur.watch",
        "Supervisor.supervise",
        "watcher",
        "selfMonitor",
        "recovery",
        "launchSuccessor"
      ])
    }).pipe(
      Effect.scoped,
      Effect.withTracer(tracer),
      Effect.provide(Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer)))
    )
  }
)
