import { command, own, Roles, supervise } from "@souffleur/supervisor"
import { Effect, Layer } from "effect"
import { FakeWorld, type FakeWorldOptions, identityOf, untilEvent } from "../src/index.ts"

/** The id of the one watch of a night. */
export const id = "w"

/** Runs a test beside the real roles, which watch the Conductor of its world. */
export const night = <A, E, R>(options: FakeWorldOptions, test: (world: FakeWorld) => Effect.Effect<A, E, R>) => {
  const conductor = { pid: 4711, sessionId: "s1" }
  const world = new FakeWorld({ conductor, ...options })
  const comms = options.comms === true ? world.comms.service.path : null
  return Effect.gen(function* () {
    const process = identityOf(conductor.pid)
    yield* command(id, { _tag: "Open", project: "/p", comms, process, observe: false, ...conductor })
    const { fence, ref } = yield* own(id)
    yield* Effect.forkScoped(supervise(ref, fence))
    yield* untilEvent(id, "WatchSettled")
    return yield* test(world)
  }).pipe(Effect.provide(Roles.layer.pipe(Layer.provideMerge(world.layer))), Effect.scoped)
}
