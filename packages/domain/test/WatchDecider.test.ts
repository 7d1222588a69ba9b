import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  decide,
  Event,
  evolve,
  isUnwatched,
  leastPin,
  rolesOf,
  type Watch,
  type WatchCommand,
  type WatchIntent
} from "../src/index.ts"
import {
  conductor,
  owner,
  baseline,
  evidence,
  given,
  at,
  opened,
  owned,
  confirmed,
  watcher,
  monitor,
  settled,
  watching,
  dead,
  died,
  started,
  relaunched,
  prepared,
  preparation
} from "./Given.ts"

describe("opening and owning", () => {
  describe("behaviour#one-owner", () => {
    it("the decider opens a watch that is new, once", () => {
      const open = { _tag: "Open", project: "/p", comms: null, pid: 5, sessionId: "s", observe: false } as const
      given().when(open).thenTags("WatchOpened")
      given(opened).when(open).thenRefused("exists")
      given().when({ _tag: "Release" }).thenRefused("no such watch")
    })
    it("a watch is owned under a growing fence; over an owner only when that very owner was seen dead", () => {
      const take = (over: number): WatchIntent => ({ _tag: "TakeOwnership", owner, over })
      given(opened)
        .when(take(0))
        .then(Event.OwnerTook.make({ at: 1000, fence: 1, owner }))
      given(opened, owned)
        .when(take(1))
        .then(Event.OwnerTook.make({ at: 1000, fence: 2, owner }))
      given(opened, owned).when(take(0)).thenRefused("owned")
      given(opened, owned, Event.OwnerLeft.make({ at, fence: 1 }))
        .when(take(0))
        .then(Event.OwnerTook.make({ at: 1000, fence: 2, owner }))
    })
    it("a person moves a watch from the very owner that was named, lived or left, and it can be owned again", () => {
      const move: WatchIntent = { _tag: "Move", from: owner, host: "new-box" }
      const moved = Event.WatchMoved.make({ at: 1000, from: owner, host: "new-box" })
      const left = Event.OwnerLeft.make({ at, fence: 1 })
      given(opened, owned).when(move).then(moved)
      given(opened, owned, left).when(move).then(moved)
      const { watch } = given(opened, owned, moved)
      assert.deepStrictEqual([watch.owner, watch.left, watch.fence], [undefined, undefined, 1])
      given(opened, owned, moved).when(move).thenRefused("owned")
      given(opened, owned)
        .when({ ...move, from: { ...owner, host: "another" } })
        .thenRefused("owned")
    })
    it("the decider refuses every word under an older fence, but not an operator's", () => {
      const old = { _tag: "Owner", fence: 0 } as const
      given(...watching)
        .when(dead(), old)
        .thenRefused("fenced")
      given(...watching)
        .when({ _tag: "Release" }, old)
        .thenRefused("fenced")
      given(...watching)
        .when({ _tag: "Release" }, { _tag: "Operator" })
        .thenTags("WatchReleased")
    })
  })

  describe("behaviour#agents-of-a-run", () => {
    it("the decider says what it ends of its own making, once, and of a first launch only while it is validated", () => {
      const end = (what: "guardian" | "first launch"): WatchIntent => ({
        _tag: "EndProcess",
        what,
        process: conductor,
        message: "silent"
      })
      const ending = Event.ProcessEnding.make({ at: 1000, what: "guardian", process: conductor, message: "silent" })
      given(...watching)
        .when(end("guardian"))
        .then(ending)
      given(...watching, { ...ending, process: { ...conductor, pid: 7 } })
        .when(end("guardian"))
        .then(ending)
      given(...watching, ending)
        .when(end("guardian"))
        .then()
      given(...watching)
        .when(end("first launch"))
        .thenRefused("not now")
      given(opened, owned)
        .when(end("first launch"))
        .then({ ...ending, what: "first launch" })
    })
  })

  describe("behaviour#guardian", () => {
    it("a watch makes no progress by ending a process of its own making", () => {
      const restored = Event.SouffleurRestored.make({ at: 900, reason: "died", over: 1, restorations: 2 })
      const ending = Event.ProcessEnding.make({ at: 950, what: "guardian", process: conductor, message: "silent" })
      given(...watching, restored, ending)
        .when({ _tag: "Restore", reason: "died", over: 1 }, { _tag: "Operator" })
        .then({ ...restored, at: 1000, restorations: 3 })
    })
  })

  describe("a restoration by a guardian", () => {
    const restore = (over = 1, reason: "died" | "silent" = "died"): WatchIntent => ({ _tag: "Restore", reason, over })
    const restored = (restorations: number, when = 900) =>
      Event.SouffleurRestored.make({ at: when, reason: "died", over: 1, restorations })
    const operator = { _tag: "Operator" } as const

    describe("behaviour#guardian", () => {
      it("a restoration is counted before the act; after three without progress the guardian gives up", () => {
        given(...watching)
          .when(restore(1, "silent"), operator)
          .then(Event.SouffleurRestored.make({ at: 1000, reason: "silent", over: 1, restorations: 1 }))
        given(...watching, restored(1), restored(2))
          .when(restore(), operator)
          .then(restored(3, 1000))
        given(...watching, restored(1), restored(2), restored(3))
          .when(restore(), operator)
          .then(Event.GuardianGaveUp.make({ at: 1000, restorations: 3 }))
      })
      it("restorations are counted from zero once the watch went on, a person resumed it, or ten minutes passed", () => {
        for (const between of [settled, died(1), Event.GuardianGaveUp.make({ at, restorations: 3 })])
          given(...watching, restored(1), restored(2), restored(3), between)
            .when(restore(), operator)
            .then(restored(1, 1000))
        given(...watching, restored(3, 1000 - 599_999))
          .when(restore(), operator)
          .thenTags("GuardianGaveUp")
        given(...watching, restored(3, 1000 - 600_000))
          .when(restore(), operator)
          .then(restored(1, 1000))
        // To start, and to die at it, is no progress.
        for (const between of [watcher(2), monitor(2), Event.OwnerTook.make({ at, fence: 1, owner })])
          given(...watching, restored(1), restored(2), restored(3), between)
            .when(restore(), operator)
            .thenTags("GuardianGaveUp")
      })
      it("a restoration is refused when the owner has left or changed, or the watch has ended", () => {
        given(...watching, Event.OwnerLeft.make({ at, fence: 1 }))
          .when(restore(), operator)
          .thenRefused("not now")
        given(...watching)
          .when(restore(2), operator)
          .thenRefused("owned")
        given(...watching, Event.WatchReleased.make({ at, exportPath: null }))
          .when(restore(), operator)
          .thenRefused("ended")
      })
    })

    describe("behaviour#service", () => {
      it("a watch that was given up is known by the fence of its dead souffleur, until another takes it", () => {
        const gaveUp = [...watching, restored(3), Event.GuardianGaveUp.make({ at, restorations: 3 })]
        const { watch } = given(...gaveUp)
        assert.deepStrictEqual([watch.gaveUp, watch.fence], [1, 1])
        assert.strictEqual(given(...gaveUp, Event.OwnerTook.make({ at, fence: 2, owner })).watch.fence, 2)
      })
    })
  })

  describe("behaviour#ends", () => {
    it("a watch refuses every word after its end; leaving is no event then", () => {
      const ended = given(...watching, Event.ConductorCompleted.make({ at, by: "watcher" }))
      for (const intent of [
        dead(),
        { _tag: "Release" },
        { _tag: "StartStep", cycle: 1, step: "1 stop", kind: "act" }
      ] as const)
        ended.when(intent).thenRefused("ended")
      ended.when({ _tag: "Leave" }).then()
      assert.deepStrictEqual(rolesOf(ended.watch), [])
    })
  })
})

