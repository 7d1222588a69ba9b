import { assert, describe, it } from "@effect/vitest"
import { Event, evolve, initial, type WatcherExit, type WatchEvent, type WatchIntent } from "../src/index.ts"
import {
  at,
  baseline,
  conductor,
  died,
  evidence,
  given,
  monitor,
  prepared,
  relaunched,
  started,
  watcher,
  watching
} from "./Given.ts"

const reports = (exit: WatcherExit, n = 1, more: { readonly quietUntil?: number } = {}): WatchIntent => ({
  _tag: "ReportExit",
  watcher: n,
  exit,
  tasks: { count: 2, fingerprint: "a" },
  evidence,
  ...more
})
const waits = (kind: "usage-limit" | "outage" | "quiet-hours" | "pause", trigger: "limit" | "pid" = "limit") =>
  Event.WaitStarted.make({ at, watcher: 1, kind, until: 9000, resetsAt: 9000, trigger })
const over = (how: "over" | "went on") => reports({ _tag: "WaitOver", how }, 2)
const replaced = { ...watcher(2), at: 1000 }

describe("standing by", () => {
  const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" })
  const suppressed: ReadonlyArray<WatcherExit> = [
    { _tag: "Dead", reason: "pid" },
    { _tag: "ContextRecovery" },
    { _tag: "TurnEnded" },
    { _tag: "ExitRequested" },
    { _tag: "EndedEarly", reason: "refused", leftRunning: 0 },
    { _tag: "ContextExhausted" },
    { _tag: "Unmendable", reason: "login" },
    { _tag: "Limited", kind: "usage-limit", resetsAt: 9000, turnAt: 900 },
    { _tag: "Resolved", holder: { conductor, print: true } }
  ]
  for (const exit of suppressed)
    it(`${exit._tag} is of no consequence`, () =>
      given(...watching, died(1), started(1), closed, watcher(2))
        .when(reports(exit, 2))
        .then())
})

describe("behaviour#exits", () => {
  it("a Conductor that asked for its user and ended is not launched again, until a person says so", () => {
    const asked = given(...watching)
    const events = asked.when(reports({ _tag: "ExitRequested" })).thenTags("RecoveryWithheld", "WatcherStarted")
    const message = "the Conductor asked for its user, and ended"
    assert.deepInclude(events[0], { stage: "exit-requested", message })
    given(...watching, ...events)
      .when({ _tag: "Retry" }, { _tag: "Operator" })
      .thenTags("RecoveryRetried", "RecoveryStarted")
    assert.strictEqual(events.reduce(evolve, asked.watch).retries, 0)
  })
})

describe("behaviour#what-no-launch-mends", () => {
  it("such an end is no death: it counts nothing, and the same session goes on when a person says so", () => {
    for (const reason of ["login", "account", "model", "cap", "other"] as const) {
      const ended = given(...watching, died(2), started(1), prepared(1), relaunched(2), watcher(2))
      const events = ended
        .when(reports({ _tag: "Unmendable", reason }, 2))
        .thenTags("RecoveryWithheld", "WatcherStarted")
      assert.deepInclude(events[0], { stage: reason === "other" ? "unknown-error" : reason, trigger: "limit" })
      const watch = events.reduce(evolve, ended.watch)
      assert.deepStrictEqual([watch.retries, watch.sessionId], [ended.watch.retries, ended.watch.sessionId])
      const retried = given(...watching, died(2), started(1), prepared(1), relaunched(2), watcher(2), ...events)
        .when({ _tag: "Retry" }, { _tag: "Operator" })
        .thenTags("RecoveryRetried", "RecoveryStarted")
      assert.deepInclude(retried[1], { trigger: "limit", purpose: "relaunch" })
    }
  })
})

describe("behaviour#a-renewed-login", () => {
  const refused = (stage: "login" | "account" | "model") =>
    given(...watching, Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "limit", stage, message: "" }), watcher(2))
  const renewed = reports({ _tag: "LoginRenewed" }, 2)
  it("a login that was renewed tries the session once more, counts nothing, and renews no use", () => {
    for (const stage of ["login", "account"] as const) {
      const before = refused(stage)
      const events = before.when(renewed).thenTags("RecoveryRetried", "RecoveryStarted")
      assert.deepInclude(events[0], { by: "login" })
      assert.deepInclude(events[1], { trigger: "limit", purpose: "relaunch" })
      const { allowedSince, retries, standby } = events.reduce(evolve, before.watch)
      assert.deepStrictEqual(
        [standby, retries, allowedSince],
        [undefined, before.watch.retries, before.watch.allowedSince]
      )
    }
  })
  it("it mends nothing else, and waits for quiet hours", () => {
    refused("model").when(renewed).then()
    given(...watching)
      .when(reports({ _tag: "LoginRenewed" }))
      .then()
    refused("login")
      .when({ ...reports({ _tag: "LoginRenewed" }, 2, { quietUntil: 9000 }) })
      .thenTags("RecoveryRetried", "WaitStarted", "WatcherStarted")
  })
})

