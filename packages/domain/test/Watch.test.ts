import { assert, describe, it } from "@effect/vitest"
import { agentAtWork, Event, evolve, initial, rolesOf, type Watch, type WatchEvent } from "../src/index.ts"
import { baseline, conductor, evidence, owner, preparation } from "./Given.ts"

const seen = { watcher: 1, taskCount: 2, taskFingerprint: "a", evidence }

const opened = Event.WatchOpened.make({ at: 1, project: "/p", comms: "/c", pid: 4711, sessionId: "s1", observe: false })
const owned = Event.OwnerTook.make({ at: 2, fence: 1, owner })
const confirmed = Event.ConductorConfirmed.make({ at: 3, conductor, sessionId: "s1", print: false, ...baseline })
const watcher = (n: number, at = 4) => Event.WatcherStarted.make({ at, watcher: n, awaiting: false, mode: "normal" })
const monitor = (n: number, of = n) => Event.SelfMonitorStarted.make({ at: 5, monitor: n, watcher: of })
const settled = Event.WatchSettled.make({ at: 6 })
const died = Event.ConductorDied.make({ at: 7, ...seen, reason: "pid", retries: 1 })
const recovering = Event.RecoveryStarted.make({ at: 7, cycle: 1, purpose: "relaunch", trigger: "pid" })
const prepared = Event.LaunchPrepared.make({
  at: 8,
  ...preparation
})
const relaunched = Event.ConductorRelaunched.make({
  print: true,
  at: 9,
  cycle: 1,
  generation: 2,
  provider: "claude_export",
  launchId: "l1",
  conductor: { ...conductor, pid: 4712 },
  sessionId: "s2",
  awaiting: true,
  exportPath: "/e.md",
  ...baseline,
  taskCount: 5
})

const after = (...events: ReadonlyArray<WatchEvent>): Watch => events.reduce(evolve, initial)

const story: ReadonlyArray<readonly [WatchEvent, Watch["phase"], ReadonlyArray<string>]> = [
  [opened, "Validating", ["bootstrap/1"]],
  [owned, "Validating", ["bootstrap/1"]],
  [confirmed, "Settling", []],
  [watcher(1), "Settling", ["watcher/1"]],
  [monitor(1), "Settling", ["watcher/1", "monitor/1"]],
  [settled, "Watching", ["watcher/1", "monitor/1"]],
  [Event.WatcherLost.make({ at: 7, watcher: 1, beatAge: 181_000 }), "Watching", ["monitor/1"]],
  [watcher(2), "Watching", ["watcher/2", "monitor/1"]],
  [Event.SelfMonitorStopped.make({ at: 7, monitor: 1, reason: "replaced" }), "Watching", ["watcher/2"]],
  [monitor(2), "Watching", ["watcher/2", "monitor/2"]],
  [died, "Watching", ["monitor/2"]],
  [recovering, "Watching", ["recovery/1", "monitor/2"]],
  [prepared, "Watching", ["recovery/1", "monitor/2"]],
  [relaunched, "Watching", ["monitor/2"]],
  [watcher(3), "Watching", ["watcher/3", "monitor/2"]],
  [Event.ConductorCompleted.make({ at: 10, by: "watcher" }), "Exited", []]
]

const relaunchedWatch = after(
  opened,
  owned,
  confirmed,
  watcher(1),
  monitor(1),
  settled,
  died,
  recovering,
  prepared,
  relaunched
)

describe("behaviour#phases", () => {
  it("the watch goes VALIDATING, SETTLING, WATCHING, EXITED, and names its fibers at every step", () => {
    let watch = initial
    assert.deepStrictEqual([watch.phase, rolesOf(watch)], ["New", []])
    for (const [event, phase, roles] of story) {
      watch = evolve(watch, event)
      assert.deepStrictEqual([watch.phase, rolesOf(watch)], [phase, roles], event._tag)
    }
    assert.deepStrictEqual([watch.revision, watch.lastEventAt, watch.end], [story.length, 10, "completed"])
  })

  it("a generation is measured against the last launch, and a watch is found by every session id it had", () => {
    assert.deepStrictEqual(relaunchedWatch.baseline, { ...baseline, taskCount: 5 })
    assert.deepStrictEqual(relaunchedWatch.sessions, ["s1", "s2"])
    assert.deepStrictEqual(
      [relaunchedWatch.generation, relaunchedWatch.launchedAt, relaunchedWatch.pid, relaunchedWatch.lastExport],
      [2, 9, 4712, "/e.md"]
    )
  })
})

describe("behaviour#ends", () => {
  it("the watch ends in exactly four ways, with no fiber left", () => {
    const ends: ReadonlyArray<readonly [WatchEvent, Watch["end"]]> = [
      [Event.ConductorCompleted.make({ at: 10, by: "recovery" }), "completed"],
      [Event.WatchReleased.make({ at: 10, exportPath: null }), "released"],
      [Event.RetriesExhausted.make({ at: 10, cycle: 1, trigger: "pid", exportPath: "/e.md" }), "retries exhausted"],
      [Event.ValidationExhausted.make({ at: 10, messages: ["a", "b", "c"] }), "validation exhausted"]
    ]
    for (const [event, end] of ends) {
      const watch = after(opened, owned, confirmed, watcher(1), monitor(1), settled, died, recovering, event)
      assert.deepStrictEqual([watch.phase, watch.end, rolesOf(watch)], ["Exited", end, []])
    }
  })
})