describe("bootstrap", () => {
  const fail = { _tag: "FailValidation", check: "process", message: "no process", lastMessageId: 3 } as const
  const failed = (attempt: number) =>
    Event.ValidationFailed.make({ at: 1000, attempt, check: "process", message: "no process", lastMessageId: 3 })

  describe("behaviour#phases", () => {
    it("the decider runs the bootstrap role until confirmed", () => {
      assert.deepStrictEqual(rolesOf(given(opened, owned).watch), ["bootstrap/1"])
      given(opened, owned)
        .when({ _tag: "Confirm", conductor, sessionId: "s1", print: false, agent: "pi", baseline })
        .thenTags("ConductorConfirmed", "WatcherStarted")
      assert.deepStrictEqual(rolesOf(given(opened, owned, confirmed, watcher(1)).watch), ["watcher/1"])
    })
  })

  describe("behaviour#validation", () => {
    it("the decider ends at the third failure, with every reason", () => {
      given(opened, owned).when(fail).then(failed(1))
      given(opened, owned, failed(1)).when(fail).then(failed(2))
      given(opened, owned, failed(1), failed(2))
        .when(fail)
        .then(
          failed(3),
          Event.ValidationExhausted.make({ at: 1000, messages: ["no process", "no process", "no process"] })
        )
    })
    it("the decider takes corrected arguments: what was wrong is no session of its own", () => {
      const { watch } = given(
        opened,
        owned,
        failed(1),
        Event.ArgumentsCorrected.make({ at, pid: 8, sessionId: "s9", messageId: 4 })
      )
      assert.deepStrictEqual([watch.pid, watch.sessionId, watch.correctedBy, watch.sessions], [8, "s9", 4, ["s9"]])
    })
    it("bootstrap is over once the watch is confirmed: late words of a bootstrap are refused", () => {
      const late: ReadonlyArray<WatchIntent> = [
        fail,
        { _tag: "CorrectArguments", pid: 8, sessionId: "s9", messageId: 4, process: null },
        { _tag: "Confirm", conductor, sessionId: "s1", print: false, agent: "pi", baseline }
      ]
      for (const intent of late)
        given(...watching)
          .when(intent)
          .thenRefused("not now")
    })
  })
})

describe("watching", () => {
  describe("behaviour#phases", () => {
    it("the decider settles when watcher and self-monitor both run", () => {
      given(opened, owned, confirmed, watcher(1))
        .when({ _tag: "WatcherReady", watcher: 1 })
        .then(Event.SelfMonitorStarted.make({ at: 1000, monitor: 1, watcher: 1 }))
      given(opened, owned, confirmed, watcher(1), monitor(1))
        .when({ _tag: "SelfMonitorReady", monitor: 1 })
        .thenTags("WatchSettled")
      given(opened, owned, confirmed, watcher(1), monitor(1)).when({ _tag: "SelfMonitorReady", monitor: 7 }).then()
      given(...watching)
        .when({ _tag: "SelfMonitorReady", monitor: 1 })
        .then()
      assert.strictEqual(given(...watching).watch.phase, "Watching")
    })
  })

  describe("behaviour#self-monitor", () => {
    it("the decider replaces a dead watcher in the same mode, and the self-monitor only when the new watcher runs", () => {
      const awaiting = [opened, owned, confirmed, watcher(1, true), monitor(1), settled]
      const lost = { _tag: "ReportWatcherDead", monitor: 1, watcher: 1, beatAge: 181_000 } as const
      given(...awaiting)
        .when(lost)
        .then(
          Event.WatcherLost.make({ at: 1000, watcher: 1, beatAge: 181_000 }),
          Event.WatcherStarted.make({ at: 1000, watcher: 2, awaiting: true, mode: "normal" })
        )
      given(...watching, { ...watcher(2), mode: "heartbeat-only" })
        .when({ ...lost, watcher: 2 })
        .then(Event.WatcherLost.make({ at: 1000, watcher: 2, beatAge: 181_000 }), {
          ...watcher(3),
          at: 1000,
          mode: "heartbeat-only"
        })
      const after = given(...awaiting, Event.WatcherLost.make({ at, watcher: 1, beatAge: 181_000 }), watcher(2, true))
      assert.deepStrictEqual(rolesOf(after.watch), ["watcher/2", "monitor/1"])
      after
        .when({ _tag: "WatcherReady", watcher: 2 })
        .then(
          Event.SelfMonitorStopped.make({ at: 1000, monitor: 1, reason: "replaced" }),
          Event.SelfMonitorStarted.make({ at: 1000, monitor: 2, watcher: 2 })
        )
    })
    it("a watch ignores the start of a watcher that is not the current one, and a repeated start", () => {
      const lost = [...watching, Event.WatcherLost.make({ at, watcher: 1, beatAge: 181_000 }), watcher(2)]
      given(...lost)
        .when({ _tag: "WatcherReady", watcher: 1 })
        .then()
      given(...lost, monitor(2))
        .when({ _tag: "WatcherReady", watcher: 1 })
        .then()
      given(...lost, monitor(2))
        .when({ _tag: "WatcherReady", watcher: 2 })
        .then()
    })
    it("the decider ignores WATCHER_DEAD that names another watcher, comes from an old self-monitor, or comes during a recovery", () => {
      given(...watching)
        .when({ _tag: "ReportWatcherDead", monitor: 1, watcher: 7, beatAge: 1 })
        .then()
      given(...watching)
        .when({ _tag: "ReportWatcherDead", monitor: 9, watcher: 1, beatAge: 1 })
        .then()
      given(...watching, died(1), started(1))
        .when({ _tag: "ReportWatcherDead", monitor: 1, watcher: 1, beatAge: 1 })
        .then()
    })
    it("the decider replaces a self-monitor that died alone", () => {
      given(...watching)
        .when({ _tag: "ReportSelfMonitorLost", monitor: 1 })
        .thenTags("SelfMonitorStopped", "SelfMonitorStarted")
      given(...watching)
        .when({ _tag: "ReportSelfMonitorLost", monitor: 4 })
        .then()
    })
    it("the decider ignores the report of a watcher long replaced", () =>
      given(...watching)
        .when(dead(2, 9))
        .then())
  })

  describe("behaviour#awaiting-a-session-id", () => {
    it("the decider finds an awaited session id, once", () => {
      const found: WatchIntent = {
        _tag: "ReportExit",
        watcher: 1,
        exit: { _tag: "SessionIdFound", sessionId: "s7", holder: "the same" },
        tasks: null,
        evidence
      }
      given(opened, owned, confirmed, watcher(1, true)).when(found).thenTags("SessionIdFound", "WatcherStarted")
      given(...watching)
        .when({ ...found, exit: { _tag: "SessionIdFound", sessionId: "s1", holder: "the same" } })
        .then()
      const { watch } = given(...watching, Event.SessionIdFound.make({ at, watcher: 1, sessionId: "s7" }), watcher(2))
      assert.deepStrictEqual([watch.sessionId, watch.awaiting, watch.sessions], ["s7", false, ["s1", "s7"]])
    })
  })

  describe("behaviour#modes", () => {
    it("a watch reads the heartbeat alone while no process holds the found session, until one does, or another launch", () => {
      const unknown: WatchIntent = {
        _tag: "ReportExit",
        watcher: 1,
        exit: { _tag: "SessionIdFound", sessionId: "s7", holder: "unknown" },
        tasks: null,
        evidence
      }
      given(opened, owned, confirmed, watcher(1, true))
        .when(unknown)
        .thenTags("SessionIdFound", "ConductorUnresolved", "WatcherStarted")
      const alone = { ...watcher(2), mode: "heartbeat-only" as const }
      const unresolved = [
        ...watching,
        Event.SessionIdFound.make({ at, watcher: 1, sessionId: "s7" }),
        Event.ConductorUnresolved.make({ at, watcher: 1, sessionId: "s7" }),
        alone
      ]
      assert.deepInclude(given(...unresolved).watch, { conductor: undefined, mode: "heartbeat-only" })
      const holder = { conductor: { pid: 80, startTime: 9, bootId: "boot" }, print: true }
      const resolved: WatchIntent = {
        _tag: "ReportExit",
        watcher: 2,
        exit: { _tag: "Resolved", holder },
        tasks: null,
        evidence
      }
      given(...unresolved)
        .when(resolved)
        .then(Event.ConductorResolved.make({ at: 1000, watcher: 2, ...holder }), { ...watcher(3), at: 1000 })
      given(...watching, watcher(2))
        .when(resolved)
        .then()
      assert.strictEqual(
        given(...unresolved, died(1), started(1), prepared(1), relaunched(2), watcher(3)).watch.mode,
        "normal"
      )
    })
  })
})

