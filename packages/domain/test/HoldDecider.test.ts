import { assert, describe, it } from "@effect/vitest"
import { Event, rolesOf, type WatchEvent, type WatchIntent } from "../src/index.ts"
import {
  at,
  baseline,
  conductor,
  dead,
  died,
  evidence,
  given,
  prepared,
  relaunched,
  started,
  watcher,
  watching
} from "./Given.ts"

const operator = { _tag: "Operator" } as const
const hold: WatchIntent = { _tag: "Hold" }
const go: WatchIntent = { _tag: "Go" }
const held = Event.HoldStarted.make({ at })
const freed = Event.HoldEnded.make({ at: 1000 })
const withheld = (stage: "hold" | "ceiling", cycle = 1) =>
  Event.RecoveryWithheld.make({ at, cycle, trigger: "pid", stage, message: "why" })
const waiting = (kind: "usage-limit" | "outage" | "quiet-hours" | "pause", trigger: "limit" | "pid" = "limit") =>
  Event.WaitStarted.make({ at, watcher: 1, kind, until: 9000, resetsAt: 9000, trigger })
const step = (name: string, kind: "act" | "launch") =>
  Event.StepStarted.make({ at, cycle: 1, step: name, kind, attempt: 1, token: "t" })
const recovering = [...watching, died(1), started(1)]
const reached = Event.CeilingReached.make({ at, watcher: 1, ceiling: "time", used: 2, limit: 1 })
const refuses = (events: ReadonlyArray<WatchEvent>, intent: WatchIntent) =>
  given(...events)
    .when(intent, operator)
    .thenRefused("not now")

describe("behaviour#hold", () => {
  describe("a hold", () => {
    it("an operator's hold is one event, once; its watcher goes on", () => {
      given(...watching)
        .when(hold, operator)
        .then({ ...held, at: 1000 })
      given(...watching, held)
        .when(hold, operator)
        .then()
      assert.deepStrictEqual(rolesOf(given(...watching, held).watch), ["watcher/1", "monitor/1"])
    })
    it("a hold withholds each recovery, also the last, and its trigger is kept", () => {
      for (const events of [
        [],
        [died(2), withheld("ceiling"), watcher(2), Event.RecoveryRetried.make({ at, cycle: 1 })]
      ])
        given(...watching, ...events, held)
          .when(dead(2, events.length === 0 ? 1 : 2), operator)
          .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
      given(...watching, held, waiting("usage-limit"), watcher(2))
        .when(
          { _tag: "ReportExit", watcher: 2, exit: { _tag: "WaitOver", how: "over" }, tasks: null, evidence },
          operator
        )
        .thenTags("WaitEnded", "RecoveryWithheld", "WatcherStarted")
    })
    it("a hold ends a running recovery where it is, until that launches", () => {
      const [, told] = given(...recovering)
        .when(hold, operator)
        .thenTags("HoldStarted", "RecoveryWithheld", "WatcherStarted")
      assert.deepInclude(told, { cycle: 1, trigger: "pid", stage: "hold" })
      given(...recovering, step("1 stop", "act"))
        .when(hold, operator)
        .thenTags("HoldStarted", "RecoveryWithheld", "WatcherStarted")
      assert.isUndefined(given(...recovering, held, withheld("hold")).watch.recovery)
      const launching = [...recovering, step("6 launch", "launch")]
      refuses(launching, hold)
      refuses([...launching, Event.StepSucceeded.make({ at, cycle: 1, step: "6 launch", outcome: {} })], hold)
      refuses([...recovering, step("compact#1", "act"), prepared(1)], hold)
      given(...launching, Event.StepFailed.make({ at, cycle: 1, step: "6 launch", failure: {} }))
        .when(hold, operator)
        .thenTags("HoldStarted", "RecoveryWithheld", "WatcherStarted")
    })
    it("a recovery that a hold has ended begins no step, and its launch counts for nothing", () => {
      const ended = [...recovering, step("1 stop", "act"), held, withheld("hold"), watcher(2)]
      refuses(ended, { _tag: "StartStep", cycle: 1, step: "2 export", kind: "act" })
      const { baseline: _, ...launched } = relaunched(2) as never as Record<string, never>
      refuses(ended, { ...(launched as object), baseline, conductor, _tag: "Relaunched", cycle: 1 } as WatchIntent)
    })
    it("an agent's session ends no hold, and ends a wait", () => {
      const byAgent: WatchIntent = { _tag: "Go", byAgent: true }
      given(...watching, held)
        .when(byAgent, operator)
        .thenRefused("never")
      given(...watching, held, waiting("usage-limit"), watcher(2))
        .when(byAgent, operator)
        .thenRefused("never")
      given(...watching, waiting("usage-limit"), watcher(2))
        .when(byAgent, operator)
        .thenTags("WaitEnded", "RecoveryStarted")
    })
    it("a hold is refused where nothing could be held", () => {
      refuses(watching.slice(0, 2), hold)
      refuses([...watching, died(3), started(1, "export")], hold)
      refuses([{ ...watching[0]!, observe: true } as WatchEvent, ...watching.slice(1)], hold)
    })
    it("a held watch tries no recovery again, and takes no request; a ceiling can be set", () => {
      const standing = [...watching, died(1), held, withheld("hold"), watcher(2)]
      refuses(standing, { _tag: "Retry" })
      refuses([...watching, held], { _tag: "RequestHandoff", sessionId: "s1", request: "r", digest: "d", tasks: null })
      given(...standing)
        .when({ _tag: "Retry", permission: "bypassPermissions" }, operator)
        .thenTags("TrustGiven")
    })
  })

  describe("go", () => {
    it("go is refused where nothing is held, and nothing waited for", () => {
      refuses(watching, go)
      refuses(recovering, go)
      refuses([...watching, died(1), withheld("ceiling"), watcher(2)], go)
    })
    it("go ends a hold, and begins once what it held back", () => {
      given(...watching, held)
        .when(go, operator)
        .then(freed)
      given(...watching, died(1), held, withheld("hold"), watcher(2))
        .when(go, operator)
        .then(freed, { ...started(2) })
      given(...watching, died(3), held, withheld("hold"), watcher(2))
        .when(go, operator)
        .then(freed, started(2, "export"))
      given(...watching, reached, died(1), held, withheld("hold"), watcher(2))
        .when(go, operator)
        .thenTags("HoldEnded", "RecoveryWithheld", "WatcherStarted")
      given(...watching, died(1), withheld("ceiling"), watcher(2), held)
        .when(go, operator)
        .then(freed)
    })
    it("go begins what a hold held back also after a role gave up, and retry leaves it held", () => {
      const gaveUp = Event.RoleGaveUp.make({ at, role: "watcher", defect: "RangeError", failures: 3 })
      const unwatched = [...watching, died(1), held, withheld("hold"), watcher(2), gaveUp]
      given(...unwatched)
        .when(go, operator)
        .then(freed, started(2))
      const again = given(...unwatched)
        .when({ _tag: "Retry" }, operator)
        .thenTags("RecoveryRetried", "RecoveryWithheld", "WatcherStarted")
      given(...unwatched, ...again)
        .when(go, operator)
        .then(freed, started(2))
      given(...watching, held, gaveUp)
        .when(go, operator)
        .then(freed)
      given(...watching, held, gaveUp)
        .when({ _tag: "Retry" }, operator)
        .thenTags("RecoveryRetried", "WatcherStarted")
      const early = Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "exit", stage: "hold", message: "why" })
      assert.strictEqual(given(...watching, held, early, watcher(2), gaveUp).watch.standby?.trigger, "exit")
      assert.strictEqual(given(...watching, waiting("pause", "pid"), watcher(2), gaveUp).watch.standby?.trigger, "pid")
    })
    it("go ends each kind of wait now, held or not", () => {
      for (const kind of ["usage-limit", "outage", "quiet-hours", "pause"] as const)
        for (const before of [[], [held]]) {
          const events = given(...watching, waiting(kind), watcher(2), ...before)
            .when(go, operator)
            .thenTags(...(before.length === 0 ? [] : ["HoldEnded" as const]), "WaitEnded", "RecoveryStarted")
          assert.deepInclude(events.at(-2), { how: "go" })
          assert.deepInclude(events.at(-1), { trigger: "limit", purpose: "relaunch" })
        }
    })
    it("a Conductor that was given up for its heartbeat is looked at again after a hold", () => {
      const silent = { ...died(1), reason: "heartbeat" as const, evidence: { ...evidence, heartbeat: "old" } }
      assert.deepStrictEqual(given(...watching, silent, held, withheld("hold"), watcher(2), freed).watch.silent, {
        heartbeat: "old",
        retried: true
      })
    })
  })
})

