import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  Event,
  decide,
  evolve,
  initial,
  isUnwatched,
  rolesOf,
  type Watch,
  type WatchEvent,
  type WatchIntent
} from "../src/index.ts"
import { evidence, owner } from "./Given.ts"

const at = 1_000_000
const hour = 3_600_000
const conductor = { pid: 4711, startTime: 1, bootId: "boot" }
const baseline = { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 }
const history: ReadonlyArray<WatchEvent> = [
  Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false }),
  Event.OwnerTook.make({ at, fence: 1, owner }),
  Event.ConductorConfirmed.make({ at, conductor, sessionId: "s1", print: false, ...baseline }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at })
]
const watching = history.reduce(evolve, initial)

/** Returns the events that follow, and the watch after them. */
const said = (watch: Watch, intent: WatchIntent, now = at) => {
  const events = Result.getOrThrow(
    decide(watch, { ...intent, now, by: { _tag: "Operator" } } as never)
  ) as ReadonlyArray<WatchEvent>
  return { tags: events.map(({ _tag }) => _tag), watch: events.reduce(evolve, watch) }
}
const fails = (watch: Watch, role: "watcher" | "self-monitor", now = at) =>
  said(
    watch,
    {
      _tag: "ReportRoleFailed",
      role,
      number: role === "watcher" ? (watch.watcher?.watcher ?? 0) : (watch.monitor?.monitor ?? 0),
      defect: "RangeError"
    },
    now
  )
const replaced = (watch: Watch, now = at) =>
  said(
    watch,
    { _tag: "ReportWatcherDead", monitor: watch.monitor?.monitor, watcher: watch.watcher!.watcher, beatAge: 1 },
    now
  ).watch

/** A watcher that died of a defect for the third time in a row. */
const closed = () => {
  const first = fails(watching, "watcher")
  const second = fails(replaced(first.watch), "watcher")
  assert.deepStrictEqual([first.tags, second.tags], [["RoleFailed"], ["RoleFailed"]])
  return fails(replaced(second.watch), "watcher")
}