describe("deaths and retries", () => {
  const generationEnds = [
    { exit: { _tag: "Dead", reason: "pid" }, event: "ConductorDied" },
    { exit: { _tag: "ContextRecovery" }, event: "ContextRecoveryRequested" },
    { exit: { _tag: "TurnEnded" }, event: "TurnEnded" },
    { exit: { _tag: "ContextExhausted" }, event: "ContextExhausted" }
  ] as const
  const planned = [
    { exit: { _tag: "ContextRecovery" }, event: "ContextRecoveryRequested", trigger: "handoff" },
    { exit: { _tag: "TurnEnded" }, event: "TurnEnded", trigger: "turn-ended" }
  ] as const

  describe("behaviour#retries", () => {
    it("the decider counts a death before any launch, and starts a recovery", () => {
      given(...watching)
        .when(dead())
        .then(died(1), started(1))
      assert.deepStrictEqual(rolesOf(given(...watching, died(1), started(1)).watch), ["recovery/1", "monitor/1"])
    })
    it("progress since the last launch sets the count to 0, whatever ends the generation; without progress it goes up", () => {
      for (const { event, exit } of generationEnds) {
        const retriesAt = (tasks: { readonly count: number; readonly fingerprint: string } | null) => {
          const [first] = given(...twice)
            .when({ _tag: "ReportExit", watcher: 2, exit, tasks, evidence })
            .thenTags(event, "RecoveryStarted")
          return first?._tag === event ? first.retries : undefined
        }
        assert.strictEqual(retriesAt({ count: 3, fingerprint: "b" }), 0, `${event}: a task was added`)
        assert.strictEqual(retriesAt({ count: 2, fingerprint: "b" }), 0, `${event}: a task changed its state`)
        assert.strictEqual(retriesAt({ count: 2, fingerprint: "a" }), 3, `${event}: nothing changed`)
        assert.strictEqual(retriesAt(null), 3, `${event}: nobody could look`)
      }
    })
    it("the decider launches nothing at the third: it saves what can be saved, and ends", () => {
      given(...twice)
        .when(dead(2, 2))
        .then(died(3, 2), started(2, "export"))
      const salvaging = given(...twice, died(3, 2), started(2, "export"))
      salvaging
        .when({
          _tag: "PrepareLaunch",
          cycle: 2,
          launchId: "l2",
          digest: "d",
          sessionId: "s3",
          requested: "acceptEdits",
          effective: "acceptEdits"
        })
        .thenRefused("never")
      salvaging
        .when({ _tag: "ExhaustRetries", cycle: 2, exportPath: "/e.md" })
        .then(Event.RetriesExhausted.make({ at: 1000, cycle: 2, trigger: "pid", exportPath: "/e.md" }))
      // Neither of another cycle, nor where it was not the third.
      salvaging.when({ _tag: "ExhaustRetries", cycle: 1, exportPath: null }).thenRefused("not now")
      given(...watching, died(1), started(1))
        .when({ _tag: "ExhaustRetries", cycle: 1, exportPath: null })
        .thenRefused("not now")
    })
    it("the decider launches nothing at the third planned hand-off without any change of a task", () => {
      for (const { event, exit, trigger } of planned) {
        const [, second] = given(...watching, died(2), started(1), prepared(1), relaunched(2), watcher(2))
          .when({ _tag: "ReportExit", watcher: 2, exit, tasks: { count: 2, fingerprint: "a" }, evidence })
          .thenTags(event, "RecoveryStarted")
        assert.deepInclude(second, { purpose: "export", trigger })
      }
    })
  })

  const twice = [...watching, died(2), started(1), prepared(1), relaunched(2), watcher(2)]

  describe("behaviour#claude_export", () => {
    it("an escalation is told once in its cycle: after a crash the provider comes to the same end again", () => {
      const escalate = (from: string, to: string, cycle = 1): WatchIntent => ({
        _tag: "Escalate",
        cycle,
        from,
        to,
        stage: "gate",
        message: "too large",
        alreadyKilled: true
      })
      const escalated = Event.RecoveryEscalated.make({
        at: 1000,
        cycle: 1,
        from: "a",
        to: "b",
        stage: "gate",
        message: "too large",
        alreadyKilled: true
      })
      const recovering = given(...watching, died(1), started(1))
      recovering.when(escalate("a", "b")).then(escalated)
      recovering.when(escalate("a", "b", 2)).thenRefused("not now")
      const handedOn = given(...watching, died(1), started(1), escalated)
      handedOn.when(escalate("a", "b")).then()
      handedOn.when(escalate("b", "c")).thenTags("RecoveryEscalated")
    })
  })

  const asks = (change: Partial<Extract<WatchIntent, { readonly _tag: "RequestHandoff" }>> = {}): WatchIntent => ({
    _tag: "RequestHandoff",
    sessionId: "s1",
    request: "w-1-00ff",
    digest: "d",
    tasks: { count: 2, fingerprint: "a" },
    ...change
  })
  const operator = { _tag: "Operator" } as const
  const asked = (retries: number) =>
    Event.HandoffRequested.make({
      at: 1000,
      sessionId: "s1",
      request: "w-1-00ff",
      digest: "d",
      taskCount: 2,
      taskFingerprint: "a",
      retries
    })
  const handoff = Event.RecoveryStarted.make({ at: 1000, cycle: 1, purpose: "relaunch", trigger: "handoff" })
  const wait = (kind: "usage-limit" | "quiet-hours", trigger: "limit" | "hang" | "handoff", until = 9000) =>
    Event.WaitStarted.make({ at: 1000, watcher: 1, kind, until, resetsAt: until, trigger })

  describe("behaviour#words-of-the-agent", () => {
    it("the agent's own request is the hand-off of its generation, once", () => {
      given(...watching)
        .when(asks(), operator)
        .then(asked(1), handoff)
      const { watch, when } = given(...watching, asked(1), handoff)
      assert.deepStrictEqual(watch.handoff, { request: "w-1-00ff", digest: "d" })
      assert.deepStrictEqual([watch.watcher, watch.recovery?.trigger], [undefined, "handoff"])
      // Its answer was lost, so it says it again; another one is a second request.
      when(asks(), operator).then()
      when(asks({ request: "w-1-ee11" }), operator).thenRefused("not now")
      // The next generation asks again.
      const next = given(...watching, asked(1), handoff, relaunched(2), watcher(2))
      assert.isUndefined(next.watch.handoff)
      next
        .when(asks({ sessionId: "s2", request: "w-2-00aa" }), operator)
        .thenTags("HandoffRequested", "RecoveryStarted")
    })
    it("the agent's own request counts as every planned hand-off does, and the third without progress launches nothing", () => {
      const retriesOf = (tasks: { readonly count: number; readonly fingerprint: string } | null) => {
        const [first] = given(...watching)
          .when(asks({ tasks }), operator)
          .thenTags("HandoffRequested", "RecoveryStarted")
        return first?._tag === "HandoffRequested" ? first.retries : undefined
      }
      assert.deepStrictEqual(
        [retriesOf({ count: 2, fingerprint: "a" }), retriesOf({ count: 2, fingerprint: "b" }), retriesOf(null)],
        [1, 0, 1]
      )
      const [worked] = given(...twice)
        .when(asks({ sessionId: "s2", tasks: { count: 2, fingerprint: "b" } }), operator)
        .thenTags("HandoffRequested", "RecoveryStarted")
      assert.deepInclude(worked, { retries: 0 })
      const [, second] = given(...watching, died(2), started(1), prepared(1), relaunched(2), watcher(2))
        .when(asks({ sessionId: "s2" }), operator)
        .thenTags("HandoffRequested", "RecoveryStarted")
      assert.deepInclude(second, { purpose: "export", trigger: "handoff" })
    })
    it("an agent that asks goes on: what was waited for is over, and told so", () => {
      const ended = Event.WaitEnded.make({ at: 1000, watcher: 2, how: "asked" })
      given(...watching, wait("usage-limit", "limit"), watcher(2))
        .when(asks(), operator)
        .then(asked(1), ended, handoff)
      given(...watching, wait("quiet-hours", "hang"), watcher(2))
        .when(asks({ quietUntil: 9000 }), operator)
        .thenTags("HandoffRequested", "WaitEnded", "WaitStarted", "WatcherStarted")
    })
    it("the decider refuses an agent's request that is not the Conductor's, or comes while something else is under way", () => {
      given(...watching)
        .when(asks({ sessionId: "s0" }), operator)
        .thenRefused("not now")
      given(opened, owned).when(asks(), operator).thenRefused("not now")
      given(...watching, died(1), started(1))
        .when(asks(), operator)
        .thenRefused("not now")
      const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "compact", message: "no boundary" })
      given(...watching, died(1), started(1), closed, watcher(2))
        .when(asks(), operator)
        .thenRefused("not now")
      given(...watching, Event.WatchReleased.make({ at, exportPath: null }))
        .when(asks(), operator)
        .thenRefused("ended")
      given(...watching, relaunched(2))
        .when(asks(), operator)
        .thenRefused("not now")
    })
  })

  describe("behaviour#quiet-hours", () => {
    it("an agent's own request in the quiet hours waits for their end, and another one then is refused", () => {
      given(...watching)
        .when(asks({ quietUntil: 9000 }), operator)
        .then(asked(1), wait("quiet-hours", "handoff"), Event.WatcherStarted.make({ ...watcher(2), at: 1000 }))
      const { watch, when } = given(...watching, asked(1), wait("quiet-hours", "handoff"), watcher(2))
      when(asks({ request: "w-1-ee11", quietUntil: 9000 }), operator).thenRefused("not now")
      assert.deepStrictEqual(watch.handoff, { request: "w-1-00ff", digest: "d" })
      const over = {
        _tag: "ReportExit",
        watcher: 2,
        exit: { _tag: "WaitOver", how: "over" },
        tasks: null,
        evidence
      } as const
      const [, begun] = when(over).thenTags("WaitEnded", "RecoveryStarted")
      assert.deepInclude(begun, { trigger: "handoff" })
    })
  })

  describe("behaviour#cycle", () => {
    it("observing, withholds the recovery and goes on watching", () => {
      const observing = [
        Event.WatchOpened.make({ ...opened, observe: true }),
        owned,
        confirmed,
        watcher(1),
        monitor(1),
        settled
      ]
      given(...observing)
        .when(dead())
        .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
    })
  })
})
describe("a recovery cycle", () => {
  const recovering = [...watching, died(1), started(1)]
  const begun = (attempt = 1) =>
    Event.StepStarted.make({
      at: 1000,
      cycle: 1,
      step: "1 stop",
      kind: "act",
      attempt,
      token: `g2-c1-1-stop-${attempt}`
    })
  const start = { _tag: "StartStep", cycle: 1, step: "1 stop", kind: "act" } as const

  describe("behaviour#steps", () => {
    it("the decider grants a step its intent; an open one again under a new token; a decided one never", () => {
      given(...recovering)
        .when(start)
        .then(begun())
      given(...recovering, begun())
        .when(start)
        .then(begun(2))
      given(...recovering, begun(), Event.StepSucceeded.make({ at, cycle: 1, step: "1 stop", outcome: null }))
        .when(start)
        .thenRefused("never")
      given(...recovering, begun(), Event.StepFailed.make({ at, cycle: 1, step: "1 stop", failure: null }))
        .when(start)
        .thenRefused("never")
    })
    it("the decider records no outcome without an intent, and none of another cycle", () => {
      given(...recovering)
        .when({ _tag: "SucceedStep", cycle: 1, step: "1 stop", outcome: null })
        .thenRefused("never")
      given(...recovering, begun())
        .when({ _tag: "FailStep", cycle: 2, step: "1 stop", failure: null })
        .thenRefused("not now")
      given(...watching)
        .when(start)
        .thenRefused("not now")
      given(...recovering, prepared(1), relaunched(2), watcher(2), died(1, 2), started(2))
        .when(start)
        .thenRefused("not now")
    })
  })

  describe("behaviour#wrap-up", () => {
    it("the decider relaunches only what was prepared: generation +1, a new watcher that awaits the session id", () => {
      const { _tag: _, at: __, generation: ___, ...launch } = relaunched(2)
      const { conductorState, lastMessageId, taskCount, taskFingerprint, ...rest } = launch
      const intent: WatchIntent = {
        _tag: "Relaunched",
        ...rest,
        baseline: { conductorState, lastMessageId, taskCount, taskFingerprint }
      }
      given(...recovering)
        .when(intent)
        .thenRefused("never")
      given(...recovering, prepared(1))
        .when(intent)
        .thenTags("ConductorRelaunched", "WatcherStarted")
      const { watch } = given(...recovering, prepared(1), relaunched(2), watcher(2, true))
      assert.deepStrictEqual([watch.generation, watch.pid, watch.awaiting, watch.recovery], [2, 4712, true, undefined])
      // The old self-monitor goes on until the new watcher says that it runs.
      assert.deepStrictEqual(rolesOf(watch), ["watcher/2", "monitor/1"])
    })
  })

  describe("behaviour#recovery_command", () => {
    it("the decider watches the heartbeat alone of a successor whose process is not known, which no launch stands for", () => {
      const { _tag: _, at: __, generation: ___, ...launch } = relaunched(2)
      const { conductorState, lastMessageId, taskCount, taskFingerprint, ...rest } = launch
      const baseline = { conductorState, lastMessageId, taskCount, taskFingerprint }
      const events = given(...recovering, prepared(1))
        .when({ _tag: "Relaunched", ...rest, conductor: null, awaiting: false, baseline })
        .thenTags("ConductorRelaunched", "ConductorUnresolved", "WatcherStarted")
      assert.deepInclude(given(...recovering, prepared(1), ...events).watch, {
        generation: 2,
        conductor: undefined,
        launched: undefined,
        mode: "heartbeat-only",
        awaiting: false,
        recovery: undefined,
        undecided: undefined
      })
    })
    it("the decider grants another launch where the program launched nothing, and none while it may have", () => {
      const step = (name: string, kind: "act" | "launch") =>
        Event.StepStarted.make({ at, cycle: 1, step: name, kind, attempt: 1, token: "t" })
      const done = (name: string) => Event.StepSucceeded.make({ at, cycle: 1, step: name, outcome: null })
      const nothing = (name: string) => Event.StepFailed.make({ at, cycle: 1, step: name, failure: null })
      // Its launch is prepared before it is asked, in a step of its own.
      const asked = [
        ...recovering,
        step("prepare recovery_command", "act"),
        prepared(1),
        done("prepare recovery_command"),
        step("recovery_command#1", "launch")
      ]
      for (const other of ["recovery_command#2", "6 launch"]) {
        const start: WatchIntent = { _tag: "StartStep", cycle: 1, step: other, kind: "launch" }
        given(...asked)
          .when(start)
          .thenRefused("never")
        given(...asked, done("recovery_command#1"))
          .when(start)
          .thenRefused("never")
        given(...asked, nothing("recovery_command#1"))
          .when(start)
          .thenTags("StepStarted")
      }
      // An operator's hold can promise nothing while it is asked.
      given(...asked)
        .when({ _tag: "Hold" }, { _tag: "Operator" })
        .thenRefused("not now")
      given(...asked, nothing("recovery_command#1"))
        .when({ _tag: "Hold" }, { _tag: "Operator" })
        .thenTags("HoldStarted", "RecoveryWithheld", "WatcherStarted")
    })
  })

  describe("behaviour#standby", () => {
    it("a cycle that failed closed leaves a standby: deaths and hand-offs have no consequence, and completion counts", () => {
      given(...recovering)
        .when({ _tag: "FailClosed", cycle: 1, stage: "gate", message: "too large" })
        .then(
          Event.RecoveryFailedClosed.make({ at: 1000, cycle: 1, stage: "gate", message: "too large" }),
          Event.WatcherStarted.make({ at: 1000, watcher: 2, awaiting: false, mode: "normal" })
        )
      const standby = given(
        ...recovering,
        Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" }),
        watcher(2)
      )
      standby.when(dead(2, 2)).then()
      standby.when({ _tag: "ReportExit", watcher: 2, exit: { _tag: "ContextRecovery" }, tasks: null, evidence }).then()
      standby
        .when({ _tag: "ReportExit", watcher: 2, exit: { _tag: "Complete" }, tasks: null, evidence })
        .thenTags("ConductorCompleted")
    })
  })

  describe("behaviour#ends", () => {
    it("a cycle is cancelled by completion, and by an operator, who is told where the export is", () => {
      given(...recovering)
        .when({ _tag: "CancelForCompletion", cycle: 1 })
        .thenTags("ConductorCompleted")
      given(
        ...recovering,
        Event.StepStarted.make({ at, cycle: 1, step: "2 export", kind: "act", attempt: 1, token: "t" }),
        Event.StepSucceeded.make({ at, cycle: 1, step: "2 export", outcome: { path: "/new.md" } })
      )
        .when({ _tag: "Release" }, { _tag: "Operator" })
        .then(Event.WatchReleased.make({ at: 1000, exportPath: "/new.md" }))
    })
    it("a cycle is cancelled by the word that the work is complete, which ends a watch in any state", () => {
      for (const events of [[opened, owned], watching, recovering]) {
        for (const by of ["agent", "operator"] as const) {
          const word = given(...events)
          const decided = word.when({ _tag: "Finish", saidBy: by }, { _tag: "Operator" }).thenTags("ConductorCompleted")
          assert.deepInclude(decided[0], { by })
          const watch = decided.reduce(evolve, word.watch)
          assert.deepStrictEqual([watch.end, rolesOf(watch)], ["completed", []])
        }
      }
    })
  })
})