describe("behaviour#steps", () => {
  it("the watch keeps the steps of the running cycle, and none of an earlier one", () => {
    const step = { cycle: 1, step: "1 stop" }
    const started = after(
      opened,
      recovering,
      Event.StepStarted.make({ at: 8, ...step, kind: "act", attempt: 2, token: "t" })
    )
    assert.deepStrictEqual(started.recovery?.steps, {
      "1 stop": { _tag: "Started", kind: "act", prepared: false, attempt: 2, token: "t" }
    })
    const done = evolve(started, Event.StepSucceeded.make({ at: 8, ...step, outcome: { a: 1 } }))
    assert.deepStrictEqual(done.recovery?.steps, {
      "1 stop": { _tag: "Succeeded", kind: "act", prepared: false, outcome: { a: 1 } }
    })
    const next = evolve(done, Event.RecoveryStarted.make({ at: 9, cycle: 2, purpose: "relaunch", trigger: "pid" }))
    assert.deepStrictEqual([next.recovery?.steps, next.recovery?.launch, next.cycles], [{}, undefined, 2])
    // A step of a recovery that is over changes nothing.
    assert.isUndefined(evolve(relaunchedWatch, Event.StepFailed.make({ at: 9, ...step, failure: null })).recovery)
  })
})

describe("behaviour#heartbeat-age", () => {
  it("the watch knows that polling was broken off by a new owner and by a lost watcher, until the next launch", () => {
    assert.strictEqual(after(opened, owned).brokenOffAt, 0)
    assert.strictEqual(
      after(opened, owned, confirmed, Event.OwnerTook.make({ at: 40, fence: 2, owner })).brokenOffAt,
      40
    )
    const lost = [opened, owned, confirmed, watcher(1), Event.WatcherLost.make({ at: 50, watcher: 1, beatAge: null })]
    assert.strictEqual(after(...lost).brokenOffAt, 50)
    assert.strictEqual(after(...lost, watcher(2), died, recovering, prepared, relaunched).brokenOffAt, 0)
  })
})

describe("behaviour#still-dead", () => {
  it("the watch knows the heartbeat that a Conductor was given up for, that an operator retried, and that a recovery was resumed", () => {
    const raw = "2026-01-05 12:00:00"
    const silent = Event.ConductorDied.make({ ...died, reason: "heartbeat", evidence: { ...evidence, heartbeat: raw } })
    const begun = [opened, owned, confirmed, watcher(1), silent, recovering]
    assert.deepStrictEqual(
      [after(...begun).silent, after(...begun).recovery?.resumed],
      [{ heartbeat: raw, retried: false }, false]
    )
    const resumed = [...begun, Event.OwnerTook.make({ at: 40, fence: 2, owner })]
    assert.deepStrictEqual(
      [after(...resumed).silent, after(...resumed).recovery?.resumed],
      [{ heartbeat: raw, retried: false }, true]
    )
    const closed = Event.RecoveryFailedClosed.make({ at: 41, cycle: 1, stage: "stop", message: "it beats" })
    const retried = after(...resumed, closed, Event.RecoveryRetried.make({ at: 42, cycle: 1 }), {
      ...recovering,
      cycle: 2
    })
    assert.deepStrictEqual([retried.silent, retried.recovery?.resumed], [{ heartbeat: raw, retried: true }, false])
    assert.isUndefined(after(opened, owned, confirmed, watcher(1), died, recovering).silent)
  })
  it("a word against the evidence holds for the process that it names, and for no later launch", () => {
    const named = evolve(initial, Event.WatchOpened.make({ ...opened, forced: true }))
    assert.isTrue([owned, confirmed].reduce(evolve, named).forced)
    assert.isFalse([owned, confirmed, watcher(1), died, recovering, prepared, relaunched].reduce(evolve, named).forced)
    const adopted = Event.ConductorAdopted.make({
      at: 11,
      by: "operator",
      generation: 3,
      conductor,
      sessionId: "s2",
      print: false,
      ...baseline
    })
    assert.deepStrictEqual(
      [
        evolve(named, adopted).forced,
        evolve(initial, Event.ConductorAdopted.make({ ...adopted, forced: true })).forced
      ],
      [false, true]
    )
  })
})

