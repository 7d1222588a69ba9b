import { assert, describe, it } from "@effect/vitest"
import { agentAtWork, Event, rolesOf, type WatchEvent, type WatchIntent } from "../src/index.ts"
import {
  at,
  baseline,
  conductor,
  died,
  given,
  owned,
  prepared,
  relaunched,
  started,
  watcher,
  watching
} from "./Given.ts"

const person = { _tag: "Operator" } as const
const to = (agent: string, from = "claude", lives = true): WatchIntent => ({
  _tag: "Retry",
  handover: { from, agent, lives }
})
const chosen = (agent: string, from = "claude") => Event.AgentChosen.make({ at, from, agent })
const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "export", message: "why" })
const begun = (cycle: number) => Event.RecoveryStarted.make({ at, cycle, purpose: "relaunch", trigger: "handover" })
const standing = [...watching, chosen("codex"), begun(1), closed, watcher(2)]
const waiting = Event.WaitStarted.make({
  at,
  watcher: 1,
  kind: "usage-limit",
  until: 9000,
  resetsAt: 9000,
  trigger: "limit"
})
const reached = Event.CeilingReached.make({ at, watcher: 1, ceiling: "time", used: 2, limit: 1 })
const back = { ...conductor, pid: 4800 }
const refuses = (events: ReadonlyArray<WatchEvent>, intent: WatchIntent) =>
  given(...events)
    .when(intent, person)
    .thenRefused("not now")

