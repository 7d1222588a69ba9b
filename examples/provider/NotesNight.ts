import { command, own, Roles, standardProviders, supervise } from "@souffleur/supervisor"
import { FakeWorld, identityOf, untilEvent } from "@souffleur/testing"
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
  return Effect.gen(function* () {
    const named = { ...conductor, process: identityOf(conductor.pid) }
    yield* command("night", { _tag: "Open", project: "/p", comms: null, observe: false, ...named })
    const { fence, ref } = yield* own("night")
    yield* Effect.forkScoped(supervise(ref, fence))
    yield* untilEvent("night", "WatchSettled")
    yield* world.conductor.hangs
    const { provider } = yield* untilEvent("night", "ConductorRelaunched")
    yield* Console.log(`${world.did.join(", ")}: ${world.launches[0]?.order?.prompt.split("\n")[0]}`)
    return provider
  }).pipe(Effect.provide(roles.pipe(Layer.provideMerge(world.layer))), Effect.scoped, Effect.provide(TestClock.layer()))
}

const program = Effect.gen(function* () {
  strictEqual(yield* night("Next: part two.\n"), "from_notes")
  strictEqual(yield* night(undefined), "claude_export")
  yield* Console.log("from_notes launches where there are notes, and hands on where there are none")
})
await Effect.runPromise(program)
