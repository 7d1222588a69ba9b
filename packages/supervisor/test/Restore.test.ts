import { assert, describe, it } from "@effect/vitest"
import { Claims, Event, EventLog, guardianOf, Processes, Settings, type WatchEvent } from "@souffleur/domain"
import { Beats, LogUnusable } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Context, Effect, Exit, Fiber, FileSystem, type Path } from "effect"
import { TestClock } from "effect/testing"
import { own, restore } from "../src/index.ts"
import { begun, ownerOf, settle } from "@souffleur/testing"
import { confirmed, living, opened, worldOf, type Setup } from "./SupervisorWorld.ts"

const took = (fence: number, pid: number) => Event.OwnerTook.make({ at: begun, fence, owner: ownerOf(pid) })
const history = [opened(), took(1, 77), confirmed]
const restored = (restorations: number) =>
  Event.SouffleurRestored.make({ at: begun, reason: "died", over: 1, restorations })

/** Makes a souffleur that replaces pid 77, whose last beat was so many seconds ago. */
const restoring = Effect.fnUntraced(function* (
  reason: "died" | "silent",
  beatAge: number,
  change: Setup = {},
  events: ReadonlyArray<WatchEvent> = history
) {
  const all = yield* living(events, worldOf(change))
  const beats = Context.get(all.context, Beats)
  yield* beats.beat("w", { by: "watcher/1", at: begun - beatAge * 1000 })
  // A guardian's own beats say nothing of the souffleur that it guards.
  yield* beats.beat(guardianOf("w"), { by: "guardian/1/1/boot", at: begun })
  return {
    ...all,
    restore: Effect.updateContext(restore("w", { reason, over: 1 }), (given: Context.Context<never>) =>
      Context.merge(all.context, given)
    )
  }
})
const why = (error: object) => ("message" in error ? String(error.message) : "")
const alive = () => new Set([10, 77])

