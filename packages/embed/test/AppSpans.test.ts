import { assert, describe, it } from "@effect/vitest"
import type { EventLog } from "@souffleur/domain"
import { FakeWorld, fakeKind, untilDone, untilEvent } from "@souffleur/testing"
import { Effect, Layer, Option, type Scope, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Parts, Souffleur } from "../src/index.ts"

const conductor = { pid: 4711, sessionId: "s1" }

/** An app with a tracer, in a world of its own. The app begins a watch in its span `job`. */
const app = <A, E>(
  use: (
    spans: ReadonlyArray<Tracer.NativeSpan>,
    world: FakeWorld,
    id: string
  ) => Effect.Effect<A, E, EventLog | Scope.Scope | Souffleur>
) => {
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
    yield* Effect.withTracerEnabled(untilEvent(id, "WatchSettled"), false)
    return yield* use(spans, world, id)
  }).pipe(
    Effect.scoped,
    // The layer is built in a span of the app, as a program's main effect has one.
    Effect.provide(Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))),
    Effect.withSpan("main"),
    Effect.withTracer(tracer)
  )
}

const named = (spans: ReadonlyArray<Tracer.NativeSpan>, name: string) => {
  const found = spans.find((one) => one.name === name)
  assert.isDefined(found, name)
  return found!
}

describe("behaviour#spans-of-an-app", () => {
  it.effect("each span has the prefix, the project and its watch, under the span of the call", () =>
    app((spans, _, id) =>
      Effect.sync(() => {
        const own = spans.slice(spans.indexOf(named(spans, "job")) + 1)
        assert.isAbove(own.length, 20)
        assert.deepStrictEqual(
          own.filter(({ name }) => !name.startsWith("souffleur.")).map(({ name }) => name),
          []
        )
        assert.deepStrictEqual([...new Set(own.map(({ attributes }) => attributes.get("souffleur.project")))], ["/p"])
        const call = named(spans, "souffleur.Souffleur.watch")
        assert.strictEqual(Option.getOrThrow(call.parent).spanId, named(spans, "job").spanId)
        const after = own.slice(own.indexOf(named(spans, "souffleur.keepWatch")))
        for (const { attributes, name } of [call, ...after])
          assert.strictEqual(attributes.get("souffleur.watch"), id, name)
      })
    )
  )
  it.effect("a poll and a recovery are traces of their own, with a link to the watch, and that to its call", () =>
    app((spans, world, id) =>
      Effect.gen(function* () {
        yield* world.conductor.dies
        yield* Effect.withTracerEnabled(untilEvent(id, "ConductorRelaunched"), false)
        const begun = (name: string) => {
          const span = named(spans, name)
          assert.isTrue(Option.isNone(span.parent), name)
          return named(
            spans.filter(({ spanId }) => spanId === span.links[0]?.span.spanId),
            name === "souffleur.looking" ? "souffleur.keepWatch" : "souffleur.Supervisor.supervise"
          )
        }
        const watch = named(spans, "souffleur.looking").traceId
        assert.strictEqual(begun("souffleur.looking").traceId, named(spans, "job").traceId)
        for (const name of ["souffleur.Watcher.poll", "souffleur.recovery"]) {
          assert.strictEqual(begun(name).traceId, watch)
          assert.strictEqual(named(spans, name).attributes.get("souffleur.generation"), 1)
        }
        const recovery = named(spans, "souffleur.recovery").traceId
        assert.includeMembers(
          spans.filter(({ traceId }) => traceId === recovery).map(({ name }) => name),
          ["souffleur.launchSuccessor", "souffleur.dispatch"]
        )
      })
    )
  )
  it.effect("a step of a plan is a trace of its own, with its project, its plan and its task, linked to the plan", () =>
    app((spans, world) =>
      Effect.gen(function* () {
        const { conduct } = yield* Souffleur
        world.files.write(
          "/q/plan.yaml",
          "workflow_id: w\ntasks: [{ id: t1, title: T, description: D, acceptance_criteria: A }]\n"
        )
        const order = { project: "/q", plan: "plan.yaml", permission: "acceptEdits" } as const
        const { awaitEnd, id } = yield* conduct(order).pipe(Effect.withSpan("plan"))
        yield* Effect.withTracerEnabled(untilDone(awaitEnd), false)
        const conducting = named(spans, "souffleur.conducting")
        assert.isTrue(Option.isNone(conducting.parent))
        const steps = spans.filter(({ name }) => name === "souffleur.Conduct.step")
        assert.isAbove(steps.length, 3)
        for (const { attributes, links, parent } of steps) {
          assert.isTrue(Option.isNone(parent))
          assert.strictEqual(links[0]?.span.traceId, conducting.traceId)
          assert.deepStrictEqual([attributes.get("souffleur.project"), attributes.get("souffleur.plan")], ["/q", id])
        }
        assert.isTrue(steps.some(({ attributes }) => attributes.get("souffleur.task") === "t1"))
      })
    )
  )
  it.effect("a watch at rest makes one span a minute at most, that of its poll", () =>
    app((spans) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("5 minutes")
        const before = spans.length
        yield* TestClock.adjust("20 minutes")
        const names = spans.slice(before).map(({ name }) => name)
        assert.deepStrictEqual([...new Set(names)], ["souffleur.Watcher.poll"])
        assert.isAtMost(names.length, 20)
      })
    )
  )
})
