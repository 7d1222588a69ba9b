import { assert, describe, it } from "@effect/vitest"
import { Event, makeWatchRef, type Role, type Watch, type WatchEvent, type WatchRef } from "@souffleur/domain"
import { LogUnusable } from "@souffleur/eventlog"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { own, Roles, supervise } from "../src/index.ts"
import { begun, ownerOf, settle, until } from "@souffleur/testing"
import {
  confirmed,
  died,
  living,
  monitoring,
  opened,
  owned,
  recovering,
  relaunched,
  settled,
  started,
  watching,
  worldOf
} from "./SupervisorWorld.ts"

type Run = Roles["Service"]["run"]
const operator = { _tag: "Operator" } as const

/**
 * Runs a supervisor with roles of the test; the others do nothing for ever. Starts (+) and stops (-) are noted in
 * order.
 */
const supervising = Effect.fnUntraced(function* (
  history: ReadonlyArray<WatchEvent>,
  behaviour: (role: Role, watch: Watch, ref: WatchRef) => ReturnType<Run> | undefined = () => undefined
) {
  const all = yield* living(history)
  const moves: Array<string> = []
  const roles = Roles.of({
    run: (role, watch, ref) =>
      Effect.sync(() => void moves.push(`+${role}`)).pipe(
        Effect.andThen(behaviour(role, watch, ref) ?? Effect.never),
        Effect.ensuring(Effect.sync(() => void moves.push(`-${role}`)))
      )
  })
  const word = yield* Effect.provideContext(makeWatchRef("w", operator), all.context)
  const start = Effect.fnUntraced(function* (fence = 1) {
    const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence }), all.context)
    const fiber = yield* supervise(ref, fence).pipe(
      Effect.provideService(Roles, roles),
      Effect.provideContext(all.context),
      Effect.forkChild
    )
    yield* settle
    return fiber
  })
  const append = Effect.fnUntraced(function* (...events: ReadonlyArray<WatchEvent>) {
    yield* all.log.append("w", (yield* word.state).revision, events)
    yield* settle
  })
  /** Reads the starts and stops since the last read. */
  const moved = Effect.sync(() => moves.splice(0))
  return { ...all, word, start, append, moved }
})

describe("behaviour#phases", () => {
  describe("a watch that does not settle", () => {
    for (const [who, history] of [
      ["its first watcher hangs before its report", [opened(), owned, confirmed, started(1)]],
      ["its first self-monitor hangs before its report", [opened(), owned, confirmed, started(1), monitoring(1)]]
    ] as const)
      it.effect(
        `an unsettled watch gets another watcher if ${who}, after the time of a self-monitor's first look`,
        () =>
          Effect.gen(function* () {
            const { moved, start, tags } = yield* supervising(history)
            yield* start()
            yield* moved
            yield* until(359)
            assert.deepStrictEqual([yield* moved, yield* tags], [[], []])
            yield* until(360)
            assert.deepStrictEqual(yield* tags, ["WatcherLost", "WatcherStarted"])
            assert.deepStrictEqual(yield* moved, ["-watcher/1", "+watcher/2"])
            // The second watcher hangs, too.
            yield* until(720)
            assert.deepStrictEqual(yield* moved, ["-watcher/2", "+watcher/3"])
          })
      )
    it.effect("a settled watch is only its self-monitor's to judge", () =>
      Effect.gen(function* () {
        const { append, start, tags } = yield* supervising([opened(), owned, confirmed, started(1), monitoring(1)])
        yield* start()
        yield* append(settled)
        yield* until(1000)
        assert.deepStrictEqual(yield* tags, ["WatchSettled"])
      })
    )
  })

  it.effect("exactly the roles of the state run, from bootstrap to the end", () =>
    Effect.gen(function* () {
      const { append, moved, start } = yield* supervising([opened(), owned])
      const fiber = yield* start()
      assert.deepStrictEqual(yield* moved, ["+bootstrap/1"])
      yield* append(confirmed, started(1))
      assert.deepStrictEqual(yield* moved, ["-bootstrap/1", "+watcher/1"])
      yield* append(monitoring(1), settled)
      assert.deepStrictEqual(yield* moved, ["+monitor/1"])
      yield* append(died(), recovering())
      assert.deepStrictEqual(yield* moved, ["-watcher/1", "+recovery/1"])
      yield* append(
        Event.RecoveryFailedClosed.make({ at: begun, cycle: 1, stage: "gate", message: "too large" }),
        started(2)
      )
      assert.deepStrictEqual(yield* moved, ["-recovery/1", "+watcher/2"])
      yield* append(Event.ConductorCompleted.make({ at: begun, by: "watcher" }))
      assert.deepStrictEqual((yield* moved).toSorted(), ["-monitor/1", "-watcher/2"])
      assert.strictEqual((yield* Fiber.join(fiber)).end, "completed")
    })
  )
})