describe("behaviour#providers", () => {
  describe("compaction and launches of a cycle", () => {
    /** Whatever a provider calls it. */
    const launches = ["6 launch", "resume", "start from the notes"]
    const recovering = [...watching, died(1), started(1)]
    const kindOf = (step: string) => (launches.includes(step) ? "launch" : "act")
    const begun = (step: string) =>
      Event.StepStarted.make({ at, cycle: 1, step, kind: kindOf(step), attempt: 1, token: "t" })
    const failed = (step: string) => [begun(step), Event.StepFailed.make({ at, cycle: 1, step, failure: null })]
    const succeeded = (step: string) => [begun(step), Event.StepSucceeded.make({ at, cycle: 1, step, outcome: null })]
    const start = (step: string): WatchIntent => ({ _tag: "StartStep", cycle: 1, step, kind: kindOf(step) })

    it("the decider grants a second compaction only after a first that failed", () => {
      for (const before of [[], [begun("compact#1")], succeeded("compact#1")])
        given(...recovering, ...before)
          .when(start("compact#2"))
          .thenRefused("never")
      given(...recovering, ...failed("compact#1"))
        .when(start("compact#2"))
        .thenTags("StepStarted")
    })
    it("the decider grants no launch of any kind after the second compaction failed; a retry is another cycle", () => {
      const exhausted = [...recovering, ...failed("compact#1"), ...failed("compact#2")]
      for (const launch of launches) {
        given(...exhausted)
          .when(start(launch))
          .thenRefused("never")
        given(...recovering, ...failed("compact#1"), ...succeeded("compact#2"))
          .when(start(launch))
          .thenTags("StepStarted")
      }
      const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "compact", message: "no boundary" })
      given(...exhausted, closed, watcher(2), Event.RecoveryRetried.make({ at, cycle: 1 }), started(2))
        .when({ ...start("compact#1"), cycle: 2 } as WatchIntent)
        .thenTags("StepStarted")
    })
    it("the decider grants no other launch once one has launched, or may have, and the same one again only while it is open", () => {
      for (const launch of launches) {
        for (const other of launches) {
          given(...recovering, ...succeeded(launch))
            .when(start(other))
            .thenRefused("never")
          if (other === launch) continue
          given(...recovering, begun(launch))
            .when(start(other))
            .thenRefused("never")
          given(...recovering, ...failed(launch))
            .when(start(other))
            .thenTags("StepStarted")
        }
        given(...recovering, begun(launch))
          .when(start(launch))
          .thenTags("StepStarted")
      }
    })
    it("the decider grants no other launch after a launch failed whose file was written; the file of a compaction is none", () => {
      const file = Event.LaunchPrepared.make({
        at,
        cycle: 1,
        launchId: "l1",
        digest: "d",
        sessionId: "s1",
        requested: "acceptEdits",
        effective: "acceptEdits"
      })
      const [first, other] = ["6 launch", "start from the notes"] as const
      const [intent, outcome] = failed(first)
      given(...recovering, intent!, file, outcome!)
        .when(start(other))
        .thenRefused("never")
      given(...recovering, ...failed(first), begun("compact#1"), file)
        .when(start(other))
        .thenTags("StepStarted")
    })
  })
})

