import { assert, describe, it } from "@effect/vitest"
import {
  Claims,
  Event,
  EventLog,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  load,
  type ProcessIdentity,
  type WatchEvent
} from "@souffleur/domain"
import { LogUnusable } from "@souffleur/eventlog"
import { Context, Effect, Exit, Option, Scope } from "effect"
import { preparation } from "../../domain/test/Given.ts"
import { adopt, command, finish, moveHere, own, release, takeFleetWord } from "../src/index.ts"
import { begun, identityOf, ownerOf } from "@souffleur/testing"
import {
  confirmed,
  died,
  living,
  opened,
  owned,
  recovering,
  relaunched,
  self,
  watching,
  worldOf,
  type Setup
} from "./SupervisorWorld.ts"

const took = (fence: number, pid: number, host?: string) =>
  Event.OwnerTook.make({ at: begun, fence, owner: ownerOf(pid, host) })

/** `own`, under a scope that the test closes. */
const owning = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, change: Setup = {}) {
  const all = yield* living(history, worldOf(change))
  const scope = yield* Scope.make()
  return {
    ...all,
    own: own("w").pipe(Effect.provideContext(all.context), Effect.provideService(Scope.Scope, scope)),
    leave: Scope.close(scope, Exit.void),
    end: (exit: Exit.Exit<unknown, unknown>) => Scope.close(scope, exit),
    watch: Effect.provideContext(load("w"), all.context)
  }
})