const dying =
  (which: Role, how: ReturnType<Run>): Parameters<typeof supervising>[1] =>
  (role) =>
    role === which ? how : undefined

describe("behaviour#defects", () => {
  describe("a watcher that dies of a defect", () => {
    it.effect("a watcher is not replaced after three defects: the watch is in standby until an operator's word", () =>
      Effect.gen(function* () {
        const { moved, start, tags, word } = yield* supervising(watching, (role) =>
          role.startsWith("watcher/") ? Effect.die(new RangeError("Invalid time value")) : undefined
        )
        yield* start()
        const lost = (watcher: number) =>
          Effect.andThen(word.dispatch({ _tag: "ReportWatcherDead", monitor: 1, watcher, beatAge: 1 }), settle)
        yield* lost(1)
        yield* lost(2)
        assert.deepStrictEqual(yield* tags, [
          "RoleFailed",
          "WatcherLost",
          "WatcherStarted",
          "RoleFailed",
          "WatcherLost",
          "WatcherStarted",
          "RoleFailed",
          "RoleGaveUp"
        ])
        yield* moved
        yield* until(100_000)
        assert.deepStrictEqual(yield* moved, [], "no loop of replacements")
        yield* word.dispatch({ _tag: "Retry" })
        yield* settle
        assert.deepInclude(yield* moved, "+watcher/4")
      })
    )
  })

  describe("a role that dies", () => {
    it.effect("a watcher: it stays dead until an event replaces it; the others go on", () =>
      Effect.gen(function* () {
        const { append, moved, start } = yield* supervising(watching, dying("watcher/1", Effect.die("a bug")))
        const fiber = yield* start()
        yield* until(3600)
        assert.deepStrictEqual(yield* moved, ["+watcher/1", "-watcher/1", "+monitor/1"])
        yield* append(Event.WatcherLost.make({ at: begun, watcher: 1, beatAge: null }), started(2))
        assert.deepStrictEqual(yield* moved, ["+watcher/2"])
        assert.isUndefined(fiber.pollUnsafe())
      })
    )
    it.effect("a self-monitor: it is replaced one interval later", () =>
      Effect.gen(function* () {
        const { moved, start, tags } = yield* supervising(watching, dying("monitor/1", Effect.die("a bug")))
        yield* start()
        yield* until(179)
        assert.deepStrictEqual(yield* tags, ["RoleFailed"])
        yield* until(180)
        assert.deepStrictEqual(yield* tags, ["RoleFailed", "SelfMonitorStopped", "SelfMonitorStarted"])
        assert.include(yield* moved, "+monitor/2")
      })
    )
    it.effect("a self-monitor: the end of the watch does not wait for its replacement", () =>
      Effect.gen(function* () {
        const { start, word } = yield* supervising(watching, dying("monitor/1", Effect.die("a bug")))
        const fiber = yield* start()
        yield* until(10)
        yield* word.dispatch({ _tag: "Release" })
        yield* settle
        assert.isDefined(fiber.pollUnsafe())
      })
    )
    it.effect("a bootstrap: supervise dies with it, as nothing could ever validate", () =>
      Effect.gen(function* () {
        const { start } = yield* supervising([opened(), owned], dying("bootstrap/1", Effect.die("a bug")))
        const exit = yield* Fiber.await(yield* start())
        assert.isTrue(Exit.hasDies(exit))
        assert.strictEqual(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, "a bug")
      })
    )
    it.effect("a role that dies because the watch went on without it has no consequence", () =>
      Effect.gen(function* () {
        const { start, tags } = yield* supervising([...watching, died(), recovering()], (role, _, ref) =>
          role === "recovery/1"
            ? Effect.asVoid(ref.dispatch({ _tag: "StartStep", cycle: 9, step: "1 stop", kind: "act" }))
            : undefined
        )
        const fiber = yield* start()
        assert.deepStrictEqual(yield* tags, [])
        assert.isUndefined(fiber.pollUnsafe())
      })
    )
  })
})