describe("behaviour#defects", () => {
  describe("a role that dies of a defect", () => {
    it("a third death in a row fails closed: it is told, no watcher follows, and a standby fiber beats", () => {
      const { tags, watch } = closed()
      assert.deepStrictEqual(tags, ["RoleFailed", "RoleGaveUp"])
      assert.isTrue(isUnwatched(watch))
      assert.deepStrictEqual(rolesOf(watch), ["standby/3"])
      assert.match(watch.standby?.message ?? "", /failed 3 times in a row because of a bug \(RangeError\)/u)
    })
    it("a role's death is counted in the log, so also across a restart of souffleur", () => {
      const second = fails(replaced(fails(watching, "watcher").watch), "watcher").watch
      const taken = evolve(second, Event.OwnerTook.make({ at, fence: 2, owner }))
      assert.deepStrictEqual(fails(taken, "watcher").tags, ["RoleFailed", "RoleGaveUp"])
    })
    it("the count of a role's deaths begins again after hours of health, and with another Conductor", () => {
      const second = replaced(fails(replaced(fails(watching, "watcher").watch), "watcher").watch)
      assert.deepStrictEqual(fails(second, "watcher", at + 6 * hour).tags, ["RoleFailed"])
      assert.deepStrictEqual(fails(second, "watcher", at + 6 * hour - 1).tags, ["RoleFailed", "RoleGaveUp"])
      const next = evolve(
        second,
        Event.ConductorAdopted.make({
          at,
          by: "operator",
          generation: 2,
          conductor,
          sessionId: "s1",
          print: false,
          ...baseline
        })
      )
      assert.deepStrictEqual(fails(next, "watcher").tags, ["RoleFailed"])
    })
    it("a role that died and was replaced since is no news", () => {
      assert.deepStrictEqual(
        said(watching, { _tag: "ReportRoleFailed", role: "watcher", number: 7, defect: "x" }).tags,
        []
      )
      assert.deepStrictEqual(
        said(watching, { _tag: "ReportRoleFailed", role: "self-monitor", number: 7, defect: "x" }).tags,
        []
      )
    })
    it("a self-monitor that gave up leaves a standby watcher, and no self-monitor follows", () => {
      let watch = watching
      for (const n of [1, 2]) {
        watch = fails(watch, "self-monitor").watch
        watch = said(watch, { _tag: "ReportSelfMonitorLost", monitor: n }).watch
      }
      const gone = fails(watch, "self-monitor")
      assert.deepStrictEqual(gone.tags, ["RoleFailed", "RoleGaveUp", "WatcherStarted"])
      assert.deepStrictEqual(rolesOf(gone.watch), ["watcher/2"])
      assert.deepStrictEqual(said(gone.watch, { _tag: "WatcherReady", watcher: 2 }).tags, [])
    })
    it("a self-monitor does not give up in the midst of a recovery: a standby would launch beside it", () => {
      let watch = watching
      for (const n of [1, 2]) {
        watch = fails(watch, "self-monitor").watch
        watch = said(watch, { _tag: "ReportSelfMonitorLost", monitor: n }).watch
      }
      const recovering = evolve(
        watch,
        Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" })
      )
      const third = fails(recovering, "self-monitor")
      assert.deepStrictEqual(third.tags, ["RoleFailed"])
      assert.isUndefined(third.watch.standby)
      const after = said(third.watch, { _tag: "ReportSelfMonitorLost", monitor: 3 })
      assert.include(rolesOf(after.watch), "monitor/4")
      assert.include(rolesOf(after.watch), "recovery/1")
    })
    it("a role that gave up is retried by an operator, without a recovery: the Conductor was not looked at", () => {
      const again = said(closed().watch, { _tag: "Retry" })
      assert.deepStrictEqual(again.tags, ["RecoveryRetried", "WatcherStarted"])
      assert.deepStrictEqual([again.watch.standby, again.watch.failing], [undefined, {}])
      assert.deepStrictEqual(fails(again.watch, "watcher").tags, ["RoleFailed"])
    })
    it("a death is counted once, though a role gave up after it: a retry begins its recovery", () => {
      const died = Event.ConductorDied.make({
        at,
        watcher: 1,
        reason: "pid",
        retries: 1,
        evidence: evidence,
        taskCount: null,
        taskFingerprint: null
      })
      const failedClosed = [
        Event.RecoveryStarted.make({ at, cycle: 1, trigger: "pid", purpose: "relaunch" }),
        Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "launch", message: "no" })
      ]
      const paused = Event.WaitStarted.make({
        at,
        watcher: 1,
        kind: "pause",
        until: at + 1,
        resetsAt: at + 1,
        trigger: "pid"
      })
      const gaveUp = Event.RoleGaveUp.make({ at, role: "watcher", defect: "RangeError", failures: 3 })
      for (const ended of [
        [died, ...failedClosed],
        [died, paused]
      ]) {
        const unwatched = [...ended, gaveUp, gaveUp].reduce(evolve, watching)
        const again = said(unwatched, { _tag: "Retry" })
        assert.deepStrictEqual(again.tags, ["RecoveryRetried", "RecoveryStarted"])
        assert.deepStrictEqual([again.watch.retries, again.watch.recovery?.trigger], [1, "pid"])
        const held = evolve(unwatched, Event.HoldStarted.make({ at }))
        const kept = said(held, { _tag: "Retry" })
        assert.deepStrictEqual(kept.tags, ["RecoveryRetried", "RecoveryWithheld", "WatcherStarted"])
        assert.strictEqual(kept.watch.standby?.trigger, "pid")
      }
      const limited = Event.WaitStarted.make({ ...paused, kind: "usage-limit", trigger: "limit" })
      assert.deepStrictEqual(said([limited, gaveUp].reduce(evolve, watching), { _tag: "Retry" }).tags, [
        "RecoveryRetried",
        "WatcherStarted"
      ])
    })
    it("a role that only tells is counted apart, and the watch goes on without it", () => {
      let watch = watching
      const seen: Array<ReadonlyArray<string>> = []
      for (const _ of [1, 2, 3]) {
        const next = said(watch, { _tag: "ReportRoleFailed", role: "publisher", defect: "x" })
        seen.push(next.tags)
        watch = next.watch
      }
      assert.deepStrictEqual(seen, [["RoleFailed"], ["RoleFailed"], ["RoleFailed", "RoleGaveUp"]])
      assert.deepStrictEqual([watch.standby, rolesOf(watch)], [undefined, rolesOf(watching)])
    })
  })
})