describe("behaviour#hand-over", () => {
  it("a person's hand-over begins a recovery of a healthy agent, and counts as no retry", () => {
    const { watch, when } = given(...watching)
    const events = when(to("codex"), person).thenTags("AgentChosen", "RecoveryStarted")
    const after = given(...watching, ...events).watch
    assert.deepStrictEqual([after.agent, after.handedFrom], ["codex", "claude"])
    assert.strictEqual(after.recovery?.trigger, "handover")
    assert.strictEqual(after.retries, watch.retries)
    assert.deepStrictEqual(rolesOf(after), ["recovery/1", "monitor/1"])
  })
  it("a hand-over ends a wait, and renews what a ceiling of use allows", () => {
    given(...watching, waiting)
      .when(to("codex"), person)
      .thenTags("AgentChosen", "WaitEnded", "RecoveryStarted")
    given(...watching, reached)
      .when(to("codex"), person)
      .thenTags("AgentChosen", "AllowanceRenewed", "RecoveryStarted")
  })
  it("a hand-over that failed is tried again, taken back, or given to a third agent", () => {
    assert.strictEqual(given(...standing).watch.handedFrom, "claude")
    given(...standing)
      .when({ _tag: "Retry" }, person)
      .thenTags("RecoveryRetried", "RecoveryStarted")
    for (const agent of ["claude", "pi"]) {
      const events = given(...standing)
        .when(to(agent, "claude", false), person)
        .thenTags("AgentChosen", "RecoveryRetried", "RecoveryStarted")
      const { agent: now, handedFrom } = given(...standing, ...events).watch
      assert.deepStrictEqual([now, handedFrom], [agent, agent === "claude" ? undefined : "claude"])
    }
  })
  it("an agent that lives is not stopped by its own name: the watch goes on with it after a failed hand-over", () => {
    const events = given(...standing)
      .when(to("claude"), person)
      .thenTags("AgentChosen", "RecoveryRetried", "WatcherStarted")
    const after = given(...standing, ...events).watch
    assert.deepStrictEqual([after.agent, after.handedFrom, after.standby], ["claude", undefined, undefined])
    assert.deepStrictEqual(rolesOf(after), ["watcher/3", "monitor/1"])
  })
  it("an agent that a recovery gave up is recovered by its own name, as by a plain retry", () => {
    const recovered = [...watching, died(1), started(1), closed, watcher(2)]
    for (const lives of [true, false]) {
      const events = given(...recovered)
        .when(to("claude", "claude", lives), person)
        .thenTags("AgentChosen", "RecoveryRetried", "RecoveryStarted")
      assert.strictEqual(given(...recovered, ...events).watch.recovery?.trigger, "pid")
    }
    const gaveUp = Event.RoleGaveUp.make({ at, role: "watcher", failures: 3, defect: "boom" })
    given(...watching, gaveUp)
      .when(to("claude"), person)
      .thenTags("AgentChosen", "RecoveryRetried", "WatcherStarted")
  })
  it("a hand-over after an end keeps that end as its cause, and the agent is recovered from it where it is taken back", () => {
    const dead = [...watching, died(1), started(1), closed, watcher(2)]
    const handed = given(...dead)
      .when(to("codex"), person)
      .thenTags("AgentChosen", "RecoveryRetried", "RecoveryStarted")
    assert.strictEqual(given(...dead, ...handed).watch.recovery?.trigger, "pid")
    const failed = [...dead, ...handed, { ...closed, cycle: 2 }, watcher(3)]
    const back = given(...failed)
      .when(to("claude", "claude", false), person)
      .thenTags("AgentChosen", "RecoveryRetried", "RecoveryStarted")
    assert.strictEqual(given(...failed, ...back).watch.recovery?.trigger, "pid")
  })
  it("a hand-over that could not begin is not tried again by a plain retry, and the refusal names the ways on", () => {
    const unfit = { ...closed, stage: "hand-over" }
    const { when } = given(...watching, chosen("codex"), begun(1), unfit, watcher(2))
    assert.strictEqual(
      when({ _tag: "Retry" }, person).thenRefused("not now"),
      "codex cannot take the conversation over (why): a retry with agent claude has that one go on, and one with agent codex tries again"
    )
    when(to("codex"), person).thenTags("AgentChosen", "RecoveryRetried", "RecoveryStarted")
  })
  it("a hand-over is over once the other agent runs, and the choice holds on", () => {
    const { agent, handedFrom } = given(...watching, chosen("codex"), started(1), prepared(1), relaunched(2)).watch
    assert.deepStrictEqual([agent, handedFrom], ["codex", undefined])
  })
  it("an adoption before the launch takes a hand-over back, and none after it", () => {
    const adopted = (generation: number) =>
      Event.ConductorAdopted.make({
        at,
        by: "operator",
        generation,
        conductor: back,
        sessionId: "s1",
        print: false,
        ...baseline
      })
    assert.strictEqual(given(...standing, adopted(2)).watch.agent, "claude")
    assert.isUndefined(given(...standing, adopted(2)).watch.handedFrom)
    const run = [...watching, chosen("codex"), started(1), prepared(1), relaunched(2)]
    assert.strictEqual(given(...run, adopted(3)).watch.agent, "codex")
  })
  it("a hand-over is refused in a recovery, under a hold, before the watch runs, and to the same agent", () => {
    refuses([...watching, died(1), started(1)], to("codex"))
    refuses([...watching, Event.HoldStarted.make({ at })], to("codex"))
    refuses(watching.slice(0, 3), to("codex"))
    refuses(watching, to("claude"))
    given(...watching)
      .when(to("codex"), { _tag: "Owner", fence: 1 })
      .thenRefused("never")
  })
  it("a plain command has no conversation, and an observed agent is not stopped", () => {
    const opened = (more: object) => [
      Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "", observe: false, ...more }),
      owned,
      ...watching.slice(2)
    ]
    given(...opened({ kind: "command" }))
      .when(to("codex"), person)
      .thenRefused("never")
    refuses(opened({ observe: true }), to("codex"))
  })
  it("a ceiling that a person names with a hand-over holds for its launch", () => {
    given(...watching)
      .when({ ...to("codex"), permission: "bypassPermissions" } as WatchIntent, person)
      .thenTags("TrustGiven", "AgentChosen", "RecoveryStarted")
  })
})

describe("behaviour#adopt", () => {
  it("a watch goes on with the agent of a process that a person adopts, and keeps it where nothing names one", () => {
    const adopt = (agent: string | null): WatchIntent => ({
      _tag: "Adopt",
      conductor: back,
      sessionId: "s9",
      print: false,
      agent,
      baseline
    })
    const begun = watching.map((one) => (one._tag === "ConductorConfirmed" ? { ...one, agent: "codex" } : one))
    const after = (agent: string | null, ...more: ReadonlyArray<WatchEvent>) => {
      const events = [...begun, ...more]
      const decided = given(...events)
        .when(adopt(agent), person)
        .thenTags("ConductorAdopted", "WatcherStarted")
      return given(...events, ...decided).watch
    }
    assert.deepStrictEqual([after("pi").agent, agentAtWork(after("pi"))], ["pi", "pi"])
    for (const agent of ["codex", null]) {
      assert.isUndefined(after(agent).agent)
      assert.strictEqual(agentAtWork(after(agent)), "codex")
    }
    assert.strictEqual(after("codex", chosen("pi", "codex"), started(1), prepared(1), relaunched(2)).agent, "codex")
  })
})
