import { assert, describe, it } from "@effect/vitest"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Clock, Effect, Layer } from "effect"
import { Parts, Souffleur } from "../src/index.ts"

const conductor = { pid: 4711, sessionId: "s1" }
const asked = { ...conductor, project: "/p", comms: null }

describe("fleet#words", () => {
  it.effect("a word through the fleet has one effect, whenever it comes again, and is told as taken each time", () => {
    const world = new FakeWorld({ conductor })
    const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      const { revision } = (yield* souffleur.find(id)).watch
      const until = (yield* Clock.currentTimeMillis) + 1000
      const hold = { watch: id, id: "w1", person: "anna", word: "hold", seen: revision, until } as const
      const tags = Effect.map(souffleur.history(id, { after: revision }), (all) =>
        all.map(({ event }) => (event._tag === "FleetWordTaken" ? [event.by, event.word] : event._tag))
      )
      assert.isDefined((yield* souffleur.takeWord(hold)).held)
      assert.isDefined((yield* souffleur.takeWord(hold)).held)
      assert.deepStrictEqual(yield* tags, [["anna", "hold"], "HoldStarted"])
      // Another word for the same revision comes too late. A revision may also be still to come.
      for (const other of [
        { ...hold, id: "w2" },
        { ...hold, id: "w2", seen: revision + 99 },
        { ...hold, id: "w2", seen: revision + 2, until: until - 2000 }
      ])
        assert.strictEqual((yield* Effect.flip(souffleur.takeWord(other)))._tag, "Refused")
      // Neither a session nor a run is the name of a watch.
      for (const watch of [asked.sessionId, `run/${id}`, "another"])
        assert.deepInclude(yield* Effect.flip(souffleur.takeWord({ ...hold, watch, seen: revision + 2 })), {
          _tag: "Refused",
          reason: "no such watch"
        })
      yield* souffleur.go(id)
      assert.isUndefined((yield* souffleur.takeWord(hold)).held)
      assert.deepStrictEqual(yield* tags, [["anna", "hold"], "HoldStarted", "HoldEnded"])
      const release = { ...hold, id: "w3", word: "release", seen: revision + 3 } as const
      for (const _ of [1, 2]) assert.strictEqual((yield* souffleur.takeWord(release)).end, "released")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