describe("an operator, and a Conductor that comes back", () => {
  const recovering = [...watching, died(2), started(1)]
  const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" })
  const standby = [...recovering, closed, watcher(2)]
  const another = { ...conductor, pid: 815 }
  const adopt = {
    _tag: "Adopt",
    conductor: another,
    sessionId: "s9",
    print: true,
    baseline: { ...baseline, taskCount: 9 }
  } as const
  const returned: WatchIntent = {
    _tag: "ReportExit",
    watcher: 2,
    exit: { _tag: "Returned", conductor: another, print: false, baseline },
    tasks: null,
    evidence
  }

  describe("behaviour#standby", () => {
    it("the decider retries what has failed closed, in another cycle with its trigger; nothing else", () => {
      given(...standby)
        .when({ _tag: "Retry" }, { _tag: "Operator" })
        .then(Event.RecoveryRetried.make({ at: 1000, cycle: 1 }), started(2))
      const retried = given(...standby, Event.RecoveryRetried.make({ at, cycle: 1 }), started(2))
      // The watcher of the standby is gone, the self-monitor stays.
      assert.deepStrictEqual(rolesOf(retried.watch), ["recovery/2", "monitor/1"])
      retried.when({ _tag: "Retry" }, { _tag: "Operator" }).thenRefused("not now")
      for (const events of [watching, recovering])
        given(...events)
          .when({ _tag: "Retry" }, { _tag: "Operator" })
          .thenRefused("not now")
    })
    it("a retry without a window is for what has failed closed, also where a ceiling could be renewed", () => {
      const headless = { _tag: "Retry", headless: true, ceilings: true } as const
      given(...standby)
        .when(headless, { _tag: "Operator" })
        .then(Event.RecoveryRetried.make({ at: 1000, cycle: 1, headless: true }), started(2))
      given(...watching)
        .when(headless, { _tag: "Operator" })
        .thenRefused("not now")
    })
    it("the decider retries nothing in a watch that only observes", () => {
      const observing = [
        Event.WatchOpened.make({ ...opened, observe: true }),
        owned,
        confirmed,
        watcher(1),
        monitor(1),
        settled
      ]
      given(
        ...observing,
        died(1),
        Event.RecoveryWithheld.make({
          at,
          cycle: 1,
          trigger: "pid",
          stage: "observe",
          message: "only observing: nothing was stopped or launched"
        }),
        watcher(2)
      )
        .when({ _tag: "Retry" }, { _tag: "Operator" })
        .thenRefused("not now")
    })
    it("the decider adopts against the evidence by a word that stays in the log", () => {
      for (const forced of [true, false]) {
        const [event] = given(...watching)
          .when({ ...adopt, forced }, { _tag: "Operator" })
          .thenTags("ConductorAdopted", "WatcherStarted")
        assert.deepInclude(event, { by: "operator", forced })
      }
    })
    it("a Conductor is back by its own heartbeat, in its own session, only while the watch is in standby", () => {
      const [event] = given(...standby)
        .when(returned)
        .thenTags("ConductorAdopted", "WatcherStarted")
      assert.deepInclude(event, { by: "heartbeat", conductor: another, sessionId: "s1", generation: 2 })
      given(...watching, watcher(2))
        .when(returned)
        .then()
    })
    it("standing by, a turn that ended is of no consequence", () => {
      given(...standby)
        .when({ _tag: "ReportExit", watcher: 2, exit: { _tag: "TurnEnded" }, tasks: null, evidence })
        .then()
    })
  })

  describe("behaviour#adopt", () => {
    it("the decider grants an adoption only once the launch of the running recovery is settled", () => {
      const launching = given(...recovering, Event.LaunchPrepared.make({ at, ...preparation }))
      for (const settled of [undefined, { launchId: "another", started: false }])
        launching.when({ ...adopt, settled }, { _tag: "Operator" }).thenRefused("not now")
      const { launchId } = preparation
      for (const started of [true, false]) {
        const settled = { launchId, started }
        const decided = launching.when({ ...adopt, settled }, { _tag: "Operator" })
        const watch = decided.thenTags("ConductorAdopted", "WatcherStarted").reduce(evolve, launching.watch)
        // What that launch started has its mark alone, once the Conductor is gone.
        assert.strictEqual(watch.launchId, started ? launchId : undefined)
      }
    })
    it("the decider adopts a process as the next generation, measured from now on, and without the deaths before it", () => {
      for (const events of [watching, recovering, standby]) {
        const adopting = given(...events)
        const decided = adopting.when(adopt, { _tag: "Operator" }).thenTags("ConductorAdopted", "WatcherStarted")
        const watch = decided.reduce(evolve, adopting.watch)
        assert.deepInclude(watch, {
          generation: 2,
          pid: 815,
          sessionId: "s9",
          print: true,
          retries: 0,
          launchId: undefined
        })
        assert.deepInclude(watch, { standby: undefined, recovery: undefined, awaiting: false, sessions: ["s1", "s9"] })
        assert.strictEqual(watch.baseline.taskCount, 9)
        assert.deepStrictEqual(rolesOf(watch), [`watcher/${watch.watchersStarted}`, "monitor/1"])
      }
      given(opened, owned).when(adopt, { _tag: "Operator" }).thenRefused("not now")
    })
    it("adopted, the recovery before is over: no step, no launch, no relaunch, no end by it", () => {
      const adopted = Event.ConductorAdopted.make({
        at,
        by: "operator",
        generation: 2,
        conductor: another,
        sessionId: "s9",
        print: false,
        ...baseline
      })
      const { when } = given(...recovering, prepared(1), adopted, watcher(2))
      const {
        _tag: _,
        at: __,
        generation: ___,
        conductorState,
        lastMessageId,
        taskCount,
        taskFingerprint,
        ...rest
      } = relaunched(2)
      const late: ReadonlyArray<WatchIntent> = [
        { _tag: "StartStep", cycle: 1, step: "6 launch", kind: "launch" },
        {
          _tag: "PrepareLaunch",
          ...preparation
        },
        { _tag: "Relaunched", ...rest, baseline: { conductorState, lastMessageId, taskCount, taskFingerprint } },
        { _tag: "FailClosed", cycle: 1, stage: "stop", message: "" },
        { _tag: "CancelForCompletion", cycle: 1 }
      ]
      for (const intent of late) when(intent).thenRefused("not now")
    })
  })

  describe("behaviour#ceilings-of-use", () => {
    it("the decider allows as much again where a ceiling is set, reached or not, and nothing else begins", () => {
      const reached = Event.CeilingReached.make({ at, watcher: 1, ceiling: "time", used: 2, limit: 1 })
      const retry = { _tag: "Retry", ceilings: true } as const
      for (const events of [watching, recovering, [...watching, reached]]) {
        const renewed = Event.AllowanceRenewed.make({ at: 1000 })
        given(...events)
          .when(retry, { _tag: "Operator" })
          .then(renewed)
        const { allowedSince, ceiling } = given(...events, renewed).watch
        assert.deepStrictEqual([allowedSince, ceiling], [1000, undefined])
      }
      // A ceiling that was reached counts, whatever the settings of the asking side say.
      given(...watching, reached)
        .when({ _tag: "Retry" }, { _tag: "Operator" })
        .thenTags("AllowanceRenewed")
      // A recovery that failed closed is tried again. This also allows as much again.
      given(...standby)
        .when(retry, { _tag: "Operator" })
        .thenTags("RecoveryRetried", "RecoveryStarted")
    })
    it("the decider counts nothing against a ceiling that was used before as much again was allowed", () => {
      const renewed = Event.AllowanceRenewed.make({ at: 50 })
      const report = { _tag: "ReportCeiling", ceiling: "tokens", used: 120, limit: 100 } as const
      given(...watching, renewed)
        .when({ ...report, since: 0 })
        .thenTags()
      given(...watching, renewed)
        .when({ ...report, since: 50 })
        .thenTags("CeilingReached")
    })
  })
})