describe("behaviour#standby", () => {
  it("a watch is in standby after a recovery failed closed, and while it only observes", () => {
    const closed = Event.RecoveryFailedClosed.make({ at: 8, cycle: 1, stage: "gate", message: "too large" })
    const standby = after(opened, confirmed, watcher(1), died, recovering, closed)
    assert.deepStrictEqual(standby.standby, {
      trigger: "pid",
      cycle: 1,
      stage: "gate",
      message: "too large",
      since: 8,
      held: false,
      ended: true
    })
    assert.isUndefined(standby.recovery)
    assert.strictEqual(
      after(
        opened,
        confirmed,
        died,
        Event.RecoveryWithheld.make({
          at: 8,
          cycle: 1,
          trigger: "pid",
          stage: "observe",
          message: "only observing: nothing was stopped or launched"
        })
      ).standby?.stage,
      "observe"
    )
  })
})

describe("behaviour#stop", () => {
  it("the last launched process is known until an operator names another, also when the Conductor turns out to be another", () => {
    const launched = [opened, owned, confirmed, watcher(1), died, recovering, prepared, relaunched].reduce(
      evolve,
      initial
    )
    const other = { ...conductor, pid: 80 }
    const resolved = evolve(
      launched,
      Event.ConductorResolved.make({ at: 10, watcher: 2, conductor: other, print: false })
    )
    const came = (by: "heartbeat" | "operator") =>
      evolve(
        resolved,
        Event.ConductorAdopted.make({
          at: 11,
          by,
          generation: 3,
          conductor: other,
          sessionId: "s2",
          print: false,
          ...baseline
        })
      )
    assert.deepStrictEqual(
      [launched.launched, resolved.launched, resolved.conductor],
      [relaunched.conductor, relaunched.conductor, other]
    )
    assert.deepStrictEqual([came("heartbeat").launched, came("operator").launched], [relaunched.conductor, undefined])
  })
})

describe("behaviour#ceilings-of-use", () => {
  it("an adoption renews no use, neither of a ceiling nor of a cap, and a person's retry renews both", () => {
    const found = Event.CapsFound.make({ at: 3, caps: [{ kind: "turns", flag: "--max-turns", limit: 12 }], began: 0 })
    const reached = Event.CeilingReached.make({ at: 9, watcher: 1, ceiling: "turns", used: 12, limit: 12 })
    const before = after(opened, confirmed, watcher(1), found, reached)
    const use = ({ allowedSince, capsSince, ceiling }: Watch) => [allowedSince, capsSince, ceiling?.used]
    assert.deepStrictEqual(use(before), [opened.at, 0, 12])
    for (const by of ["operator", "heartbeat"] as const) {
      const again = { generation: 2, conductor, sessionId: "s2", print: false, ...baseline }
      const adopted = evolve(before, Event.ConductorAdopted.make({ at: 11, by, ...again }))
      assert.deepStrictEqual(use(adopted), use(before))
      assert.deepStrictEqual(use(evolve(adopted, { ...found, began: 10 })), use(before))
    }
    const retried = Event.RecoveryRetried.make({ at: 12, cycle: 1, by: "operator" })
    assert.deepStrictEqual(use(evolve(before, retried)), [12, undefined, undefined])
  })
})

describe("behaviour#adopt", () => {
  it("an operator who adopts the launched process takes nothing from what is known of its launch", () => {
    const begun = { ...prepared, cycle: 0, turnBefore: 3 }
    const first = [opened, begun, owned, confirmed].reduce(evolve, initial)
    const again = { by: "operator", generation: 2, sessionId: "s1", print: false, ...baseline } as const
    const same = evolve(first, Event.ConductorAdopted.make({ at: 11, conductor: confirmed.conductor, ...again }))
    assert.deepInclude(same, { launchId: begun.launchId, preparedAt: begun.at, turnBefore: 3 })
    const launched = [opened, owned, confirmed, watcher(1), died, recovering, prepared, relaunched].reduce(
      evolve,
      initial
    )
    const facts = (watch: Watch) => ({
      launched: watch.launched,
      launchId: watch.launchId,
      launchedFor: watch.launchedFor,
      provider: watch.provider
    })
    const adopted = (conductor: NonNullable<typeof relaunched.conductor>) =>
      facts(
        evolve(
          launched,
          Event.ConductorAdopted.make({
            at: 11,
            by: "operator",
            generation: 3,
            conductor,
            sessionId: "s2",
            print: false,
            ...baseline
          })
        )
      )
    assert.isDefined(launched.launchId)
    assert.deepStrictEqual(adopted(relaunched.conductor!), facts(launched))
    const none = { launched: undefined, launchId: undefined, launchedFor: undefined, provider: undefined }
    assert.deepStrictEqual(adopted({ ...relaunched.conductor!, startTime: 7 }), none)
  })
})

describe("command-line#status", () => {
  describe("the agent at work", () => {
    it("the agent at work is that of the first launch, until a person chose another; a command has none", () => {
      const named = (agent: string | null, ...more: ReadonlyArray<WatchEvent>) =>
        agentAtWork([opened, owned, { ...confirmed, agent }, ...more].reduce(evolve, initial))
      const chosen = Event.AgentChosen.make({ at: 9, from: "claude", agent: "codex" })
      assert.deepStrictEqual([named("claude"), named("claude", chosen), named(null)], ["claude", "codex", undefined])
    })
  })
})