describe("behaviour#one-owner", () => {
  it.effect("owning a free watch takes the next fence, and claims its Conductor and session", () =>
    Effect.gen(function* () {
      const { own, watch, world } = yield* owning([
        opened(),
        took(1, 5),
        confirmed,
        Event.OwnerLeft.make({ at: begun, fence: 1 })
      ])
      const { fence, ref } = yield* own
      assert.strictEqual(fence, 2)
      assert.deepStrictEqual((yield* watch).owner, self)
      assert.deepStrictEqual([...world.claims.held.keys()], [4711, "/p/comms.db", "s1"])
      assert.strictEqual((yield* ref.state).fence, 2)
    })
  )
  it.effect("owning a watch of a living owner is refused with the name of the watch", () =>
    Effect.gen(function* () {
      const { own } = yield* owning([opened(), took(1, 77), confirmed], { alive: new Set([10, 77]) })
      const refused = yield* Effect.flip(own)
      const problem = `souffleur with pid 77 on ${self.host} watches w`
      assert.deepInclude(refused, { _tag: "AlreadyWatched", watch: "w", problem })
    })
  )
  it.effect("owning a watch of an owner on another machine is refused", () =>
    Effect.gen(function* () {
      const far = { ...ownerOf(77), machine: "another", process: { pid: 77, startTime: 77, bootId: "its own" } }
      const { own } = yield* owning([opened(), Event.OwnerTook.make({ at: begun, fence: 1, owner: far }), confirmed], {
        alive: new Set([10, 77])
      })
      const refused = yield* Effect.flip(own)
      assert.deepInclude(refused, { _tag: "AlreadyWatched", watch: "w", unseen: true })
      assert.match(refused.message, /may be alive on another machine$/u)
    })
  )
  it.effect("a watch that was left on another machine is refused here, whose state folder is a copy", () =>
    Effect.gen(function* () {
      const leftBy = (machine: string | null) =>
        owning([
          opened(),
          Event.OwnerTook.make({ at: begun, fence: 1, owner: { ...ownerOf(5), machine } }),
          confirmed,
          Event.OwnerLeft.make({ at: begun, fence: 1 })
        ])
      const { own, tags } = yield* leftBy("another")
      const refused = yield* Effect.flip(own)
      assert.deepInclude(refused, { _tag: "AlreadyWatched", watch: "w", unseen: true })
      assert.match(refused.message, /comes from another machine \(here\), and the agent may be alive there$/u)
      assert.deepStrictEqual(yield* tags, [])
      for (const machine of [self.machine, null]) assert.strictEqual((yield* (yield* leftBy(machine)).own).fence, 2)
    })
  )
  it.effect("a person's word moves a watch here, from an owner that cannot be seen from here", () =>
    Effect.gen(function* () {
      const far = { ...ownerOf(5), machine: "another", process: { pid: 77, startTime: 77, bootId: "its own" } }
      const took = Event.OwnerTook.make({ at: begun, fence: 1, owner: far })
      const left = Event.OwnerLeft.make({ at: begun, fence: 1 })
      for (const history of [
        [opened(), took, confirmed],
        [opened(), took, confirmed, left]
      ]) {
        const { context, own, tags, world } = yield* owning(history, { alive: new Set([10, 77]) })
        // Its claims are in the same home folder.
        for (const key of [4711, "/p/comms.db", "s1"]) world.claims.held.set(key, far)
        assert.strictEqual((yield* Effect.flip(own))._tag, "AlreadyWatched")
        yield* Effect.provideContext(moveHere("w"), context)
        assert.strictEqual((yield* own).fence, 2)
        assert.deepStrictEqual(yield* tags, ["WatchMoved", "OwnerTook"])
      }
    })
  )
  it.effect("a watch whose owner was on this machine is moved by no word: alive, dead or gone by itself", () =>
    Effect.gen(function* () {
      const left = Event.OwnerLeft.make({ at: begun, fence: 1 })
      const before = { ...ownerOf(77), process: { pid: 77, startTime: 77, bootId: "an earlier boot" } }
      for (const [history, alive] of [
        [[opened(), Event.OwnerTook.make({ at: begun, fence: 1, owner: before }), confirmed], [10]],
        [[opened(), confirmed], [10]],
        [
          [opened(), took(1, 77), confirmed],
          [10, 77]
        ],
        [[opened(), took(1, 77), confirmed], [10]],
        [[opened(), took(1, 77), confirmed, left], [10]]
      ] as const) {
        const { context, tags } = yield* owning(history, { alive: new Set(alive) })
        const refused = yield* Effect.flip(Effect.provideContext(moveHere("w"), context))
        assert.deepInclude(refused, { _tag: "Refused", reason: "not now" })
        assert.deepStrictEqual(yield* tags, [])
      }
    })
  )
  it.effect("owning a watch of a live owner is refused, and leaves no trace", () =>
    Effect.gen(function* () {
      const { own, tags, world } = yield* owning([opened(), took(1, 77), confirmed], { alive: new Set([10, 77]) })
      const error = yield* Effect.flip(own)
      assert.deepInclude(error, { _tag: "AlreadyWatched", owner: ownerOf(77) })
      assert.deepStrictEqual([yield* tags, world.claims.held.size], [[], 0])
    })
  )
  it.effect("owning a watch of a dead owner takes it over", () =>
    Effect.gen(function* () {
      const { own, tags } = yield* owning([opened(), took(3, 77), confirmed])
      assert.strictEqual((yield* own).fence, 4)
      assert.deepStrictEqual(yield* tags, ["OwnerTook"])
    })
  )
  it.effect("a watch that another souffleur takes in the same moment belongs to that one", () =>
    Effect.gen(function* () {
      const { context } = yield* owning([opened(), took(3, 77), confirmed])
      const [claims, log] = [Context.get(context, Claims), Context.get(context, EventLog)]
      // Another souffleur finds the owner dead first, and acts.
      const racing = { ...claims, isDead: () => Effect.as(Effect.orDie(log.append("w", 3, [took(4, 88)])), true) }
      const error = yield* Effect.flip(Effect.provide(Effect.scoped(own("w")), Context.add(context, Claims, racing)))
      assert.deepInclude(error, { _tag: "AlreadyWatched", owner: ownerOf(88) })
    })
  )
  it.effect("owning a watch of an owner on another host is refused: it is not provably dead", () =>
    Effect.gen(function* () {
      const { own } = yield* owning([opened(), took(1, 77, "elsewhere"), confirmed])
      assert.deepInclude(yield* Effect.flip(own), { _tag: "AlreadyWatched" })
    })
  )
  it.effect("owning an ended watch is refused", () =>
    Effect.gen(function* () {
      const { own } = yield* owning([...watching, Event.WatchReleased.make({ at: begun, exportPath: null })])
      assert.deepInclude(yield* Effect.flip(own), { _tag: "AlreadyWatched" }, "its owner lives")
      const left = yield* owning([opened(), Event.WatchReleased.make({ at: begun, exportPath: null })])
      assert.deepInclude(yield* Effect.flip(left.own), { _tag: "Refused", reason: "ended" })
    })
  )
  it.effect("one of two souffleurs that own at once takes the watch, and the other is refused", () =>
    Effect.gen(function* () {
      const { own, tags } = yield* owning([opened(), took(1, 77), confirmed])
      const exits = yield* Effect.all([Effect.exit(own), Effect.exit(own)], { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.deepStrictEqual(yield* tags, ["OwnerTook"])
    })
  )

  it.effect("the end of the scope frees the watch and the Conductor", () =>
    Effect.gen(function* () {
      const { leave, own, tags, watch, world } = yield* owning([opened(), took(1, 77), confirmed])
      yield* own
      yield* leave
      assert.deepStrictEqual(yield* tags, ["OwnerTook", "OwnerLeft"])
      assert.deepStrictEqual([(yield* watch).owner, world.claims.held.size], [undefined, 0])
    })
  )
  it.effect("leaving records nothing when another souffleur has taken the watch, or it has ended", () =>
    Effect.gen(function* () {
      const overtaken = yield* owning([opened(), took(1, 77), confirmed])
      yield* overtaken.own
      yield* command("w", { _tag: "TakeOwnership", owner: ownerOf(88), over: 2 }).pipe(
        Effect.provideContext(overtaken.context)
      )
      yield* overtaken.leave
      assert.deepStrictEqual(yield* overtaken.tags, ["OwnerTook", "OwnerTook"])
      const ended = yield* owning([opened(), took(1, 77), confirmed])
      yield* ended.own
      yield* command("w", { _tag: "Release" }).pipe(Effect.provideContext(ended.context))
      yield* ended.leave
      assert.deepStrictEqual(yield* ended.tags, ["OwnerTook", "WatchReleased"])
    })
  )
})

describe("behaviour#claims", () => {
  it.effect("owning is refused when a souffleur of another state folder watches the Conductor", () =>
    Effect.gen(function* () {
      const { own, tags } = yield* owning([opened(), took(1, 77), confirmed], {
        alive: new Set([10, 88]),
        claims: new Map([[4711, ownerOf(88)]])
      })
      assert.deepInclude(yield* Effect.flip(own), { _tag: "AlreadyWatched", owner: ownerOf(88) })
      assert.deepStrictEqual(yield* tags, [])
    })
  )
  it.effect("owning is refused when a souffleur of another state folder watches a session of any generation", () =>
    Effect.gen(function* () {
      const claims = new Map([["s1", ownerOf(88)]])
      const { own, tags, world } = yield* owning(
        [...watching, Event.OwnerLeft.make({ at: begun, fence: 1 }), died(), recovering(), relaunched],
        {
          alive: new Set([10, 88]),
          claims
        }
      )
      assert.deepInclude(yield* Effect.flip(own), { _tag: "AlreadyWatched", owner: ownerOf(88) })
      assert.deepStrictEqual(yield* tags, [])
      world.processes.end(88)
      yield* own
      assert.deepStrictEqual([...world.claims.held.keys()].toSorted(), ["/p/comms.db", 5000, "s1", "s2"])
    })
  )
})

describe("behaviour#defects, security#processes", () => {
  it.effect("an end by a defect, or with an unusable log, keeps the owner, so that a guardian brings it back", () =>
    Effect.gen(function* () {
      for (const exit of [Exit.die(new Error("x")), Exit.fail(new LogUnusable({ reason: "full", problem: "" }))]) {
        const { end, own, tags } = yield* owning([opened(), took(1, 77), confirmed])
        yield* own
        yield* end(exit)
        assert.deepStrictEqual(yield* tags, ["OwnerTook"])
      }
      const { end, own, tags } = yield* owning([opened(), took(1, 77), confirmed])
      yield* own
      yield* end(Exit.interrupt(1))
      assert.deepStrictEqual(yield* tags, ["OwnerTook", "OwnerLeft"])
    })
  )
})

const launcher = (
  settled: Array<string>,
  forgotten: Array<string> = [],
  ran: Option.Option<ProcessIdentity> = Option.none()
) =>
  Launcher.of({
    terminals: ["headless"],
    hasPty: Effect.succeed(true),
    prepare: (order: LaunchOrder) => Effect.succeed(order.id),
    launch: () => Effect.fail(new LaunchFailed({ message: "nothing is launched here" })),
    settle: (id) => Effect.sync(() => (settled.push(id), ran)),
    kept: () => Effect.die("nothing is launched here"),
    forget: (id) => Effect.sync(() => void forgotten.push(id)),
    endOf: () => Effect.succeedNone,
    outputPath: (id) => id,
    bound: () => Effect.void,
    inWindow: () => Effect.succeed(false)
  })

const prepared = Event.LaunchPrepared.make({
  at: begun,
  ...preparation
})

describe("behaviour#ends", () => {
  it.effect("an operator's release ends the watch of any owner, and settles a launch in progress", () =>
    Effect.gen(function* () {
      const { context, tags } = yield* living([
        opened(),
        owned,
        confirmed,
        Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" }),
        prepared
      ])
      const settled: Array<string> = []
      const watch = yield* release("w").pipe(
        Effect.provideService(Launcher, launcher(settled)),
        Effect.provideContext(context)
      )
      assert.deepStrictEqual([watch.end, settled, yield* tags], ["released", ["l1"], ["WatchReleased"]])
    })
  )
  it.effect("an operator's completion also ends the watch and settles a launch", () =>
    Effect.gen(function* () {
      const recovering = Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" })
      const { context, tags } = yield* living([opened(), owned, confirmed, recovering, prepared])
      const settled: Array<string> = []
      const watch = yield* finish("w", "agent").pipe(
        Effect.provideService(Launcher, launcher(settled)),
        Effect.provideContext(context)
      )
      assert.deepStrictEqual([watch.end, settled, yield* tags], ["completed", ["l1"], ["ConductorCompleted"]])
    })
  )
  it.effect("a release without any launch does not use the launcher", () =>
    Effect.gen(function* () {
      const { context } = yield* living(watching)
      const settled: Array<string> = []
      yield* release("w").pipe(Effect.provideService(Launcher, launcher(settled)), Effect.provideContext(context))
      assert.deepStrictEqual(settled, [])
    })
  )
})

describe("behaviour#adopt", () => {
  it.effect("an operator's adoption also settles a launch, and does not end the watch", () =>
    Effect.gen(function* () {
      const recovering = Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" })
      const { context, log, tags } = yield* living([opened(), owned, confirmed, recovering, prepared])
      const settled: Array<string> = []
      const baseline = { taskCount: 1, taskFingerprint: "a", conductorState: null, lastMessageId: 0 }
      const adopted = { conductor: identityOf(50), sessionId: "s9", print: false, baseline }
      const none = launcher(settled)
      // Before that word is in the log the recovery tries once more.
      const again = Effect.orDie(log.append("w", 5, [{ ...prepared, launchId: "l2" }]))
      const racing = Launcher.of({
        ...none,
        settle: (id) => Effect.andThen(id === "l1" ? again : Effect.void, none.settle(id))
      })
      const watch = yield* adopt("w", adopted).pipe(
        Effect.provideService(Launcher, racing),
        Effect.provideContext(context)
      )
      assert.deepStrictEqual([watch.pid, settled], [50, ["l1", "l2", "l2"]])
      assert.deepStrictEqual(yield* tags, ["LaunchPrepared", "ConductorAdopted", "WatcherStarted"])
    })
  )
  it.effect("adoption is refused beside a live launched process, except of that process itself", () =>
    Effect.gen(function* () {
      const baseline = { taskCount: 1, taskFingerprint: "a", conductorState: null, lastMessageId: 0 }
      for (const [pid, launched, adopts] of [
        [50, 4711, false],
        [4711, 4711, true],
        [50, 4712, true]
      ] as const) {
        const recovering = Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" })
        const { context, tags } = yield* living([opened(), owned, confirmed, recovering, prepared])
        const ran = launcher([], [], Option.some(identityOf(launched)))
        const adopted = { conductor: identityOf(pid), sessionId: "s9", print: false, baseline }
        const said = yield* Effect.exit(
          adopt("w", adopted).pipe(Effect.provideService(Launcher, ran), Effect.provideContext(context))
        )
        assert.deepStrictEqual(
          [Exit.isSuccess(said), yield* tags],
          [adopts, adopts ? ["ConductorAdopted", "WatcherStarted"] : []]
        )
        if (!adopts)
          assert.deepInclude(Option.getOrThrow(Exit.findErrorOption(said)), { _tag: "Refused", reason: "not now" })
      }
    })
  )
  it.effect("adoption is refused beside a process that the recovery launches in the same moment", () =>
    Effect.gen(function* () {
      const baseline = { taskCount: 1, taskFingerprint: "a", conductorState: null, lastMessageId: 0 }
      const recovering = Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" })
      const { context, log, tags } = yield* living([opened(), owned, confirmed, recovering])
      // The launch is in the log, and runs, before the word is.
      const racing = EventLog.of({
        ...log,
        append: (stream, revision, events) =>
          revision === 4
            ? Effect.andThen(log.append(stream, 4, [prepared]), log.append(stream, 4, events))
            : log.append(stream, revision, events)
      })
      const adopted = { conductor: identityOf(50), sessionId: "s9", print: false, baseline }
      const refused = yield* Effect.flip(
        adopt("w", adopted).pipe(
          Effect.provideService(Launcher, launcher([], [], Option.some(identityOf(4711)))),
          Effect.provideService(EventLog, racing),
          Effect.provideContext(context)
        )
      )
      assert.deepInclude(refused, { _tag: "Refused", reason: "not now" })
      assert.include(refused.message, "process 4711")
      assert.deepStrictEqual(yield* tags, ["LaunchPrepared"])
    })
  )
  it.effect("adoption is refused beside a process that a recovery launched before it failed closed", () =>
    Effect.gen(function* () {
      const baseline = { taskCount: 1, taskFingerprint: "a", conductorState: null, lastMessageId: 0 }
      const recovering = Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger: "pid" })
      const closed = Event.RecoveryFailedClosed.make({ at: begun, cycle: 1, stage: "recovery", message: "a defect" })
      const { context, tags } = yield* living([opened(), owned, confirmed, recovering, prepared, closed])
      const adopted = { conductor: identityOf(50), sessionId: "s9", print: false, baseline }
      const refused = yield* Effect.flip(
        adopt("w", adopted).pipe(
          Effect.provideService(Launcher, launcher([], [], Option.some(identityOf(4711)))),
          Effect.provideContext(context)
        )
      )
      assert.include(refused.message, "process 4711")
      assert.deepStrictEqual(yield* tags, [])
    })
  )
})