describe("behaviour#ordering", () => {
  it.effect("the new watcher runs before the old self-monitor is stopped", () =>
    Effect.gen(function* () {
      // The real ways of the roles: a watcher says that it runs, and only then its self-monitor is replaced.
      const { append, moved, start } = yield* supervising(watching, (role, watch, ref) =>
        role.startsWith("watcher/")
          ? Effect.andThen(ref.dispatch({ _tag: "WatcherReady", watcher: watch.watcher!.watcher }), Effect.never)
          : undefined
      )
      yield* start()
      yield* moved
      yield* append(Event.WatcherLost.make({ at: begun, watcher: 1, beatAge: 181_000 }), started(2))
      assert.deepStrictEqual(yield* moved, ["-watcher/1", "+watcher/2", "-monitor/1", "+monitor/2"])
    })
  )
  it.effect("one event that starts and stops: the start comes first", () =>
    Effect.gen(function* () {
      const { append, moved, start } = yield* supervising(watching)
      yield* start()
      yield* moved
      yield* append(started(2))
      assert.deepStrictEqual(yield* moved, ["+watcher/2", "-watcher/1"])
    })
  )
})

describe("behaviour#ends", () => {
  it.effect("a souffleur that starts again runs what the state asks for", () =>
    Effect.gen(function* () {
      const { append, moved, start } = yield* supervising(watching)
      const first = yield* start()
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual((yield* moved).toSorted(), ["+monitor/1", "+watcher/1", "-monitor/1", "-watcher/1"])
      yield* append(died(), recovering())
      yield* start()
      assert.deepStrictEqual(yield* moved, ["+recovery/1", "+monitor/1"])
    })
  )
  it.effect("an ended watch has no roles, and is returned at once", () =>
    Effect.gen(function* () {
      const { moved, start } = yield* supervising([
        ...watching,
        Event.WatchReleased.make({ at: begun, exportPath: null })
      ])
      assert.strictEqual((yield* Fiber.join(yield* start())).end, "released")
      assert.deepStrictEqual(yield* moved, [])
    })
  )
  it.effect("an operator's release while a step records ends the step, then supervise, without a deadlock", () =>
    Effect.gen(function* () {
      const { moved, start, tags, word } = yield* supervising([...watching, died(), recovering()], (role, _, ref) =>
        role === "recovery/1"
          ? Effect.uninterruptible(
              Effect.sleep("5 seconds").pipe(
                Effect.andThen(ref.dispatch({ _tag: "StartStep", cycle: 1, step: "1 stop", kind: "act" })),
                Effect.asVoid
              )
            )
          : undefined
      )
      const fiber = yield* start()
      yield* word.dispatch({ _tag: "Release" })
      yield* until(6)
      assert.strictEqual((yield* Fiber.join(fiber)).end, "released")
      assert.include(yield* moved, "-recovery/1")
      assert.deepStrictEqual(yield* tags, ["WatchReleased"])
    })
  )
})