describe("behaviour#caps-of-the-user", () => {
  it("a retry by an agent's session begins what was withheld, and renews no use", () => {
    const withheld = Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "limit", stage: "login", message: "" })
    const before = given(...watching, withheld, watcher(2))
    const word = { _tag: "Retry", byAgent: true, ceilings: true } as const
    const events = before.when(word, { _tag: "Operator" }).thenTags("RecoveryRetried", "RecoveryStarted")
    assert.strictEqual(events.reduce(evolve, before.watch).allowedSince, before.watch.allowedSince)
    given(...watching)
      .when(word, { _tag: "Operator" })
      .thenRefused("not now")
    given(...watching, spent("--max-turns"))
      .when(word, { _tag: "Operator" })
      .thenRefused("never")
  })
  const spent = (flag: string | null) =>
    Event.CeilingReached.make({ at, watcher: 1, ceiling: "dollars", used: 60, limit: 50, flag })
  const ends = (exit: WatcherExit, end: Event.Evidence["end"]): WatchIntent => ({
    ...(reports(exit) as Extract<WatchIntent, { readonly _tag: "ReportExit" }>),
    evidence: { ...evidence, end }
  })
  const died_ = { _tag: "Dead", reason: "pid" } as const
  it("an agent that ended itself at a cap of its user has not died, and a retry allows as much again", () => {
    const failed = { _tag: "Exited", code: 1 } as const
    for (const exit of [died_, { _tag: "Unmendable", reason: "cap" }] as const) {
      const capped = given(...watching, spent("--max-budget-usd"))
      const events = capped.when(ends(exit, failed)).thenTags("RecoveryWithheld", "WatcherStarted")
      assert.deepInclude(events[0], { stage: "ceiling", trigger: "limit" })
      const again = given(...watching, spent("--max-budget-usd"), ...events)
      const retried = again.when({ _tag: "Retry" }, { _tag: "Operator" }).thenTags("RecoveryRetried", "RecoveryStarted")
      assert.deepInclude(retried.reduce(evolve, again.watch), { ceiling: undefined, allowedSince: retried[0]!.at })
    }
  })
  it("a killed agent has died, and nothing is launched where its cap is used up", () => {
    const killed = { _tag: "Killed", signal: "SIGKILL" } as const
    given(...watching, spent("--max-budget-usd"))
      .when(ends(died_, killed))
      .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
    given(...watching, spent(null))
      .when(ends(died_, { _tag: "Exited", code: 1 }))
      .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
  })
})

const early = { _tag: "EndedEarly", reason: "only-answered", leftRunning: 0 } as const

describe("behaviour#early-ends", () => {
  it("an early end is told with its reason, counts like a death, and begins a recovery for it", () => {
    const [told, begun] = given(...watching)
      .when(reports(early))
      .thenTags("EndedEarly", "RecoveryStarted")
    assert.deepInclude(told, { reason: "only-answered", retries: 1 })
    assert.deepInclude(begun, { trigger: "only-answered", purpose: "relaunch" })
  })
  it("a third early end without progress begins no launch, and the next generation knows what it is for", () => {
    const [, begun] = given(
      ...watching,
      died(1),
      started(1),
      prepared(1),
      relaunched(2),
      watcher(2),
      { ...died(2, 2), at },
      started(2),
      prepared(2),
      relaunched(3),
      watcher(3)
    )
      .when(reports(early, 3))
      .thenTags("EndedEarly", "RecoveryStarted")
    assert.deepInclude(begun, { purpose: "export" })
    const watch = [...watching, died(1), started(1), relaunched(2)].reduce(evolve, initial)
    assert.strictEqual(watch.launchedFor, "pid")
  })
})