describe("behaviour#launch-at-most-once", () => {
  it.effect("the launch file of the first launch is removed at the end of the watch, by each way to end it", () =>
    Effect.gen(function* () {
      for (const end of [release("w"), finish("w", "operator")]) {
        const { context } = yield* living([opened(), { ...prepared, cycle: 0 }, owned])
        const [settled, forgotten]: [Array<string>, Array<string>] = [[], []]
        yield* end.pipe(Effect.provideService(Launcher, launcher(settled, forgotten)), Effect.provideContext(context))
        assert.deepStrictEqual(forgotten, ["l1"])
      }
    })
  )
})

describe("fleet#words", () => {
  it.effect(
    "a word through the fleet that ends a watch settles its launch, also where its process died before that",
    () =>
      Effect.gen(function* () {
        const said = { id: "w1", person: "anna", seen: 3, until: Number.MAX_SAFE_INTEGER, ceilings: false } as const
        const word = { ...said, word: "done" } as const
        for (const before of [Effect.void, command("w", { _tag: "TakeFleetWord", ...word })]) {
          const { context, tags } = yield* living([opened(), { ...prepared, cycle: 0 }, owned])
          const [settled, forgotten]: [Array<string>, Array<string>] = [[], []]
          yield* Effect.andThen(before, takeFleetWord("w", word)).pipe(
            Effect.provideService(Launcher, launcher(settled, forgotten)),
            Effect.provideContext(context)
          )
          assert.deepStrictEqual([settled, forgotten], [["l1"], ["l1"]])
          assert.deepStrictEqual(yield* tags, ["FleetWordTaken", "ConductorCompleted"])
        }
      })
  )
})