describe("behaviour#claims", () => {
  it.effect("each generation is claimed, so that no other state folder watches it", () =>
    Effect.gen(function* () {
      const { append, start, world } = yield* supervising([...watching, died(), recovering()])
      yield* start()
      assert.deepStrictEqual([...world.claims.held.keys()], [4711, "/p/comms.db", "s1"])
      yield* append(relaunched)
      assert.deepStrictEqual([...world.claims.held.keys()], [4711, "/p/comms.db", "s1", 5000, "s2"])
      yield* append(Event.WatchReleased.make({ at: begun, exportPath: null }))
      yield* Effect.yieldNow
      assert.strictEqual(world.claims.held.size, 0)
    })
  )
  it.effect("a Conductor that another state folder has claimed is left to it, and no role runs here", () =>
    Effect.gen(function* () {
      const all = yield* living(watching, worldOf({ claims: new Map([[4711, ownerOf(77, "elsewhere")]]) }))
      const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
      const ran: Array<string> = []
      const left = yield* supervise(ref, 1).pipe(
        Effect.provideService(
          Roles,
          Roles.of({
            run: (role) =>
              Effect.andThen(
                Effect.sync(() => ran.push(role)),
                Effect.never
              )
          })
        ),
        Effect.provideContext(all.context),
        Effect.flip
      )
      assert.deepStrictEqual([left._tag, ran], ["AlreadyWatched", []])
    })
  )

  describe("a generation that cannot be claimed on a full disk", () => {
    const full = "/claims: its disk is full"
    const unclaimed = Effect.fnUntraced(function* (
      tell: (told: WatchRef["dispatch"]) => WatchRef["dispatch"] = (told) => told
    ) {
      const world = worldOf({ claimsFail: full })
      const all = yield* living(watching, world)
      const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
      const ran: Array<string> = []
      /** The events in the log. */
      const said = Effect.map(all.events, (events) =>
        events.flatMap((event) =>
          event._tag === "ConductorUnclaimed" ? [event.message] : event._tag === "ConductorClaimed" ? ["claimed"] : []
        )
      )
      const fiber = yield* supervise({ ...ref, dispatch: tell(ref.dispatch) }, 1).pipe(
        Effect.provideService(
          Roles,
          Roles.of({
            run: (role) =>
              Effect.andThen(
                Effect.sync(() => ran.push(role)),
                Effect.never
              )
          })
        ),
        Effect.provideContext(all.context),
        Effect.forkChild
      )
      yield* settle
      return { world, fiber, ran, said }
    })

    it.effect("an unclaimed generation is watched and reported, and claimed as soon as possible", () =>
      Effect.gen(function* () {
        const { fiber, ran, said, world } = yield* unclaimed()
        assert.isNotEmpty(ran)
        assert.deepStrictEqual(yield* said, [full])
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(fiber.pollUnsafe())
        world.claims.fails = undefined
        yield* TestClock.adjust("1 hour")
        assert.isTrue(world.claims.held.has(4711))
        assert.deepStrictEqual(yield* said, [full, "claimed"])
        yield* Fiber.interrupt(fiber)
        assert.isFalse(world.claims.held.has(4711), "and given back at the end")
      })
    )

    it.effect("an unclaimed generation is watched with a full log too, and reported once the log has room", () =>
      Effect.gen(function* () {
        let room = false
        const { fiber, ran, said } = yield* unclaimed(
          (told) => (intent) =>
            room ? told(intent) : Effect.fail(new LogUnusable({ reason: "full", problem: "database or disk is full" }))
        )
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual([ran.length > 0, fiber.pollUnsafe(), yield* said], [true, undefined, []])
        room = true
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* said, [full])
        yield* Fiber.interrupt(fiber)
      })
    )

    it.effect("a generation is claimed again when its claim has vanished, and a failure is reported again", () =>
      Effect.gen(function* () {
        const { fiber, said, world } = yield* unclaimed()
        world.claims.fails = undefined
        yield* TestClock.adjust("1 hour")
        assert.isTrue(world.claims.held.has(4711))
        world.claims.held.clear()
        yield* TestClock.adjust("1 hour")
        assert.isTrue(world.claims.held.has(4711))
        world.claims.fails = "/claims: it is gone"
        yield* TestClock.adjust("4 hours")
        assert.deepStrictEqual(yield* said, [full, "claimed", "/claims: it is gone"], "once as long as it lasts")
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      })
    )

    it.effect("a generation is left to another state folder that has claimed it meanwhile", () =>
      Effect.gen(function* () {
        const { fiber, world } = yield* unclaimed()
        world.claims.fails = undefined
        world.claims.held.set(4711, ownerOf(77, "elsewhere"))
        yield* TestClock.adjust("1 hour")
        const exit = yield* Fiber.await(fiber)
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "AlreadyWatched")
      })
    )

    it.effect("a watch is owned although its claim fails", () =>
      Effect.gen(function* () {
        const { context } = yield* living([opened()], worldOf({ claimsFail: full }))
        const { fence } = yield* Effect.scoped(Effect.provideContext(own("w"), context))
        assert.strictEqual(fence, 1)
      })
    )
  })
})