describe("behaviour#guardian", () => {
  it.effect("a restoration takes the watch of a dead souffleur, and sends no signal", () =>
    Effect.gen(function* () {
      const { restore, tags, world } = yield* restoring("died", 1)
      assert.isTrue(yield* restore)
      assert.deepStrictEqual([yield* tags, world.processes.signals], [["SouffleurRestored"], []])
    })
  )
  it.effect("a restoration does nothing when the owner leaves, or the watch ends, in the same moment", () =>
    Effect.gen(function* () {
      for (const event of [
        Event.OwnerLeft.make({ at: begun, fence: 1 }),
        Event.WatchReleased.make({ at: begun, exportPath: null })
      ]) {
        const { context, restore, tags, world } = yield* restoring("died", 1)
        const [claims, log] = [Context.get(context, Claims), Context.get(context, EventLog)]
        const racing = Claims.of({
          ...claims,
          isDead: () => Effect.as(Effect.orDie(log.append("w", 3, [event])), true)
        })
        assert.isFalse(yield* Effect.provideService(restore, Claims, racing))
        assert.deepStrictEqual([yield* tags, world.processes.signals], [[event._tag], []])
      }
    })
  )
  it.effect("a restoration kills a silent souffleur, and is sure that it is gone", () =>
    Effect.gen(function* () {
      const { restore, tags, world } = yield* restoring("silent", 361, { alive: alive() })
      assert.isTrue(yield* restore)
      assert.deepStrictEqual([yield* tags, world.processes.signals], [["SouffleurRestored"], ["SIGKILL 77"]])
      assert.isFalse(world.processes.alive.includes(77))
    })
  )
  it.effect("a restoration believes no beat from the future, as its guardian does not", () =>
    Effect.gen(function* () {
      // A clock was set back: by a day, and by less than the longest accepted silence.
      for (const [ahead, restores] of [
        [86_400, true],
        [300, false]
      ] as const) {
        const { restore, world } = yield* restoring("silent", -ahead, { alive: alive() })
        const taken = yield* Effect.exit(restore)
        assert.deepStrictEqual(
          [Exit.isSuccess(taken), world.processes.signals],
          restores ? [true, ["SIGKILL 77"]] : [false, []]
        )
      }
    })
  )

  describe("an owner that was stopped in mid-write, and a restoration that stops midway", () => {
    /** The old souffleur holds the log while it lives; files are real. */
    const holding = Effect.fnUntraced(function* (events: ReadonlyArray<WatchEvent> = history, living = alive()) {
      const stateDir = `${yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()}/state`
      const all = yield* restoring("silent", 900, { alive: living }, events)
      const log = Context.get(all.context, EventLog)
      const locked = new LogUnusable({ reason: "locked", problem: "database is locked" })
      const held = EventLog.of({
        ...log,
        append: (...words) => (all.world.processes.alive.includes(77) ? Effect.fail(locked) : log.append(...words))
      })
      const context = all.context.pipe(
        Context.add(EventLog, held),
        Context.add(Settings, { ...Context.get(all.context, Settings), stateDir }),
        Context.merge(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
      )
      return { ...all, stateDir, context, file: `${stateDir}/restorations/w.json` }
    })
    it.effect("the owner is killed before that is counted, as its log is locked, but not a fourth time", () =>
      Effect.gen(function* () {
        for (const before of [[], [restored(1), restored(2), restored(3)]]) {
          const { context, tags, world } = yield* holding([...history, ...before])
          const taken = yield* Effect.exit(Effect.provide(restore("w", { reason: "silent", over: 1 }), context))
          assert.deepStrictEqual(
            [Exit.isSuccess(taken), world.processes.signals, yield* tags],
            before.length === 0 ? [true, ["SIGKILL 77"], ["SouffleurRestored"]] : [false, [], []]
          )
        }
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect(
      "the intent is on disk before the kill, private to its user, and the next souffleur counts it first",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          for (const next of ["a guardian's", "a person's"] as const) {
            const { context, events, file, tags, world } = yield* holding()
            const processes = Context.get(context, Processes)
            let before = ""
            // The restoring souffleur is killed right after its kill.
            const vanishing = Processes.of({
              ...processes,
              signal: Effect.fnUntraced(function* (identity, signal) {
                before = yield* Effect.orDie(fs.readFileString(file))
                assert.strictEqual((yield* Effect.orDie(fs.stat(file))).mode & 0o777, 0o600)
                yield* processes.signal(identity, signal)
                return yield* Effect.die("SIGKILL")
              })
            })
            yield* Effect.exit(
              Effect.provide(restore("w", { reason: "silent", over: 1 }), Context.add(context, Processes, vanishing))
            )
            assert.deepStrictEqual([JSON.parse(before), yield* tags], [{ reason: "silent", over: 1 }, []])
            const taking =
              next === "a person's"
                ? Effect.as(Effect.scoped(own("w")), true)
                : Effect.tap(restore("w", { reason: "died", over: 1 }), () => Effect.scoped(own("w")))
            assert.isTrue(yield* Effect.provide(taking, context))
            assert.deepStrictEqual(yield* tags, ["SouffleurRestored", "OwnerTook", "OwnerLeft"])
            assert.deepInclude((yield* events)[0], { reason: "silent", over: 1, restorations: 1 })
            assert.deepStrictEqual([world.processes.signals, yield* fs.exists(file)], [["SIGKILL 77"], false])
          }
        }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("an intent that cannot be kept prevents the kill", () =>
      Effect.gen(function* () {
        const { context, stateDir, tags, world } = yield* holding()
        yield* (yield* FileSystem.FileSystem).writeFileString(stateDir, "no folder")
        assert.match(
          why(yield* Effect.flip(Effect.provide(restore("w", { reason: "silent", over: 1 }), context))),
          /intent/
        )
        assert.deepStrictEqual([yield* tags, world.processes.signals], [[], []])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("an intent for an earlier owner does not count, nor does a torn one", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        for (const kept of ['{"reason":"silent","over":7}', '{"reason":"sil']) {
          const { context, events, file, stateDir } = yield* holding(history, new Set([10]))
          yield* fs.makeDirectory(`${stateDir}/restorations`, { recursive: true })
          yield* fs.writeFileString(file, kept)
          yield* Effect.provide(restore("w", { reason: "died", over: 1 }), context)
          assert.deepInclude((yield* events)[0], { _tag: "SouffleurRestored", reason: "died", over: 1 })
          assert.isFalse(yield* fs.exists(file))
        }
      }).pipe(Effect.provide(HostServices.layer))
    )
  })

  it.effect("a restoration leaves an owner alone that beats again", () =>
    Effect.gen(function* () {
      for (const reason of ["died", "silent"] as const) {
        const { restore, tags, world } = yield* restoring(reason, 360, { alive: alive() })
        assert.match(why(yield* Effect.flip(restore)), /beats again/)
        assert.deepStrictEqual([yield* tags, world.processes.signals], [[], []])
      }
    })
  )
  it.effect("a restoration leaves an owner alone that beats or acts after the restoration was counted", () =>
    Effect.gen(function* () {
      for (const goesOn of ["beats", "acts", "is another by now"] as const) {
        const { context, restore, tags, world } = yield* restoring("silent", 900, { alive: alive() })
        const [beats, claims, log] = [
          Context.get(context, Beats),
          Context.get(context, Claims),
          Context.get(context, EventLog)
        ]
        let looks = 0
        const happens = Effect.suspend(() => {
          if (++looks !== 2) return Effect.void
          if (goesOn === "beats") return beats.beat("w", { by: "watcher/1", at: begun })
          return log.append("w", 4, [goesOn === "acts" ? Event.WatchSettled.make({ at: begun }) : took(2, 77)])
        })
        const waking = Claims.of({
          ...claims,
          isDead: (owner) => Effect.andThen(Effect.orDie(happens), claims.isDead(owner))
        })
        assert.match(
          why(yield* Effect.flip(Effect.provideService(restore, Claims, waking))),
          /goes on again|beats again/
        )
        assert.deepStrictEqual([(yield* tags)[0], world.processes.signals], ["SouffleurRestored", []])
      }
    })
  )
  it.effect("a restoration does not take a watch whose owner was killed and does not end", () =>
    Effect.gen(function* () {
      const { restore, world } = yield* restoring("silent", 900, { alive: alive(), unkillable: true })
      const fiber = yield* Effect.forkChild(Effect.flip(restore))
      yield* settle
      yield* TestClock.adjust("10 seconds")
      assert.match(why(yield* Fiber.join(fiber)), /does not end/)
      assert.deepStrictEqual(world.processes.signals, ["SIGKILL 77"])
    })
  )
  it.effect("a restoration does not take the watch from a later owner, or from an owner on another host", () =>
    Effect.gen(function* () {
      const another = yield* restoring("died", 900, { alive: new Set([10, 78]) }, [...history, took(2, 78)])
      assert.match(why(yield* Effect.flip(another.restore)), /meanwhile/)
      const far = yield* restoring("silent", 900, {}, [
        opened(),
        { ...took(1, 77), owner: { ...ownerOf(77, "elsewhere"), pidNamespace: "pid:[2]" } },
        confirmed
      ])
      assert.match(why(yield* Effect.flip(far.restore)), /cannot be seen from here/)
      assert.deepStrictEqual(
        [yield* another.tags, another.world.processes.signals, yield* far.tags, far.world.processes.signals],
        [[], [], [], []]
      )
    })
  )
  it.effect("a restoration has nothing to take when the owner left or the watch has ended", () =>
    Effect.gen(function* () {
      for (const event of [
        Event.OwnerLeft.make({ at: begun, fence: 1 }),
        Event.WatchReleased.make({ at: begun, exportPath: null })
      ]) {
        const { restore, tags } = yield* restoring("died", 900, {}, [...history, event])
        assert.isFalse(yield* restore)
        assert.deepStrictEqual(yield* tags, [])
      }
    })
  )
  it.effect("a fourth restoration in a row without progress is refused in the log, and kills no process", () =>
    Effect.gen(function* () {
      const before = [...history, restored(1), restored(2), restored(3)]
      const { restore, tags, world } = yield* restoring("silent", 900, { alive: alive() }, before)
      assert.isFalse(yield* restore)
      assert.deepStrictEqual([yield* tags, world.processes.signals], [["GuardianGaveUp"], []])
    })
  )
})

describe("behaviour#one-owner", () => {
  it.effect("a restoration leaves a watch to another souffleur that takes it in the same moment", () =>
    Effect.gen(function* () {
      const { context, restore, world } = yield* restoring("died", 1)
      const [claims, log] = [Context.get(context, Claims), Context.get(context, EventLog)]
      // Another souffleur finds the owner dead first, and acts.
      const racing = Claims.of({
        ...claims,
        isDead: () => Effect.as(Effect.orDie(log.append("w", 3, [took(2, 88)])), true)
      })
      const error = yield* Effect.flip(Effect.provideService(restore, Claims, racing))
      assert.strictEqual(error._tag, "AlreadyWatched")
      assert.deepStrictEqual(world.processes.signals, [])
    })
  )
})