describe("behaviour#said-to-be-done", () => {
  it("the work was said to be done by a finished turn after progress, until a generation does more", () => {
    const finished = { ...evidence, turnFinished: true }
    const ends = (event: object) => ({ ...died(0), ...event }) as WatchEvent
    const early = (reason: string, retries: number, more = finished) =>
      ends({ _tag: "EndedEarly", reason, leftRunning: 0, retries, evidence: more })
    const saidAfter = (...events: ReadonlyArray<WatchEvent>) => given(...watching, ...events).watch.saidDone
    assert.isFalse(saidAfter())
    assert.isTrue(saidAfter(early("exit", 0)))
    assert.isTrue(saidAfter(ends({ evidence: finished })))
    assert.isFalse(saidAfter(early("exit", 1)))
    assert.isFalse(saidAfter(early("refused", 0)))
    assert.isFalse(saidAfter(died(0)))
    assert.isTrue(saidAfter(early("exit", 0), early("only-answered", 1), died(2)))
    assert.isFalse(saidAfter(early("exit", 0), died(0)))
    assert.isFalse(saidAfter(early("exit", 0), waits("usage-limit")))
    assert.isTrue(saidAfter(early("exit", 0), waits("pause")))
    const asked = { sessionId: "s1", request: "r", digest: "d", taskCount: null, taskFingerprint: null, retries: 1 }
    assert.isFalse(saidAfter(early("exit", 0), Event.HandoffRequested.make({ at, ...asked })))
    const other = { generation: 2, conductor, sessionId: "s1", print: false, ...baseline }
    assert.isFalse(
      saidAfter(early("exit", 0), Event.ConductorAdopted.make({ at, by: "operator", ...other, forced: false }))
    )
  })
  it("a finished turn says nothing any more where work was done between that end and the next launch", () => {
    const said = { ...died(0), evidence: { ...evidence, turnFinished: true } } as WatchEvent
    const saidAfter = (taskCount: number) =>
      given(...watching, said, started(1), prepared(1), { ...relaunched(2), taskCount } as WatchEvent).watch.saidDone
    assert.isTrue(saidAfter(died(0).taskCount!))
    assert.isFalse(saidAfter(died(0).taskCount! + 1))
  })
  it("a finished turn says nothing any more where a person resumed the session by hand before the next launch", () => {
    const said = { ...died(0), evidence: { ...evidence, turnFinished: true } } as WatchEvent
    const saidAfter = (turnBefore: number) => {
      const launch = { ...prepared(1), turnBefore } as WatchEvent
      const resumed = { ...relaunched(2), provider: "resume", taskCount: died(0).taskCount } as WatchEvent
      return given(...watching, said, started(1), launch, resumed).watch.saidDone
    }
    assert.isTrue(saidAfter(started(1).at))
    assert.isFalse(saidAfter(started(1).at + 1))
  })
})

describe("behaviour#limits-and-waits", () => {
  it("a limit is waited out by another watcher, until the time that it states", () => {
    given(...watching)
      .when(reports({ _tag: "Limited", kind: "usage-limit", resetsAt: 9000, turnAt: 900 }))
      .then({ ...waits("usage-limit"), at: 1000, turnAt: 900 }, replaced)
  })
  it("a limit whose Conductor went on ends, and another watcher watches", () => {
    given(...watching, waits("usage-limit"), watcher(2))
      .when(over("went on"))
      .then(Event.WaitEnded.make({ at: 1000, watcher: 2, how: "went on" }), { ...watcher(3), at: 1000 })
  })
  it("a wait ends once, and only where there is one", () => {
    given(...watching, watcher(2))
      .when(over("over"))
      .then()
    given(...watching, watcher(2))
      .when(over("went on"))
      .then()
  })
})

describe("behaviour#quiet-hours", () => {
  it("a limit that is over is no death: the count stays, and its recovery begins", () => {
    given(...watching, waits("usage-limit"), watcher(2))
      .when(over("over"))
      .then(
        Event.WaitEnded.make({ at: 1000, watcher: 2, how: "over" }),
        Event.RecoveryStarted.make({ at: 1000, cycle: 1, trigger: "limit", purpose: "relaunch" })
      )
    const [, begun] = given(...watching, { ...died(2), at }, waits("quiet-hours", "pid"), watcher(2))
      .when(over("over"))
      .thenTags("WaitEnded", "RecoveryStarted")
    assert.deepInclude(begun, { purpose: "relaunch" })
  })
  it("a death in quiet hours waits for their end, and a later death does not", () => {
    given(...watching)
      .when(reports({ _tag: "Dead", reason: "pid" }, 1, { quietUntil: 9000 }))
      .then(
        died(1),
        Event.WaitStarted.make({
          at: 1000,
          watcher: 1,
          kind: "quiet-hours",
          until: 9000,
          resetsAt: 9000,
          trigger: "pid"
        }),
        replaced
      )
    given(...watching)
      .when(reports({ _tag: "Dead", reason: "pid" }, 1, { quietUntil: 1000 }))
      .thenTags("ConductorDied", "RecoveryStarted")
  })
})

const reached = Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 11, limit: 10 })
const dead = reports({ _tag: "Dead", reason: "pid" })

describe("behaviour#ceilings-of-use", () => {
  it("a ceiling that is reached withholds a recovery, and the watch is in standby", () => {
    const [, withheld] = given(...watching, reached)
      .when(dead)
      .thenTags("ConductorDied", "RecoveryWithheld", "WatcherStarted")
    assert.deepInclude(withheld, { stage: "ceiling", trigger: "pid", cycle: 1 })
  })
  it("the third end without progress is salvaged at a ceiling too, also in quiet hours", () => {
    for (const quietUntil of [undefined, 9000]) {
      const more = quietUntil === undefined ? {} : { quietUntil }
      const [, salvage] = given(...watching, { ...died(2), at }, watcher(2), monitor(2), reached)
        .when(reports({ _tag: "Dead", reason: "pid" }, 2, more))
        .thenTags("ConductorDied", "RecoveryStarted")
      assert.deepInclude(salvage, { purpose: "export" })
    }
  })
})