describe("behaviour#one-owner", () => {
  describe("the fence", () => {
    it.effect("a fence that another souffleur takes ends supervise, without an event in the log", () =>
      Effect.gen(function* () {
        const { moved, start, tags, word } = yield* supervising(watching)
        const fiber = yield* start()
        yield* moved
        yield* word.dispatch({ _tag: "TakeOwnership", owner: ownerOf(77), over: 1 })
        yield* settle
        assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "Fenced", fence: 2 })
        assert.deepStrictEqual((yield* moved).toSorted(), ["-monitor/1", "-watcher/1"])
        assert.deepStrictEqual(yield* tags, ["OwnerTook"])
      })
    )
    it.effect("a fence that another souffleur took before the start runs nothing", () =>
      Effect.gen(function* () {
        const { moved, start, word } = yield* supervising(watching)
        yield* word.dispatch({ _tag: "TakeOwnership", owner: ownerOf(77), over: 1 })
        const fiber = yield* start(1)
        assert.deepStrictEqual(yield* moved, [])
        assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "Fenced", fence: 2 })
      })
    )
  })
})

describe("behaviour#damaged-log", () => {
  describe("a role that dies", () => {
    it.effect("a role that dies by the log makes supervise fail, and everything stops", () =>
      Effect.gen(function* () {
        const full = new LogUnusable({ reason: "full", problem: "database or disk is full" })
        const { moved, start } = yield* supervising(watching, dying("watcher/1", Effect.fail(full)))
        const fiber = yield* start()
        assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), full)
        assert.include(yield* moved, "-monitor/1")
      })
    )
  })
})

describe("behaviour#secrets", () => {
  describe("a role that dies", () => {
    it.effect("a recovery: it failed closed, and the log has nothing of the bug", () =>
      Effect.gen(function* () {
        const { moved, start, tags, events } = yield* supervising(
          [...watching, died(), recovering()],
          dying("recovery/1", Effect.die("secret text of a prompt"))
        )
        yield* start()
        yield* settle
        assert.deepStrictEqual(yield* tags, ["RecoveryFailedClosed", "WatcherStarted"])
        assert.notInclude(JSON.stringify(yield* events), "secret")
        assert.include(yield* moved, "+watcher/2")
      })
    )
  })
})

describe("behaviour#cycle", () => {
  describe("a role that dies", () => {
    it.effect("a recovery with a forbidden command: it failed closed by that rule, and the watch goes on", () =>
      Effect.gen(function* () {
        const { moved, start, tags, events } = yield* supervising([...watching, died(), recovering()], (role, _, ref) =>
          role === "recovery/1"
            ? Effect.asVoid(ref.dispatch({ _tag: "StartStep", cycle: 1, step: "compact#2", kind: "act" }))
            : undefined
        )
        yield* start()
        yield* settle
        assert.deepStrictEqual(yield* tags, ["RecoveryFailedClosed", "WatcherStarted"])
        const [closed] = yield* events
        assert.deepInclude(closed, {
          stage: "recovery",
          message: "the second compaction follows only a first that failed"
        })
        assert.include(yield* moved, "+watcher/2")
      })
    )
  })
})

describe("behaviour#signals-of-souffleur", () => {
  it.effect("the owner leaves before a role has finished its act", () =>
    Effect.gen(function* () {
      const { start, tags } = yield* supervising(watching, (role) =>
        role.startsWith("watcher/") ? Effect.uninterruptible(Effect.sleep("1 hour")) : undefined
      )
      const fiber = yield* start()
      yield* tags
      yield* Effect.sync(() => fiber.interruptUnsafe())
      yield* settle
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(yield* tags, ["OwnerLeft"])
      yield* TestClock.adjust("1 hour")
      yield* Fiber.await(fiber)
    })
  )
})