describe("behaviour#silent-tasks", () => {
  it("a silent task is told once for each heartbeat, by the present watcher, and a hundred tasks at most", () => {
    const report = (task: string, heartbeat = "2026-03-01 12:00:00", watcher = 1) =>
      ({ _tag: "ReportSilentTask", watcher, task, state: "working", heartbeat, age: 541_000 }) as const
    const told = (task: string) => Event.TaskSilent.make({ ...report(task), _tag: "TaskSilent", at })
    given(...watching)
      .when(report("task-01"))
      .thenTags("TaskSilent")
    given(...watching)
      .when(report("task-01", undefined, 2))
      .thenTags()
    given(...watching, told("task-01"), told("task-02"))
      .when(report("task-01"))
      .thenTags()
    given(...watching, told("task-01"))
      .when(report("task-01", "2026-03-01 13:00:00"))
      .thenTags("TaskSilent")
    const hundred = Array.from({ length: 100 }, (_, n) => told(`task-${n}`))
    given(...watching, ...hundred)
      .when(report("one more"))
      .thenTags()
    given(...watching, ...hundred)
      .when(report("task-1", "2026-03-01 13:00:00"))
      .thenTags("TaskSilent")
  })
})

describe("behaviour#ordering", () => {
  describe("the ordering invariant", () => {
    /** Lists the intents that a running role or an operator might have next. */
    const wanted = (watch: Watch): ReadonlyArray<WatchIntent> => {
      const [w, m, cycle] = [watch.watcher?.watcher ?? 0, watch.monitor?.monitor ?? 0, watch.recovery?.cycle ?? 0]
      const generation = { conductor, sessionId: "s1", print: false, baseline }
      const exits: ReadonlyArray<Extract<WatchIntent, { readonly _tag: "ReportExit" }>["exit"]> = [
        { _tag: "Dead", reason: "heartbeat" },
        { _tag: "ContextRecovery" },
        { _tag: "TurnEnded" },
        { _tag: "ContextExhausted" },
        { _tag: "Limited", kind: "outage", resetsAt: null, turnAt: 900 },
        { _tag: "WaitOver", how: "over" },
        { _tag: "WaitOver", how: "went on" },
        { _tag: "Returned", conductor, print: false, baseline },
        { _tag: "SessionIdFound", sessionId: "s7", holder: "unknown" },
        { _tag: "Resolved", holder: { conductor, print: false } }
      ]
      return [
        ...exits.flatMap((exit) =>
          // Each time another progress, so that no end of trying ends the walk.
          [null, 2000].map((quietUntil): WatchIntent => {
            const tasks = { count: 2, fingerprint: `${watch.revision}` }
            return { _tag: "ReportExit", watcher: w, exit, tasks, evidence, quietUntil }
          })
        ),
        { _tag: "WatcherReady", watcher: w },
        { _tag: "SelfMonitorReady", monitor: m },
        { _tag: "ReportWatcherDead", monitor: watch.monitor?.monitor, watcher: w, beatAge: null },
        { _tag: "ReportSelfMonitorLost", monitor: m },
        { _tag: "ReportRoleFailed", role: "watcher", number: w, defect: "x" },
        { _tag: "ReportRoleFailed", role: "self-monitor", number: m, defect: "x" },
        {
          _tag: "PrepareLaunch",
          cycle,
          launchId: "l",
          digest: "d",
          sessionId: "s2",
          requested: "acceptEdits",
          effective: "acceptEdits"
        },
        { ...generation, _tag: "Relaunched", cycle, provider: "p", launchId: "l", awaiting: true, exportPath: null },
        { _tag: "FailClosed", cycle, stage: "gate", message: "too large" },
        { _tag: "Retry" },
        { _tag: "Hold" },
        { _tag: "Go" },
        { ...generation, _tag: "Adopt" }
      ]
    }
    const Choices = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))).check(
      Schema.isMinLength(30)
    )
    it.prop(
      "holds in every state on the way: from the first self-monitor on, a watcher, a self-monitor or a recovery runs",
      [Choices],
      ([choices]) => {
        let { watch } = given(...watching)
        for (const choice of choices) {
          const intents = wanted(watch)
          const decided = decide(watch, { ...intents[choice % intents.length]!, now: 1000, by: { _tag: "Operator" } })
          const wasMonitored = watch.monitor !== undefined
          for (const event of Result.isSuccess(decided) ? decided.success : []) {
            watch = evolve(watch, event)
            // The events after an operator's retry are in the same append. So are those after a watcher without a
            // self-monitor.
            if (wasMonitored && event._tag !== "RecoveryRetried") assert.isNotEmpty(rolesOf(watch), event._tag)
          }
          assert.isNotEmpty(rolesOf(watch))
          // A role that only beats never has the watch alone, unless souffleur's own roles gave up.
          if (!isUnwatched(watch)) assert.isTrue(rolesOf(watch).some((role) => /^(?:watcher|recovery)/u.test(role)))
        }
      }
    )
  })
})

