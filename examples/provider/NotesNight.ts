import { Parts, Souffleur } from "@souffleur/embed"
import { Roles, standardProviders } from "@souffleur/supervisor"
import { fakeKind, FakeWorld, untilEvent } from "@souffleur/testing"
import { Console, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { strictEqual } from "node:assert"
import { fromNotes } from "./NotesProvider.ts"

/** A night in memory in which a Conductor hangs. Returns the provider that launched its successor. */
const night = (notes: string | undefined) => {
  const conductor = { pid: 4711, sessionId: "s1" }
  const world = new FakeWorld({ conductor })
  if (notes !== undefined) world.files.write("/p/NOTES.md", notes)
  const roles = Roles.layerWith([fromNotes, ...standardProviders])
  const souffleur = Souffleur.layer.pipe(
    Layer.provide(Parts.layerFixed(fakeKind, { roles })),
    Layer.provideMerge(world.layer),
    Layer.provideMerge(TestClock.layer())
  )
  return Effect.gen(function* () {
    const { id } = yield* (yield* Souffleur).watch({ project: "/p", ...conductor })
    yield* untilEvent(id, "WatchSettled")
    yield* world.conductor.hangs
    const { provider } = yield* untilEvent(id, "ConductorRelaunched")
    yield* Console.log(`${world.did.join(", ")}: ${world.launches[0]?.order?.prompt.split("\n")[0]}`)
    return provider
  }).pipe(Effect.scoped, Effect.provide(souffleur))
}

const program = Effect.gen(function* () {
  strictEqual(yield* night("Next: part two.\n"), "from_notes")
  strictEqual(yield* night(undefined), "resume")
  yield* Console.log("from_notes launches where there are notes, and hands on where there are none")
})
await Effect.runPromise(program)
