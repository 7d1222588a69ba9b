import { assert, describe, it } from "@effect/vitest"
import { Event, rolesOf, type WatchIntent } from "../src/index.ts"
import { at, confirmed, died, given, opened, owned, preparation, prepared, started, watching } from "./Given.ts"

const operator = { _tag: "Operator" } as const
const stop: WatchIntent = { _tag: "Stop", reason: "wrong plan" }
const asked = Event.StopAsked.make({ at, reason: null })
const stopping = (cycle: number) => Event.RecoveryStarted.make({ at, cycle, purpose: "stop", trigger: "stop" })

describe("behaviour#stop-by-a-person", () => {
  it("the word begins a cycle that only stops, in place of a wait, a hold or a recovery", () => {
    for (const before of [
      [],
      [Event.HoldStarted.make({ at })],
      [Event.WaitStarted.make({ at, watcher: 1, kind: "outage", until: 9000, resetsAt: 9000, trigger: "limit" })]
    ])
      given(...watching, ...before)
        .when(stop, operator)
        .then(
          Event.StopAsked.make({ at: 1000, reason: "wrong plan" }),
          Event.RecoveryStarted.make({ at: 1000, cycle: 1, purpose: "stop", trigger: "stop" })
        )
    const { watch } = given(...watching, died(1), started(1), asked, stopping(2))
    assert.deepStrictEqual(
      rolesOf(watch).filter((role) => !role.startsWith("monitor/")),
      ["recovery/2"]
    )
  })
  it("the word is taken once, also before the Conductor is known", () => {
    given(...watching, asked, stopping(1))
      .when(stop, operator)
      .then()
    assert.deepStrictEqual(rolesOf(given(opened, asked, stopping(1)).watch), ["recovery/1"])
  })
  it("nothing is launched in such a cycle, and its end is that of the watch", () => {
    given(...watching, asked, stopping(1))
      .when({ _tag: "PrepareLaunch", ...preparation }, operator)
      .thenRefused("never")
    given(...watching, asked, stopping(1))
      .when({ _tag: "ConcludeStop", cycle: 1 }, operator)
      .then(Event.WatchStopped.make({ at: 1000, cycle: 1, exportPath: null }))
    given(...watching, died(1), started(1))
      .when({ _tag: "ConcludeStop", cycle: 1 }, operator)
      .thenRefused("not now")
  })
  it("a launch that was under way is remembered, so that it can be ended too", () => {
    const launch = prepared(1)
    const { watch } = given(...watching, died(1), started(1), launch, asked, stopping(2))
    assert.strictEqual(watch.undecided, launch.launchId)
  })
  it("a hold puts a stop off, and go goes on with the stop, whatever the watch has used", () => {
    const ceiling = Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 2, limit: 1 })
    const held = given(...watching, ceiling, asked, stopping(1))
      .when({ _tag: "Hold" }, operator)
      .thenTags("HoldStarted", "RecoveryWithheld", "WatcherStarted")
    const [, again] = given(...watching, ceiling, asked, stopping(1), ...held)
      .when({ _tag: "Go" }, operator)
      .thenTags("HoldEnded", "RecoveryStarted")
    assert.deepInclude(again, { purpose: "stop", trigger: "stop" })
  })
  it("a stop that failed closed is what a retry tries again", () => {
    const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "stop", message: "it does not end" })
    const events = given(...watching, asked, stopping(1), closed)
      .when({ _tag: "Retry" }, operator)
      .granted()
    assert.deepInclude(events.at(-1), { _tag: "RecoveryStarted", purpose: "stop" })
  })
  it("a watch that only observes stops nothing, nor one whose process was named against the evidence", () => {
    for (const [how, why] of [
      [{ observe: true }, "not now"],
      [{ forced: true }, "never"]
    ] as const)
      given(Event.WatchOpened.make({ ...opened, ...how }), owned, confirmed)
        .when(stop, operator)
        .thenRefused(why)
  })
})
