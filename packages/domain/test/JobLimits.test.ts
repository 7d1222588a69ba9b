import { assert, describe, it } from "@effect/vitest"
import { Event, rolesOf, type WatchEvent, type WatchIntent } from "../src/index.ts"
import {
  at,
  confirmed,
  died,
  given,
  opened,
  owned,
  preparation,
  prepared,
  started,
  watcher,
  watching
} from "./Given.ts"

const operator = { _tag: "Operator" } as const
const limits = { time: 400, tokens: 1000, dollars: null, then: "stop" } as const
const limited = watching.with(0, Event.WatchOpened.make({ ...opened, limits }))
const tokens: WatchIntent = {
  _tag: "ReportCeiling",
  since: at,
  ceiling: "tokens",
  used: 1001,
  limit: 1000,
  then: "stop"
}
const reached = Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 1001, limit: 1000, then: "stop" })
const stopping = (cycle = 1) => Event.RecoveryStarted.make({ at, cycle, purpose: "stop", trigger: "ceiling" })
const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "stop", message: "it does not end" })

describe("behaviour#limits-of-a-job", () => {
  it("the first event pins them, and a role looks at them as long as the job goes on", () => {
    const { watch } = given(...limited)
    assert.deepStrictEqual(watch.limits, limits)
    const looks = (...events: ReadonlyArray<WatchEvent>) => rolesOf(given(...events).watch).includes("limits/1")
    assert.isTrue(looks(...limited))
    assert.isTrue(looks(...limited, died(1), started(1)), "during a recovery too")
    assert.isFalse(looks(...watching))
    assert.isFalse(looks(...limited, reached, stopping()))
  })
  it("one that is reached ends the agent and its watch, in place of a rest, a recovery, a look at the work, a wait or a hold", () => {
    for (const before of [
      [],
      [died(1), started(1)],
      [Event.HoldStarted.make({ at })],
      [Event.ConductorIdle.make({ at, watcher: 1, since: at, again: false })],
      [Event.CheckStarted.make({ at, cycle: 1 })],
      [Event.WaitStarted.make({ at, watcher: 1, kind: "outage", until: 9000, resetsAt: 9000, trigger: "limit" })],
      [died(1), Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "pid", stage: "hold", message: "" }), watcher(2)]
    ]) {
      const { watch, when } = given(...limited, ...before)
      const [first, second] = when(tokens).thenTags("CeilingReached", "RecoveryStarted")
      assert.deepInclude(first, { ceiling: "tokens", used: 1001, limit: 1000, then: "stop" })
      assert.deepInclude(second, { purpose: "stop", trigger: "ceiling", cycle: watch.cycles + 1 })
    }
    const { watch } = given(...limited, died(1), started(1), prepared(1), reached, stopping(2))
    assert.strictEqual(watch.undecided, "l1", "a launch that was under way is ended too")
    given(...limited, reached, stopping())
      .when({ _tag: "ConcludeStop", cycle: 1 }, operator)
      .then(Event.WatchStopped.make({ at: 1000, cycle: 1, limit: "tokens", exportPath: null }))
    const end = Event.WatchStopped.make({ at, cycle: 1, limit: "tokens", exportPath: null })
    assert.strictEqual(given(...limited, reached, stopping(), end).watch.end, "limit reached")
  })
  it("it is taken once, and not again where the agent did not end, or by an older count", () => {
    given(...limited, reached, stopping())
      .when(tokens)
      .then()
    given(...limited, reached, stopping(), closed, watcher(2))
      .when(tokens)
      .then()
    given(...limited, Event.AllowanceRenewed.make({ at: 600 }))
      .when(tokens)
      .then()
  })
  it("a ceiling of a setting that was reached before keeps no limit from ending the job", () => {
    const ceiling = Event.CeilingReached.make({ at, watcher: 1, ceiling: "dollars", used: 2, limit: 1 })
    given(...limited, ceiling)
      .when(tokens)
      .thenTags("CeilingReached", "RecoveryStarted")
  })
  it("no hold and no retry, an agent's least of all, keeps it from being carried out", () => {
    for (const word of [{ _tag: "Hold" }, { _tag: "Hold", byAgent: true }, { _tag: "Retry" }] as const)
      given(...limited, reached, stopping())
        .when(word, operator)
        .thenRefused("not now")
  })
  it("retry allows as much again before it is reached, and where the agent did not end", () => {
    given(...limited)
      .when({ _tag: "Retry" }, operator)
      .then(Event.AllowanceRenewed.make({ at: 1000 }))
    given(...limited)
      .when({ _tag: "Retry", byAgent: true }, operator)
      .thenRefused("not now")
    const events = given(...limited, reached, stopping(), closed, watcher(2))
      .when({ _tag: "Retry" }, operator)
      .thenTags("RecoveryRetried", "WatcherStarted")
    const { watch } = given(...limited, reached, stopping(), closed, watcher(2), ...events)
    assert.deepStrictEqual([watch.ceiling, watch.allowedSince, watch.standby], [undefined, 1000, undefined])
  })
  it("beyond its time nothing is launched, whoever asks: a first launch, or a recovery", () => {
    const launch: WatchIntent = { _tag: "PrepareLaunch", ...preparation }
    given(...limited, died(1), started(1))
      .when(launch)
      .thenRefused("not now")
    const first = [Event.WatchOpened.make({ ...opened, comms: null, limits }), prepared(0), owned]
    given(...first)
      .when({ ...launch, cycle: 0 })
      .thenRefused("not now")
    const longer = { ...limits, time: 501 }
    given(...watching.with(0, Event.WatchOpened.make({ ...opened, limits: longer })), died(1), started(1))
      .when(launch)
      .thenTags("LaunchPrepared")
  })
  it("one that withholds leaves the agent at work, and launches nothing any more", () => {
    const withholds = Event.WatchOpened.make({ ...opened, limits: { ...limits, then: "withhold" } })
    given(withholds, owned, confirmed, watcher(1))
      .when({ ...tokens, then: "withhold" })
      .thenTags("CeilingReached")
  })
})
