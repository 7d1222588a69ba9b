import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog, Processes, type WatchEvent } from "@souffleur/domain"
import { fakeKind, FakeWorld, identityOf, ownerOf, settle } from "@souffleur/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { startDetached } from "../src/keeping/Detach.ts"
import { withoutMarks } from "../src/keeping/MarkedVariables.ts"
import { Parts } from "../src/index.ts"

const at = 1000

/** Fixed parts whose other process has this pid. */
const layerApart = (pid: number) =>
  Layer.effect(
    Parts,
    Effect.map(Parts, (parts) => Parts.of({ ...parts, apart: () => Effect.succeed(pid) }))
  ).pipe(Layer.provide(Parts.layerFixed(fakeKind)))

describe("behaviour#detach", () => {
  it.effect("a detached souffleur that does not come to watch within a minute is ended, and what to do is said", () => {
    const world = new FakeWorld()
    return Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("night", 0, [
        Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false })
      ])
      const looks = yield* Deferred.make<void>()
      world.processes.run({ pid: 4242, on: { SIGTERM: "stays" } })
      const processes = Processes.of({
        ...world.processes.service,
        find: (pid) => Effect.andThen(Deferred.succeed(looks, undefined), world.processes.service.find(pid))
      })
      const started = yield* startDetached("night", ["souffleur"]).pipe(
        Effect.provideService(Processes, processes),
        Effect.flip,
        Effect.forkChild
      )
      yield* Deferred.await(looks)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(world.signals, [])
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("11 seconds")
      const { _tag, message } = yield* Fiber.join(started)
      assert.strictEqual(_tag, "NotDetached")
      assert.match(
        message,
        /^pid 4242 did not come to watch within 60 s, and was ended: \S+ may say why\. To try again, resume watch night$/u
      )
      assert.deepStrictEqual(world.signals, ["SIGTERM 4242", "SIGKILL 4242"])
      assert.isFalse(world.processes.has(identityOf(4242)))
    }).pipe(Effect.provide(Layer.provideMerge(layerApart(4242), world.layer)))
  })

  it.effect("a detached watch answers with the first verdict of its validation, or says that there is none yet", () => {
    const world = new FakeWorld()
    const owner = ownerOf(4242)
    return Effect.gen(function* () {
      const log = yield* EventLog
      world.processes.run({ pid: 4242 })
      const opening = { at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false }
      const started = Effect.fnUntraced(function* (id: string, ...events: ReadonlyArray<WatchEvent>) {
        yield* log.append(id, 0, [Event.WatchOpened.make(opening)])
        const fiber = yield* Effect.forkChild(startDetached(id, ["souffleur"]))
        yield* settle
        yield* log.append(id, 1, [Event.OwnerTook.make({ at, fence: 1, owner }), ...events])
        yield* TestClock.adjust("1 minute")
        return (yield* Fiber.join(fiber)).failure
      })
      const message = "no process 4711 is running"
      const failed = Event.ValidationFailed.make({ at, attempt: 1, check: "process", message, lastMessageId: 0 })
      const baseline = { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 }
      const conductor = { conductor: identityOf(4711), sessionId: "s1", print: false }
      const confirmed = Event.ConductorConfirmed.make({ at, ...conductor, ...baseline })
      assert.strictEqual(yield* started("failed", failed), message)
      assert.isNull(yield* started("confirmed", confirmed))
      assert.isUndefined(yield* started("busy"))
    }).pipe(Effect.provide(Layer.provideMerge(layerApart(4242), world.layer)))
  })

  it("a process that is to outlive its caller has no mark of an agent, of a launch or of a service", () => {
    const variables = {
      HOME: "/home",
      GONE: undefined,
      CONDUCTOR: "1",
      SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1",
      NOTIFY_SOCKET: "/run/systemd/notify",
      WATCHDOG_USEC: "30000000",
      WATCHDOG_PID: "7"
    }
    assert.deepStrictEqual(withoutMarks({ marks: new Set(["CONDUCTOR"]) }, variables), { HOME: "/home" })
  })
})