describe("behaviour#restart", () => {
  describe("the pause of a command", () => {
    const command = [{ ...watching[0]!, kind: "command" } as WatchEvent, ...watching.slice(1)]
    const dies = (n: number, more: { readonly quietUntil?: number } = {}): WatchIntent =>
      ({ ...dead(2, n), pause: 1000, ...more }) as WatchIntent
    it("a command waits before it is run again, five times as long after each death in a row", () => {
      for (const [before, pause] of [
        [0, 1000],
        [1, 5000]
      ] as const) {
        const [, wait] = given(
          ...command,
          ...(before === 0 ? [] : [died(before), started(1), relaunched(2), watcher(2)])
        )
          .when(dies(before + 1))
          .thenTags("ConductorDied", "WaitStarted", "WatcherStarted")
        assert.deepInclude(wait, { kind: "pause", until: 1000 + pause, trigger: "pid" })
      }
    })
    it("an agent has no pause, the quiet hours come first, and after a wait there is no other", () => {
      given(...watching)
        .when(dies(1))
        .thenTags("ConductorDied", "RecoveryStarted")
      const [, quiet] = given(...command)
        .when(dies(1, { quietUntil: 7000 }))
        .thenTags("ConductorDied", "WaitStarted", "WatcherStarted")
      assert.deepInclude(quiet, { kind: "quiet-hours" })
      given(...command, died(1), waiting("pause", "pid"), watcher(2))
        .when({ ...dies(2), exit: { _tag: "WaitOver", how: "over" } } as WatchIntent)
        .thenTags("WaitEnded", "RecoveryStarted")
    })
    it("retry ends the pause, and renews a ceiling with it", () => {
      const pausing = [...command, died(1), waiting("pause", "pid"), watcher(2)]
      given(...pausing)
        .when({ _tag: "Retry" }, operator)
        .thenTags("WaitEnded", "RecoveryStarted")
      given(...pausing, reached)
        .when({ _tag: "Retry" }, operator)
        .thenTags("AllowanceRenewed", "WaitEnded", "RecoveryStarted")
    })
    it("a pause counts as no limit", () =>
      assert.deepStrictEqual(
        (["pause", "usage-limit"] as const).map((kind) => given(...command, waiting(kind)).watch.waits),
        [0, 1]
      ))
  })
})