const later = [...watching, Event.WatcherLost.make({ at, watcher: 1, beatAge: 181_000 }), watcher(2)]

const told: ReadonlyArray<WatchIntent & { readonly watcher: number }> = [
  { _tag: "ReportDeferred", watcher: 1, message: "a tool runs", until: 5000 },
  { _tag: "ReportPerson", watcher: 1, for: "a permission" }
]

for (const intent of told)
  it(`${intent._tag} is told once, by the watcher of now alone`, () => {
    const [event] = given(...watching)
      .when(intent)
      .thenTags(
        intent._tag === "ReportDeferred"
          ? "KillDeferred"
          : intent._tag === "ReportPerson"
            ? "PersonAwaited"
            : "CeilingReached"
      )
    given(...watching, event!)
      .when(intent)
      .then()
    given(...later)
      .when(intent)
      .then()
  })

describe("behaviour#hand-off", () => {
  it("ReportHandoffTaken is told once, of the launch that it is of, by the watcher of now alone", () => {
    const told = { watcher: 2, launchId: "l1", takenAt: 700, contextTokens: 9, contextWindow: 99 }
    const intent: WatchIntent = { _tag: "ReportHandoffTaken", ...told }
    const successor = [...watching, died(1), started(1), relaunched(2), watcher(2)]
    const taken = Event.HandoffTaken.make({ ...told, at: 1000, generation: 2 })
    given(...successor)
      .when(intent)
      .then(taken)
    given(...successor, taken)
      .when(intent)
      .then()
    given(...successor)
      .when({ ...intent, launchId: "l0" })
      .then()
    given(...successor)
      .when({ ...intent, watcher: 1 })
      .then()
  })
})

describe("behaviour#excuses", () => {
  it("a kill that is put off for longer is told again", () => {
    const deferred = Event.KillDeferred.make({ at, watcher: 1, message: "a tool runs", until: 5000 })
    const again = (message: string, until: number) =>
      given(...watching, deferred).when({ _tag: "ReportDeferred", watcher: 1, message, until })
    again("a tool runs", 6000).thenTags("KillDeferred")
    again("a retry", 5000).thenTags("KillDeferred")
    again("a tool runs", 4000).then()
  })
})

describe("behaviour#waiting-for-a-person", () => {
  it("a person's return is told where a person was awaited", () => {
    const came: WatchIntent = { _tag: "ReportPerson", watcher: 1, for: null }
    given(...watching)
      .when(came)
      .then()
    given(...watching, Event.PersonAwaited.make({ at, watcher: 1, for: "a permission" }))
      .when(came)
      .then(Event.PersonCame.make({ at: 1000, watcher: 1 }))
  })
})

describe("behaviour#idle", () => {
  const says = (since: number | null, watcher = 1): WatchIntent => ({ _tag: "ReportIdle", watcher, since })
  const idle = (since: number, again = false) => Event.ConductorIdle.make({ at: 1000, watcher: 1, since, again })
  const busy = Event.ConductorBusy.make({ at: 1000, watcher: 1 })

  it("an agent is told as idle once, by the watcher of now alone, and as busy again where it was idle", () => {
    given(...watching)
      .when(says(500))
      .then(idle(500))
    given(...watching, idle(500))
      .when(says(500))
      .then()
    given(...watching)
      .when(says(null))
      .then()
    given(...watching, idle(500))
      .when(says(null))
      .then(busy)
    given(...later)
      .when(says(500))
      .then()
  })
  it("an agent that is idle again after the same turn is no news, and after another turn it is", () => {
    given(...watching, idle(500), busy)
      .when(says(500))
      .then(idle(500, true))
    given(...watching, idle(500), busy)
      .when(says(700))
      .then(idle(700))
    given(...watching, idle(500))
      .when(says(700))
      .then(idle(700))
  })
  it("a person who is awaited, a standby and a wait outrank it, and the end of the process ends it", () => {
    const awaited = Event.PersonAwaited.make({ at, watcher: 1, for: "a permission" })
    assert.isUndefined(given(...watching, idle(500), awaited).watch.idle)
    given(...watching, awaited)
      .when(says(500))
      .then()
    assert.isUndefined(given(...watching, idle(500), died(1)).watch.idle)
    assert.isUndefined(given(...watching, idle(500), died(1), started(1), relaunched(2)).watch.idle)
  })
})