describe("a run", () => {
  const launch = {
    launchId: "p-1-g1-launch-1",
    digest: "d",
    requested: "bypassPermissions",
    effective: "bypassPermissions"
  } as const
  const open = (kind: "agent" | "command"): WatchIntent => ({
    _tag: "Open",
    project: "/p",
    comms: null,
    pid: 0,
    sessionId: kind === "agent" ? "s1" : "",
    observe: false,
    pin: { ...leastPin, ceiling: "bypassPermissions" },
    run: { kind, launch }
  })
  const opening = (kind: "agent" | "command") => given().when(open(kind)).thenTags("WatchOpened", "LaunchPrepared")
  const running = (kind: "agent" | "command") => [
    ...opening(kind),
    owned,
    { ...confirmed, sessionId: kind === "agent" ? "s1" : "", taskFingerprint: "3 abc" },
    watcher(1),
    monitor(1),
    settled
  ]
  const deadAt = (now: number, fingerprint: string, count = 2) => ({
    ...dead(count),
    tasks: { count, fingerprint },
    now
  })

  describe("behaviour#first-launch", () => {
    it("a run is opened with its first launch in one append, and is that launch when it is confirmed", () => {
      const { watch } = given(...running("command"))
      assert.deepInclude(watch, {
        kind: "command",
        launchId: launch.launchId,
        sessions: [],
        sessionId: "",
        pid: 4711,
        generation: 1
      })
      assert.deepInclude(given(...running("agent")).watch, { kind: "agent", sessions: ["s1"] })
    })
    it("the decider prepares its first launch again while it is validated, and no other watch does", () => {
      const again: WatchIntent = {
        _tag: "PrepareLaunch",
        cycle: 0,
        ...launch,
        launchId: "p-1-g1-launch-2",
        sessionId: ""
      }
      given(...opening("command"), owned)
        .when(again)
        .thenTags("LaunchPrepared")
      given(...running("command"))
        .when(again)
        .thenRefused("not now")
      given(opened, owned).when(again).thenRefused("not now")
    })
  })

  describe("behaviour#retries", () => {
    it("a run of a command is exhausted at its third death in a row, except after a run of ten minutes", () => {
      const { watch } = given(...running("command"))
      const retriesAt = (ms: number) => {
        const command = { ...deadAt(at + ms, "3 abc"), by: { _tag: "Owner" as const, fence: 1 } }
        const [died] = Result.getOrThrow(decide({ ...watch, retries: 2 }, command as WatchCommand))
        return died!._tag === "ConductorDied" ? died!.retries : undefined
      }
      assert.deepStrictEqual([retriesAt(599_999), retriesAt(600_000)], [3, 0])
    })
    it("an agent that ends within a minute of its launch again has a pause that grows, whatever it did", () => {
      const { watch } = given(...running("agent"))
      const pauseAfter = (quickEnds: number, ms: number) => {
        const command = { ...deadAt(watch.launchedAt + ms, "9 def", 9), pause: 1000, by: { _tag: "Owner", fence: 1 } }
        const [, next] = Result.getOrThrow(decide({ ...watch, quickEnds }, command as WatchCommand))
        return next?._tag === "WaitStarted" ? next.until - next.at : next?._tag
      }
      assert.deepStrictEqual(
        [0, 1, 2, 3, 9].map((before) => pauseAfter(before, 59_999)),
        ["RecoveryStarted", 1000, 5000, 25_000, 300_000]
      )
      assert.strictEqual(pauseAfter(9, 60_000), "RecoveryStarted")
    })
    it("a run of an agent progresses where its fingerprint changed: more results of tools, or a commit", () => {
      for (const [fingerprint, retries] of [
        ["3 abc", 1],
        ["4 abc", 0],
        ["3 def", 0]
      ] as const) {
        const [died] = given(...running("agent"))
          .when(deadAt(1000, fingerprint, 9))
          .thenTags("ConductorDied", "RecoveryStarted")
        assert.deepInclude(died, { retries })
      }
    })
  })

  describe("behaviour#restart", () => {
    it("a command whose end nothing tells is not run again, until a person says so, whatever the count", () => {
      for (const earlier of [0, 2]) {
        const { watch } = given(...running("command"))
        const [, withheld] = Result.getOrThrow(
          decide({ ...watch, retries: earlier }, {
            ...deadAt(1000, "3 abc"),
            unseen: true,
            pause: 1000,
            by: { _tag: "Owner", fence: 1 }
          } as WatchCommand)
        )
        assert.deepInclude(withheld, { _tag: "RecoveryWithheld", stage: "unknown-end" })
      }
      const unseen = { ...deadAt(1000, "3 abc"), unseen: true }
      const asks = given(...running("command"))
        .when(unseen)
        .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
      given(...running("command"), ...asks)
        .when({ _tag: "Retry" }, { _tag: "Operator" })
        .thenTags("RecoveryRetried", "RecoveryStarted")
    })
  })

  describe("behaviour#ends", () => {
    it("a run is complete by its turn or its exit, by the watcher's word", () => {
      for (const [kind, by] of [
        ["agent", "turn"],
        ["command", "exit"]
      ] as const)
        given(...running(kind))
          .when({ _tag: "ReportExit", watcher: 1, exit: { _tag: "Complete" }, tasks: null, evidence })
          .then(Event.ConductorCompleted.make({ at: 1000, by }))
    })
  })
})
